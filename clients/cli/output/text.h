/* text.h - a text that grows, and the ways in which other texts are written into it. A program that is out of memory
 * ends with a sentence (exit status 3), so nothing here fails. */
#pragma once

#include <stdarg.h>
#include <stddef.h>

struct text {
    char *at; /* ended by NUL once something was put */
    size_t size_bytes, room_bytes;
};

/* malloc and realloc that end the program instead of returning NULL. */
void *must_alloc(size_t size_bytes);
void *must_grow(void *memory, size_t size_bytes);
char *must_copy(const char *text);

void text_put(struct text *out, const char *text);
void text_put_bytes(struct text *out, const char *bytes, size_t size_bytes);
void text_printf(struct text *out, const char *format, ...) __attribute__((format(printf, 2, 3)));
void text_vprintf(struct text *out, const char *format, va_list arguments) __attribute__((format(printf, 2, 0)));
/* Percent-encoded for a query: all but letters, digits and -._~/ */
void text_put_url(struct text *out, const char *text);
/* For HTML and XML, in text and in attributes; characters that XML 1.0 has not become '?'. */
void text_put_xml(struct text *out, const char *text);
/* For people: control characters, which a terminal would obey, and bad UTF-8 become '?'. */
void text_put_printable(struct text *out, const char *text);
/* Shown, then spaces up to `columns`. */
void text_put_column(struct text *out, const char *text, size_t columns);
void text_free(struct text *text);

/* Characters of UTF-8: how many columns a text takes, near enough. */
size_t text_columns(const char *text);
/* Bytes of the character at `at`, 0 when it is no UTF-8 (or the end). */
size_t text_character_bytes(const char *at);
