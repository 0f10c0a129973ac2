/* text.h - a growing string, and the encodings in which it appends other strings. If memory runs out, the program ends
 * with a message and exit status 3, so nothing here returns an error. */
#pragma once

#include <stdarg.h>
#include <stddef.h>

struct text {
    char *at; /* NULL until something is appended; NUL-terminated from then on */
    size_t size_bytes, capacity_bytes;
};

/* calloc(), realloc() and strdup() that end the program instead of returning NULL. */
void *must_alloc(size_t size_bytes);
void *must_grow(void *memory, size_t size_bytes);
char *must_copy(const char *text);

void text_put(struct text *out, const char *text);
void text_put_bytes(struct text *out, const char *bytes, size_t size_bytes);
void text_printf(struct text *out, const char *format, ...) __attribute__((format(printf, 2, 3)));
void text_vprintf(struct text *out, const char *format, va_list arguments) __attribute__((format(printf, 2, 0)));
/* Appends percent-encoded text for a query: encodes all bytes but letters, digits and -._~/ */
void text_put_url(struct text *out, const char *text);
/* Appends printable text for HTML and XML, in text and in attributes. Characters that XML 1.0 does not allow become
 * '?'. */
void text_put_xml(struct text *out, const char *text);
/* Appends text for people. Everything that a terminal or a page would obey instead of showing becomes an escape: "\x1b"
 * and "\n" for control characters (C0, DEL), "\u009b" and "\u202e" for C1 and for marks that change the direction of
 * text (U+202A to U+202E, U+2066 to U+2069), "\xff" for a byte that is not UTF-8. Every printed text that comes from a
 * file, a server or a worker goes through this function or one built on it. NULL is "". */
void text_put_printable(struct text *out, const char *text);
/* Appends JSON for people and programs. The same characters become JSON's own escapes, so the meaning stays the same. A
 * byte that is not UTF-8 becomes U+FFFD, which all readers accept. */
void text_put_json(struct text *out, const char *json, size_t size_bytes);
/* Appends printable text, padded with spaces to `columns`. */
void text_put_column(struct text *out, const char *text, size_t columns);
void text_free(struct text *text);

/* Returns the number of characters that text_put_printable() appends. It is about the number of terminal columns. */
size_t text_columns(const char *text);
/* Returns the size in bytes of the character at `at`; 0 for invalid UTF-8 and at the end. */
size_t text_character_bytes(const char *at);
