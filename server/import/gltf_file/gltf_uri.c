/* gltf_uri.c - decodes percent-escapes and base64 to bytes. */
#include "import/gltf_file/gltf_uri.h"

#include "import/source/source_path.h"

#include "base/mem.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* digits[c]: the value of the character c (RFC 4648, table 1), or -1. A table replaces branches by kind of character,
 * which would be mispredicted half of the time. */
static void base64_digits(int8_t digits[256])
{
    static const char alphabet[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    memset(digits, -1, 256);
    for (int8_t i = 0; i < 64; i++)
        digits[(uint8_t)alphabet[i]] = i;
}

/* Removes ASCII whitespace in place. */
static bool remove_blanks(uint8_t *bytes, size_t *size_bytes)
{
    const size_t before = *size_bytes;
    size_t kept = 0;
    for (size_t i = 0; i < before; i++)
        if (memchr(" \t\n\f\r", bytes[i], 5) == NULL)
            bytes[kept++] = bytes[i];
    *size_bytes = kept;
    return kept < before;
}

/* In place, because the output is never ahead of the input. */
static int base64_decode(uint8_t *bytes, size_t *size_bytes, struct err *err)
{
    size_t end = *size_bytes;
    while (end > 0 && *size_bytes - end < 2 && bytes[end - 1] == '=')
        end--;
    if (end % 4 == 1 || (end != *size_bytes && *size_bytes % 4 != 0))
        return err_set(err, ERR_BAD_MODEL, "the base64 of a data URI has %zu characters, which is no whole group",
                       *size_bytes);
    size_t size = 0;
    uint32_t bits = 0;
    int8_t digits[256];
    base64_digits(digits);
    for (size_t i = 0; i < end; i++) {
        const int digit = digits[bytes[i]];
        if (digit < 0)
            return err_set(err, ERR_BAD_MODEL, "the base64 of a data URI has the character 0x%02x at place %zu",
                           bytes[i], i);
        bits = bits << 6 | (uint32_t)digit;
        if (i % 4 != 0)
            bytes[size++] = (uint8_t)(bits >> (6 - 2 * (i % 4)));
    }
    *size_bytes = size;
    return 0;
}

bool uri_is_data(const char *uri) { return strncasecmp(uri, "data:", 5) == 0; }

int uri_decode(const char *uri, char **out, struct err *err)
{
    char *text = mem_alloc(strlen(uri) + 1);
    const size_t decoded = percent_decode(uri, (uint8_t *)text);
    text[decoded] = '\0';
    if (strlen(text) != decoded) {
        free(text);
        return err_set(err, ERR_BAD_MODEL, "the URI '%.100s' holds an escaped NUL byte", uri);
    }
    *out = text;
    return 0;
}

int uri_read_data(const char *uri, struct data_uri *out, struct err *err)
{
    const char *comma = strchr(uri, ',');
    *out = (struct data_uri){0};
    if (comma == NULL)
        return err_set(err, ERR_BAD_MODEL, "the data URI '%.40s' has no comma", uri);
    out->bytes = mem_alloc(strlen(comma));
    out->size_bytes = percent_decode(comma + 1, out->bytes);
    if (comma - uri < 7 || strncasecmp(comma - 7, ";base64", 7) != 0)
        return 0;
    out->base64 = comma + 1;
    out->has_blanks = remove_blanks(out->bytes, &out->size_bytes);
    if (base64_decode(out->bytes, &out->size_bytes, err) == 0)
        return 0;
    free(out->bytes);
    *out = (struct data_uri){0};
    return err->code;
}
