#include "wire/http/url.h"

#include "base/hex.h"
#include "base/utf8.h"
#include "wire/encode/number.h"

bool url_next_param(const char **text, size_t *size_bytes, struct url_param *part)
{
    while (*size_bytes > 0 && **text == '&') {
        ++*text;
        --*size_bytes;
    }
    if (*size_bytes == 0)
        return false;
    const char *ampersand = memchr(*text, '&', *size_bytes);
    const size_t part_bytes = ampersand == NULL ? *size_bytes : (size_t)(ampersand - *text);
    const char *equals = memchr(*text, '=', part_bytes);
    part->name = *text;
    part->name_bytes = equals == NULL ? part_bytes : (size_t)(equals - *text);
    part->value = equals == NULL ? *text + part_bytes : equals + 1;
    part->value_bytes = part_bytes - (size_t)(part->value - *text);
    *text += part_bytes;
    *size_bytes -= part_bytes;
    return true;
}

bool url_next_entry(const char **at, const char **entry, size_t *entry_bytes)
{
    if (*at == NULL)
        return false;
    const char *from = *at + strspn(*at, " \t");
    size_t bytes = strcspn(from, ",");
    *at = from[bytes] == ',' ? from + bytes + 1 : NULL;
    while (bytes > 0 && (from[bytes - 1] == ' ' || from[bytes - 1] == '\t'))
        bytes--;
    *entry = from;
    *entry_bytes = bytes;
    return true;
}

ptrdiff_t url_decode(const char *text, size_t size_bytes, bool is_plus_blank, char *out, struct err *err)
{
    char *to = out;
    for (size_t i = 0; i < size_bytes; i++) {
        char c = text[i];
        if (c == '+' && is_plus_blank) {
            c = ' ';
        } else if (c == '%') {
            const int high = size_bytes - i > 2 ? hex_value(text[i + 1]) : -1;
            const int low = size_bytes - i > 2 ? hex_value(text[i + 2]) : -1;
            if (high < 0 || low < 0)
                return err_set(err, ERR_BAD_PARAMETER, "bad percent-escape '%.*s'; a percent sign is written %%25",
                               size_bytes - i < 3 ? (int)(size_bytes - i) : 3, text + i);
            c = (char)(high * 16 + low);
            i += 2;
        }
        if (c == '\0')
            return err_set(err, ERR_BAD_PARAMETER, "a NUL character");
        *to++ = c;
    }
    *to = '\0';
    if (!utf8_is_valid(out, (size_t)(to - out)))
        return err_set(err, ERR_BAD_PARAMETER, "not valid UTF-8");
    return to - out;
}

bool url_find_time(const char *target, size_t target_bytes, struct url_time *out)
{
    const char *end = target + target_bytes, *at = memchr(target, '?', target_bytes);
    for (; at != NULL; at = memchr(at + 1, '&', (size_t)(end - at - 1))) {
        if (end - at < 3 || at[1] != 't' || at[2] != '=')
            continue;
        const char *value = at + 3, *after = memchr(value, '&', (size_t)(end - value));
        const size_t size_bytes = (size_t)((after == NULL ? end : after) - value);
        *out = (struct url_time){.at = (size_t)(value - target), .size_bytes = size_bytes};
        return memchr(value, '+', size_bytes) == NULL && number_parse_part(value, size_bytes, &out->time_s);
    }
    return false;
}
