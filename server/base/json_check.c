/* json_check.c - a JSON parser that stores nothing. */
#include "base/json_check.h"

#include "base/hex.h"

#include <stdint.h>
#include <string.h>

struct cursor {
    const char *start, *at, *end;
    const struct json_rules *rules;
    struct err *err;
    size_t values; /* so far */
    unsigned depth;
    bool is_object[JSON_DEPTH_MAX]; /* at each level: an object is open, not a list */
};

static bool fail(struct cursor *cursor, const char *at, const char *what)
{
    err_set(cursor->err, ERR_BAD_REQUEST, "%s is not JSON at byte %zu: %s", cursor->rules->name,
            (size_t)(at - cursor->start), what);
    return false;
}

/* Returns the next byte, or NUL at the end, where NUL is never valid JSON. */
static char peek(const struct cursor *cursor) { return cursor->at < cursor->end ? *cursor->at : '\0'; }

static bool is_misplaced(struct cursor *cursor)
{
    return fail(cursor, cursor->at,
                cursor->at == cursor->end ? "it ends too early" : "a character that cannot stand there");
}

static bool take(struct cursor *cursor, char c)
{
    const bool is_there = cursor->at < cursor->end && *cursor->at == c;
    cursor->at += is_there;
    return is_there;
}

static bool take_word(struct cursor *cursor, const char *word)
{
    const size_t size = strlen(word);
    const bool is_there = (size_t)(cursor->end - cursor->at) >= size && memcmp(cursor->at, word, size) == 0;
    cursor->at += is_there ? size : 0;
    return is_there;
}

static void skip_blanks(struct cursor *cursor)
{
    while (cursor->rules->has_blanks &&
           (take(cursor, ' ') || take(cursor, '\n') || take(cursor, '\r') || take(cursor, '\t')))
        ;
}

static bool take_digits(struct cursor *cursor)
{
    const char *first = cursor->at;
    while (ascii_is_digit(peek(cursor)))
        cursor->at++;
    return cursor->at > first;
}

/* RFC 8259, section 6. */
static bool take_number(struct cursor *cursor)
{
    const char *first = cursor->at;
    take(cursor, '-');
    bool is_good = take(cursor, '0') || take_digits(cursor);
    if (is_good && take(cursor, '.'))
        is_good = take_digits(cursor);
    if (is_good && (take(cursor, 'e') || take(cursor, 'E'))) {
        if (!take(cursor, '+'))
            take(cursor, '-');
        is_good = take_digits(cursor);
    }
    const char next = peek(cursor);
    if (!is_good || ascii_is_digit(next) || next == '.' || next == '-' || next == '+')
        return fail(cursor, first, "a malformed number");
    return true;
}

/* Called after the backslash. */
static bool take_escape(struct cursor *cursor)
{
    const char kind = peek(cursor);
    if (kind == '\0' || strchr("\"\\/bfnrtu", kind) == NULL)
        return fail(cursor, cursor->at, "a backslash before what it cannot escape");
    cursor->at++;
    bool is_nul = kind == 'u';
    for (int i = 0; i < 4 && kind == 'u'; i++, cursor->at++) {
        const char c = peek(cursor);
        if (hex_value(c) < 0)
            return fail(cursor, cursor->at, "\\u needs four hex digits");
        is_nul = is_nul && c == '0';
    }
    return !is_nul || !cursor->rules->is_without_nul || fail(cursor, cursor->at, "a NUL character in a text");
}

static bool take_string(struct cursor *cursor)
{
    const char *first = cursor->at;
    if (!take(cursor, '"'))
        return is_misplaced(cursor);
    while (cursor->at < cursor->end) {
        const char c = *cursor->at++;
        if (c == '"')
            return true;
        if ((unsigned char)c < 0x20)
            return fail(cursor, cursor->at - 1, "a control character in a text; it is written as \\u escape");
        if (c == '\\' && !take_escape(cursor))
            return false;
    }
    return fail(cursor, first, "a text without an end");
}

static bool count_value(struct cursor *cursor)
{
    if (++cursor->values > cursor->rules->values)
        err_set(cursor->err, ERR_BODY_TOO_LARGE, "%s has more than %zu values", cursor->rules->name,
                cursor->rules->values);
    return cursor->values <= cursor->rules->values;
}

static bool take_key(struct cursor *cursor)
{
    skip_blanks(cursor);
    if (!take_string(cursor) || !count_value(cursor))
        return false;
    skip_blanks(cursor);
    return take(cursor, ':') || is_misplaced(cursor);
}

static bool take_scalar(struct cursor *cursor)
{
    const char first = peek(cursor);
    if (first == '"')
        return take_string(cursor);
    if (first == '-' || ascii_is_digit(first))
        return take_number(cursor);
    return take_word(cursor, "true") || take_word(cursor, "false") || take_word(cursor, "null") || is_misplaced(cursor);
}

/* Enters lists and objects until it has taken a scalar or an empty list or object. */
static bool take_value(struct cursor *cursor)
{
    for (;;) {
        skip_blanks(cursor);
        const bool is_object = take(cursor, '{');
        if (!is_object && !take(cursor, '['))
            return take_scalar(cursor) && count_value(cursor);
        if (cursor->depth == cursor->rules->depth) {
            err_set(cursor->err, ERR_BAD_REQUEST, "%s's brackets are nested deeper than %u", cursor->rules->name,
                    cursor->rules->depth);
            return false;
        }
        if (!count_value(cursor))
            return false;
        skip_blanks(cursor);
        if (take(cursor, is_object ? '}' : ']'))
            return true;
        if (is_object && !take_key(cursor))
            return false;
        cursor->is_object[cursor->depth++] = is_object;
    }
}

static bool take_text(struct cursor *cursor)
{
    if (!take_value(cursor))
        return false;
    for (;;) {
        skip_blanks(cursor);
        if (cursor->depth == 0)
            return cursor->at == cursor->end || is_misplaced(cursor);
        const bool is_object = cursor->is_object[cursor->depth - 1];
        if (take(cursor, is_object ? '}' : ']'))
            cursor->depth--;
        else if (!take(cursor, ','))
            return is_misplaced(cursor);
        else if ((is_object && !take_key(cursor)) || !take_value(cursor))
            return false;
    }
}

int json_check(const char *text, size_t size_bytes, const struct json_rules *rules, struct err *err)
{
    struct cursor cursor = {.start = text, .at = text, .end = text + size_bytes, .rules = rules, .err = err};
    return take_text(&cursor) ? 0 : err->code;
}

bool json_is_compact(const char *text, size_t size_bytes)
{
    static const struct json_rules RULES = {.name = "the text", .depth = JSON_DEPTH_MAX, .values = SIZE_MAX};
    struct err err;
    return json_check(text, size_bytes, &RULES, &err) == 0;
}
