/* text.h - a growing string, and the encodings in which other strings are appended to it. Without memory the program
 * ends with a message and exit status 3, so that nothing here returns an error. */
#pragma once

#include <stdarg.h>
#include <stddef.h>

struct text {
    char *at; /* NULL until something is appended, then terminated by NUL */
    size_t size_bytes, room_bytes;
};

/* Zeroed memory, realloc() and strdup() that end the program instead of returning NULL. */
void *must_alloc(size_t size_bytes);
void *must_grow(void *memory, size_t size_bytes);
char *must_copy(const char *text);

void text_put(struct text *out, const char *text);
void text_put_bytes(struct text *out, const char *bytes, size_t size_bytes);
void text_printf(struct text *out, const char *format, ...) __attribute__((format(printf, 2, 3)));
void text_vprintf(struct text *out, const char *format, va_list arguments) __attribute__((format(printf, 2, 0)));
/* Percent-encoded for a query: all but letters, digits and -._~/ */
void text_put_url(struct text *out, const char *text);
/* For HTML and XML, in text and in attributes: printable, and characters that XML 1.0 has not become '?'. */
void text_put_xml(struct text *out, const char *text);
/* For people: what a terminal or a page would obey instead of showing it becomes an escape: "\x1b" and "\n" of control
 * characters (C0, DEL), "\u009b" and "\u202e" of C1 and of marks that change the direction of text (U+202A to U+202E,
 * U+2066 to U+2069), "\xff" of a byte that is not UTF-8. Every text of a file, a server or a worker goes through this
 * function, or one that is made of it, where it is printed. NULL is "". */
void text_put_printable(struct text *out, const char *text);
/* JSON for people and programs: the same characters within it as JSON's own escapes, so that it means the same. A byte
 * that is not UTF-8 is U+FFFD, which all readers take. */
void text_put_json(struct text *out, const char *json, size_t size_bytes);
/* Printable, padded with spaces to `columns`. */
void text_put_column(struct text *out, const char *text, size_t columns);
void text_free(struct text *text);

/* The number of characters that text_put_printable() puts, about that of terminal columns. */
size_t text_columns(const char *text);
/* The bytes of the character at `at`; 0 for invalid UTF-8 and at the end. */
size_t text_character_bytes(const char *at);
