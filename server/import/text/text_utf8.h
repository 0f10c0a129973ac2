/* text_utf8.h - converts text files to UTF-8 without a byte order mark, the only encoding that all of assimp's readers
 * accept. Pure; any thread. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Returns false if the bytes begin with no byte order mark; use them unchanged. Returns true if they begin with the
 * mark of UTF-8 or UTF-16 (Unicode 15, 23.8). *text is then the same text in UTF-8 without the mark, *size_bytes long
 * plus a NUL, and the caller frees it. An unpaired surrogate becomes U+FFFD. UTF-32 byte order marks are not
 * recognised. */
bool text_to_utf8(const uint8_t *bytes, size_t given_bytes, uint8_t **text, size_t *size_bytes);
