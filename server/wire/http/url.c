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

enum { NAME_MAX_BYTES = 32 };

static size_t least(size_t a, size_t b) { return a < b ? a : b; }

/* Returns the number of insertions, deletions, substitutions and transpositions of neighbours from a to b; both have at
 * most NAME_MAX_BYTES bytes. */
static size_t distance(const char *a, size_t a_bytes, const char *b, size_t b_bytes)
{
    size_t rows[3][NAME_MAX_BYTES + 1]; /* the last two rows and the current one, by i % 3 */
    for (size_t j = 0; j <= b_bytes; j++)
        rows[0][j] = j;
    for (size_t i = 1; i <= a_bytes; i++) {
        size_t *row = rows[i % 3];
        const size_t *above = rows[(i - 1) % 3];
        row[0] = i;
        for (size_t j = 1; j <= b_bytes; j++) {
            row[j] = least(least(above[j], row[j - 1]) + 1, above[j - 1] + (a[i - 1] != b[j - 1]));
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
                row[j] = least(row[j], rows[(i - 2) % 3][j - 2] + 1);
        }
    }
    return rows[a_bytes % 3][b_bytes];
}

/* Which characters a name has. Each one that another name lacks takes an edit at least. */
static uint64_t characters_of(const char *name, size_t size_bytes)
{
    uint64_t set = 0;
    for (size_t i = 0; i < size_bytes; i++)
        set |= UINT64_C(1) << ((unsigned char)name[i] % 64);
    return set;
}

/* Tells most names apart without their distance, which takes the product of both lengths. */
static bool is_far(const char *a, size_t a_bytes, const char *b, size_t b_bytes, size_t allowed)
{
    const uint64_t in_a = characters_of(a, a_bytes), in_b = characters_of(b, b_bytes);
    return (a_bytes > b_bytes ? a_bytes - b_bytes : b_bytes - a_bytes) > allowed ||
           (size_t)__builtin_popcountll(in_a & ~in_b) > allowed || (size_t)__builtin_popcountll(in_b & ~in_a) > allowed;
}

const char *nearest_name(const char *name, const char *const *names, size_t count)
{
    const size_t name_bytes = strlen(name);
    if (name_bytes > NAME_MAX_BYTES)
        return NULL;
    const char *nearest = NULL;
    size_t nearest_distance = SIZE_MAX;
    for (size_t i = 0; i < count; i++) {
        const size_t other_bytes = strlen(names[i]);
        if (other_bytes > NAME_MAX_BYTES)
            continue;
        const size_t longer = other_bytes > name_bytes ? other_bytes : name_bytes;
        const size_t allowed = longer < 6 ? 1 : longer / 3;
        if (is_far(name, name_bytes, names[i], other_bytes, allowed))
            continue;
        const size_t d = distance(name, name_bytes, names[i], other_bytes);
        if (d <= allowed && d < nearest_distance) {
            nearest = names[i];
            nearest_distance = d;
        }
    }
    return nearest;
}
