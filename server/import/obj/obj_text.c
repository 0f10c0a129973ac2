#include "import/obj/obj.h"

#include "base/ascii.h"
#include "import/text/text_number.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum { WORD_SHOWN_MAX = 40, NUMBER_BYTES_MAX = 400 };

static bool is_line_end(char c) { return c == '\n' || c == '\r'; }
static bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\v' || c == '\f' || c == '\0'; }
static bool is_continued(const char *at) { return at[0] == '\\' && is_line_end(at[1]); }
static bool ends_word(const char *at) { return is_blank(*at) || is_line_end(*at) || is_continued(at); }

/* Lines end with LF, CR LF, or CR alone. */
static void pass_line_end(struct obj_text *text)
{
    text->at += text->at[0] == '\r' && text->at[1] == '\n' ? 2 : 1;
    text->line++;
}

static void skip_blanks(struct obj_text *text)
{
    while (text->at < text->end && (is_blank(*text->at) || is_continued(text->at)))
        if (*text->at++ == '\\')
            pass_line_end(text);
}

/* A comment is not continued: paths of Windows in comments end in a backslash. One may follow values. */
static void end_line(struct obj_text *text, bool is_comment)
{
    while (text->at < text->end && !is_line_end(*text->at)) {
        is_comment = is_comment || (*text->at == '#' && is_blank(text->at[-1]));
        const bool is_joined = !is_comment && is_continued(text->at);
        text->at++;
        if (is_joined)
            pass_line_end(text);
    }
    if (text->at < text->end)
        pass_line_end(text);
}

bool obj_next_line(struct obj_text *text, struct obj_word *keyword)
{
    if (text->line == 0)
        text->line = 1;
    else
        end_line(text, false);
    for (;;) {
        *keyword = obj_next_word(text);
        if (keyword->length > 0 && keyword->begin[0] != '#')
            return true;
        if (text->at == text->end)
            return false;
        end_line(text, true);
    }
}

struct obj_word obj_next_word(struct obj_text *text)
{
    skip_blanks(text);
    struct obj_word word = {.begin = text->at};
    while (text->at < text->end && !ends_word(text->at))
        text->at++;
    word.length = (size_t)(text->at - word.begin);
    return word;
}

struct obj_word obj_rest(struct obj_text *text)
{
    skip_blanks(text);
    struct obj_word word = {.begin = text->at};
    while (text->at < text->end && !is_line_end(*text->at))
        text->at++;
    word.length = (size_t)(text->at - word.begin);
    while (word.length > 0 && is_blank(word.begin[word.length - 1]))
        word.length--;
    return word;
}

/* "0,5" */
static bool has_comma(struct obj_word word, double *value)
{
    char copy[NUMBER_BYTES_MAX + 1];
    const char *comma = memchr(word.begin, ',', word.length);
    if (comma == NULL || word.length > NUMBER_BYTES_MAX)
        return false;
    memcpy(copy, word.begin, word.length);
    copy[word.length] = '\0';
    copy[comma - word.begin] = '.';
    char *end;
    *value = strtod(copy, &end);
    return end == copy + word.length;
}

static bool number_of(struct obj_word word, double *value)
{
    char *end;
    if (text_plain_number(word.begin, word.length, value))
        return true;
    if (word.length == 0)
        return false;
    *value = strtod(word.begin, &end);
    if (end == word.begin + word.length || has_comma(word, value))
        return true;
    if (end > word.begin && *end == '#' && end[-1] == '.') /* "1.#QNAN", "-1.#IND", as older Windows prints them */
        *value = (double)NAN;
    return end > word.begin && *end == '#';
}

uint32_t obj_numbers(struct obj_text *text, double *out, uint32_t most)
{
    uint32_t count = 0;
    for (; count < most; count++) {
        struct obj_text ahead = *text;
        if (!number_of(obj_next_word(&ahead), &out[count]))
            break;
        *text = ahead;
    }
    return count;
}

bool obj_index(struct obj_text *text, int64_t *index)
{
    const char *at = text->at;
    const bool is_negative = *at == '-';
    int64_t value = 0;
    at += *at == '-' || *at == '+';
    const char *first = at;
    for (; at < text->end && ascii_is_digit(*at); at++)
        if (value < INT64_MAX / 100)
            value = value * 10 + (*at - '0');
    if (at == first)
        return false;
    *index = is_negative ? -value : value;
    text->at = at;
    return true;
}

bool obj_is(struct obj_word word, const char *wanted)
{
    return word.length == strlen(wanted) && strncasecmp(word.begin, wanted, word.length) == 0;
}

int obj_shown(struct obj_word word) { return (int)(word.length < WORD_SHOWN_MAX ? word.length : WORD_SHOWN_MAX); }

void obj_skip(struct obj_skipped *skipped, const struct obj_text *text, struct obj_word keyword)
{
    if (skipped->count++ > 0)
        return;
    skipped->line = text->line;
    skipped->keyword = keyword;
}

void obj_warn_of_skipped(struct import *import, const struct obj_skipped *skipped, const char *where)
{
    if (skipped->count > 0)
        bake_warn(import->builder, "elements_ignored",
                  "%s: statements that are not read: %u, the first of them '%.*s' in line %u", where, skipped->count,
                  obj_shown(skipped->keyword), skipped->keyword.begin, skipped->line);
}
