/* Implements growing strings, and the encodings in which text is appended to them. */
#include "clients/cli/output/text.h"

#include "clients/cli/output/terminal.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void *must_grow(void *memory, size_t size_bytes)
{
    void *grown = realloc(memory, size_bytes == 0 ? 1 : size_bytes);
    if (grown == NULL) {
        fputs("posectl: out of memory\n", stderr);
        exit(STATUS_SERVER);
    }
    return grown;
}

void *must_alloc(size_t size_bytes)
{
    void *memory = must_grow(NULL, size_bytes);
    memset(memory, 0, size_bytes);
    return memory;
}

char *must_copy(const char *text)
{
    const size_t size = strlen(text) + 1;
    return memcpy(must_alloc(size), text, size);
}

static void reserve(struct text *out, size_t more_bytes)
{
    if (out->capacity_bytes - out->size_bytes > more_bytes)
        return;
    out->capacity_bytes = (out->size_bytes + more_bytes + 64) * 2;
    out->at = must_grow(out->at, out->capacity_bytes);
}

void text_put_bytes(struct text *out, const char *bytes, size_t size_bytes)
{
    reserve(out, size_bytes);
    if (size_bytes > 0)
        memcpy(out->at + out->size_bytes, bytes, size_bytes);
    out->size_bytes += size_bytes;
    out->at[out->size_bytes] = '\0';
}

void text_put(struct text *out, const char *text) { text_put_bytes(out, text, strlen(text)); }

void text_vprintf(struct text *out, const char *format, va_list arguments)
{
    va_list again;
    va_copy(again, arguments);
    const int size = vsnprintf(NULL, 0, format, arguments);
    if (size > 0) {
        reserve(out, (size_t)size);
        vsnprintf(out->at + out->size_bytes, (size_t)size + 1, format, again);
        out->size_bytes += (size_t)size;
    }
    va_end(again);
}

void text_printf(struct text *out, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    text_vprintf(out, format, arguments);
    va_end(arguments);
}

void text_put_url(struct text *out, const char *text)
{
    for (const char *at = text; *at != '\0'; at++) {
        const unsigned char byte = (unsigned char)*at;
        const char lower = (char)(byte | 0x20);
        if ((lower >= 'a' && lower <= 'z') || (byte >= '0' && byte <= '9') || strchr("-._~/", byte) != NULL)
            text_put_bytes(out, at, 1);
        else
            text_printf(out, "%%%02X", byte);
    }
}

size_t text_character_bytes(const char *at)
{
    const unsigned char first = (unsigned char)at[0];
    if (first < 0x80)
        return first != 0;
    const size_t bytes = first >= 0xf0 && first < 0xf5   ? 4
                         : first >= 0xe0 && first < 0xf0 ? 3
                         : first >= 0xc2 && first < 0xe0 ? 2
                                                         : 0;
    for (size_t i = 1; i < bytes; i++)
        if (((unsigned char)at[i] & 0xc0) != 0x80)
            return 0;
    const unsigned char second = (unsigned char)at[bytes > 1];
    const int is_bad = (first == 0xe0 && second < 0xa0) || (first == 0xed && second > 0x9f) ||
                       (first == 0xf0 && second < 0x90) || (first == 0xf4 && second > 0x8f);
    return is_bad ? 0 : bytes;
}

/* Returns the code point of a character of 1 to 3 bytes; 0 for a longer one. */
static unsigned code_point(const char *at, size_t bytes)
{
    const unsigned first = (unsigned char)at[0], second = bytes > 1 ? (unsigned char)at[1] & 0x3fu : 0;
    return bytes == 1   ? first
           : bytes == 2 ? (first & 0x1f) << 6 | second
           : bytes == 3 ? (first & 0x0f) << 12 | second << 6 | ((unsigned char)at[2] & 0x3fu)
                        : 0;
}

/* Returns whether terminals obey the character: C0, DEL and C1, which XML 1.0 forbids too, and marks of direction,
 * which make one text look like another (Unicode Standard Annex 9). */
static bool is_obeyed(unsigned code)
{
    return code < 0x20 || (code >= 0x7f && code < 0xa0) || (code >= 0x202a && code <= 0x202e) ||
           (code >= 0x2066 && code <= 0x2069) || code == 0x061c || code == 0x200e || code == 0x200f;
}

/* Returns whether the character at `at` is shown unchanged; `bytes`: from text_character_bytes(). */
static bool is_shown(const char *at, size_t bytes)
{
    return bytes > 3 || (bytes > 0 && !is_obeyed(code_point(at, bytes)));
}

enum { ESCAPE_BYTES = 8 };

/* Puts the escape to show instead. */
static void escape(const char *at, size_t bytes, char out[ESCAPE_BYTES])
{
    const unsigned code = code_point(at, bytes);
    if (bytes == 1 && (code == '\n' || code == '\t' || code == '\r'))
        snprintf(out, ESCAPE_BYTES, "\\%c", code == '\n' ? 'n' : code == '\t' ? 't' : 'r');
    else if (bytes < 2)
        snprintf(out, ESCAPE_BYTES, "\\x%02x", (unsigned)(unsigned char)at[0]);
    else
        snprintf(out, ESCAPE_BYTES, "\\u%04x", code & 0xffff);
}

void text_put_xml(struct text *out, const char *text)
{
    for (const char *at = text == NULL ? "" : text; *at != '\0';) {
        const size_t bytes = text_character_bytes(at);
        char escaped[ESCAPE_BYTES];
        if (*at == '&')
            text_put(out, "&amp;");
        else if (*at == '<')
            text_put(out, "&lt;");
        else if (*at == '>')
            text_put(out, "&gt;");
        else if (*at == '"')
            text_put(out, "&quot;");
        else if (*at == '\'')
            text_put(out, "&#39;");
        else if (*at == '\n' || *at == '\t')
            text_put(out, " ");
        else if (!is_shown(at, bytes)) {
            escape(at, bytes, escaped);
            text_put(out, escaped);
        } else if (memcmp(at, "\xef\xbf\xbe", bytes) == 0 || memcmp(at, "\xef\xbf\xbf", bytes) == 0)
            text_put(out, "?");
        else
            text_put_bytes(out, at, bytes);
        at += bytes == 0 ? 1 : bytes;
    }
}

void text_put_printable(struct text *out, const char *text)
{
    for (const char *at = text == NULL ? "" : text; *at != '\0';) {
        const size_t bytes = text_character_bytes(at);
        char escaped[ESCAPE_BYTES];
        if (is_shown(at, bytes)) {
            text_put_bytes(out, at, bytes);
        } else {
            escape(at, bytes, escaped);
            text_put(out, escaped);
        }
        at += bytes == 0 ? 1 : bytes;
    }
}

void text_put_json(struct text *out, const char *json, size_t size_bytes)
{
    struct text whole = {0}; /* adds the NUL, which no character contains */
    text_put_bytes(&whole, json, size_bytes);
    text_put(out, "");
    for (const char *at = whole.at; at < whole.at + size_bytes;) {
        const size_t bytes = text_character_bytes(at);
        if (is_shown(at, bytes) || *at == '\n' || *at == '\t' || *at == '\r')
            text_put_bytes(out, at, bytes);
        else
            text_printf(out, "\\u%04x", bytes == 0 && *at != '\0' ? 0xfffdu : code_point(at, bytes));
        at += bytes == 0 ? 1 : bytes;
    }
    text_free(&whole);
}

size_t text_columns(const char *text)
{
    size_t columns = 0;
    for (const char *at = text == NULL ? "" : text; *at != '\0';) {
        const size_t bytes = text_character_bytes(at);
        char escaped[ESCAPE_BYTES] = "1";
        if (!is_shown(at, bytes))
            escape(at, bytes, escaped);
        columns += strlen(escaped);
        at += bytes == 0 ? 1 : bytes;
    }
    return columns;
}

void text_put_column(struct text *out, const char *text, size_t columns)
{
    text_put_printable(out, text);
    for (size_t i = text_columns(text); i < columns; i++)
        text_put_bytes(out, " ", 1);
}

void text_free(struct text *text)
{
    free(text->at);
    *text = (struct text){0};
}
