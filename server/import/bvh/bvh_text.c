/* bvh_text.c - words, names and numbers of a BVH file. */
#include "import/bvh/bvh.h"

#include "base/ascii.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum { WORD_SHOWN_MAX = 40 };

static bool is_line_end(char c) { return c == '\n' || c == '\r'; }
static bool is_space(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }
static bool is_brace(char c) { return c == '{' || c == '}'; }

/* Lines end with LF, CR LF, or CR alone. */
static void skip_space(struct bvh_text *text)
{
    for (; text->at < text->end && is_space(*text->at); text->at++)
        text->line += *text->at == '\n' || (*text->at == '\r' && text->at[1] != '\n');
}

static void skip_blanks(struct bvh_text *text)
{
    while (text->at < text->end && is_space(*text->at) && !is_line_end(*text->at))
        text->at++;
}

struct bvh_word bvh_next(struct bvh_text *text)
{
    skip_space(text);
    struct bvh_word word = {.begin = text->at};
    if (text->at < text->end && is_brace(*text->at))
        text->at++;
    else
        while (text->at < text->end && !is_space(*text->at) && !is_brace(*text->at))
            text->at++;
    word.length = (size_t)(text->at - word.begin);
    return word;
}

struct bvh_word bvh_peek(const struct bvh_text *text)
{
    struct bvh_text ahead = *text;
    return bvh_next(&ahead);
}

bool bvh_is(struct bvh_word word, const char *wanted)
{
    return word.length == strlen(wanted) && strncasecmp(word.begin, wanted, word.length) == 0;
}

struct bvh_word bvh_name(struct bvh_text *text)
{
    skip_space(text);
    struct bvh_word name = {.begin = text->at};
    while (text->at < text->end && !is_line_end(*text->at) && !is_brace(*text->at))
        text->at++;
    name.length = (size_t)(text->at - name.begin);
    while (name.length > 0 && is_space(name.begin[name.length - 1]))
        name.length--;
    return name;
}

bool bvh_skip_label(struct bvh_text *text, const char *label)
{
    struct bvh_text ahead = *text;
    skip_space(&ahead);
    for (; *label != '\0'; label++) {
        if (*label == ' ')
            skip_blanks(&ahead);
        else if (ahead.at < ahead.end && ascii_lower(*ahead.at) == *label)
            ahead.at++;
        else
            return false;
    }
    *text = ahead;
    return true;
}

bool bvh_line_ends(const struct bvh_text *text)
{
    struct bvh_text ahead = *text;
    skip_blanks(&ahead);
    return ahead.at == ahead.end || is_line_end(*ahead.at);
}

/* strtod() alone would take "nan", "infinity" and hexadecimal digits. */
bool bvh_number(struct bvh_word word, double *value)
{
    char *end;
    if (word.length == 0 || strspn(word.begin, "0123456789+-.eE") < word.length)
        return false;
    *value = strtod(word.begin, &end);
    return end == word.begin + word.length && isfinite((float)*value);
}

int bvh_unexpected(const struct bvh_text *text, const char *where, const char *wanted, struct err *err)
{
    struct bvh_text ahead = *text;
    const struct bvh_word word = bvh_next(&ahead);
    if (word.length == 0)
        return err_set(err, ERR_BAD_MODEL, "line %u: %s: the file ends where %s is expected", ahead.line, where,
                       wanted);
    return err_set(err, ERR_BAD_MODEL, "line %u: %s: %s is expected, not '%.*s'", ahead.line, where, wanted,
                   (int)(word.length < WORD_SHOWN_MAX ? word.length : WORD_SHOWN_MAX), word.begin);
}
