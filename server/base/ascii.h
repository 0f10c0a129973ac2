/* ascii.h - classifies ASCII characters independently of the locale. Pure; any thread. */
#pragma once

#include <stdbool.h>

static inline bool ascii_is_digit(char c) { return c >= '0' && c <= '9'; }
static inline char ascii_lower(char c) { return (char)(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c); }
static inline char ascii_upper(char c) { return (char)(c >= 'a' && c <= 'z' ? c - 'a' + 'A' : c); }
static inline bool ascii_is_letter(char c) { return ascii_lower(c) >= 'a' && ascii_lower(c) <= 'z'; }
static inline bool ascii_is_alnum(char c) { return ascii_is_letter(c) || ascii_is_digit(c); }
/* True for characters except blanks and control characters. */
static inline bool ascii_is_visible(char c) { return c > ' ' && c < 0x7f; }
