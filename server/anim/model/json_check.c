/* json_check.c - a JSON parser that keeps nothing. */
#include "anim/model/json_check.h"

#include <string.h>

struct cursor {
    const char *at, *end;
};

static bool take(struct cursor *cursor, char c)
{
    if (cursor->at == cursor->end || *cursor->at != c)
        return false;
    cursor->at++;
    return true;
}

static bool take_word(struct cursor *cursor, const char *word)
{
    const size_t size = strlen(word);
    if ((size_t)(cursor->end - cursor->at) < size || memcmp(cursor->at, word, size) != 0)
        return false;
    cursor->at += size;
    return true;
}

static bool is_digit(char c) { return c >= '0' && c <= '9'; }

static bool take_digits(struct cursor *cursor)
{
    const char *first = cursor->at;
    while (cursor->at < cursor->end && is_digit(*cursor->at))
        cursor->at++;
    return cursor->at > first;
}

static bool take_number(struct cursor *cursor)
{
    take(cursor, '-');
    if (!take(cursor, '0') && !take_digits(cursor))
        return false;
    if (take(cursor, '.') && !take_digits(cursor))
        return false;
    if (!take(cursor, 'e') && !take(cursor, 'E'))
        return true;
    if (!take(cursor, '+'))
        take(cursor, '-');
    return take_digits(cursor);
}

static bool take_escape(struct cursor *cursor)
{
    if (cursor->at == cursor->end)
        return false;
    const char kind = *cursor->at++;
    if (kind != 'u')
        return memchr("\"\\/bfnrt", kind, 8) != NULL;
    for (int i = 0; i < 4; i++) {
        const char c = cursor->at < cursor->end ? *cursor->at++ : '\0';
        if (!is_digit(c) && !((c | 0x20) >= 'a' && (c | 0x20) <= 'f'))
            return false;
    }
    return true;
}

static bool take_string(struct cursor *cursor)
{
    if (!take(cursor, '"'))
        return false;
    while (cursor->at < cursor->end) {
        const char c = *cursor->at++;
        if (c == '"')
            return true;
        if ((unsigned char)c < 0x20 || (c == '\\' && !take_escape(cursor)))
            return false;
    }
    return false;
}

static bool take_key(struct cursor *cursor) { return take_string(cursor) && take(cursor, ':'); }

static bool take_scalar(struct cursor *cursor)
{
    if (cursor->at == cursor->end)
        return false;
    switch (*cursor->at) {
    case '"':
        return take_string(cursor);
    case 't':
        return take_word(cursor, "true");
    case 'f':
        return take_word(cursor, "false");
    case 'n':
        return take_word(cursor, "null");
    default:
        return take_number(cursor);
    }
}

/* The lists and objects that are open. */
struct nesting {
    bool is_object[JSON_CHECK_DEPTH_MAX];
    size_t depth;
};

/* Opens lists and objects up to the next scalar or empty one, and takes that. */
static bool take_value(struct cursor *cursor, struct nesting *nesting)
{
    for (;;) {
        const bool is_object = take(cursor, '{');
        if (!is_object && !take(cursor, '['))
            return take_scalar(cursor);
        if (take(cursor, is_object ? '}' : ']'))
            return true;
        if (nesting->depth == JSON_CHECK_DEPTH_MAX || (is_object && !take_key(cursor)))
            return false;
        nesting->is_object[nesting->depth++] = is_object;
    }
}

bool json_check(const char *text, size_t size_bytes)
{
    struct cursor cursor = {text, text + size_bytes};
    struct nesting nesting = {.depth = 0};
    if (!take_value(&cursor, &nesting))
        return false;
    while (nesting.depth > 0) {
        const bool is_object = nesting.is_object[nesting.depth - 1];
        if (take(&cursor, is_object ? '}' : ']')) {
            nesting.depth--;
            continue;
        }
        if (!take(&cursor, ',') || (is_object && !take_key(&cursor)) || !take_value(&cursor, &nesting))
            return false;
    }
    return cursor.at == cursor.end;
}
