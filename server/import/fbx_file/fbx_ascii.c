/* fbx_ascii.c - reads the records of an ASCII file (fbx_file.h gives the format's source).
 *
 * A word before a colon begins a record. Its values continue, over lines, to the next such word or brace. Commas only
 * separate; the SDK has written some before the first value. */
#include "import/fbx_file/fbx_internal.h"

#include <string.h>

struct reader {
    struct fbx_file *file;
    struct fbx_levels levels;
    const uint8_t *at, *end;
    struct err *err;
};

static bool is_sign(const struct fbx_token *token, char sign)
{
    return token->kind == FBX_TOKEN_SIGN && token->text.bytes[0] == (uint8_t)sign;
}

static int unexpected(struct reader *reader, uint32_t record, const struct fbx_token *token)
{
    const unsigned long long byte = (unsigned long long)(token->text.bytes - reader->file->bytes);
    if (token->kind == FBX_TOKEN_BROKEN)
        return fbx_bad(reader->file, record, reader->err, "the quote at byte %llu does not end", byte);
    if (token->kind == FBX_TOKEN_END)
        return fbx_bad(reader->file, record, reader->err, "the file ends within the record");
    return fbx_bad(reader->file, record, reader->err, "the '%.1s' at byte %llu is out of place",
                   (const char *)token->text.bytes, byte);
}

/* Whether a colon follows a word. */
static bool colon_follows(const struct reader *reader)
{
    const uint8_t *at = reader->at;
    while (at < reader->end && (*at == ' ' || *at == '\t'))
        at++;
    return at < reader->end && *at == ':';
}

/* After "*": "N { a: numbers }", whatever the name. */
static int read_array(struct reader *reader, uint32_t record)
{
    struct fbx_array array = {.type = 'a'};
    struct fbx_token token = fbx_next_token(&reader->at, reader->end); /* N, ignored: values are counted */
    if (token.kind != FBX_TOKEN_WORD)
        return unexpected(reader, record, &token);
    const uint8_t *before = reader->at;
    token = fbx_next_token(&reader->at, reader->end);
    if (!is_sign(&token, '{')) { /* nothing but N */
        reader->at = before;
        *fbx_add_value(reader->file, record) = (struct fbx_value){.kind = FBX_ARRAY, .array = array};
        return 0;
    }
    token = fbx_next_token(&reader->at, reader->end);
    if (token.kind == FBX_TOKEN_WORD && colon_follows(reader)) {
        fbx_next_token(&reader->at, reader->end);
        array.span.bytes = reader->at;
        for (;;) {
            array.count += fbx_pass_words(&reader->at, reader->end);
            token = fbx_next_token(&reader->at, reader->end);
            if (is_sign(&token, '}'))
                break;
            if (token.kind != FBX_TOKEN_WORD && token.kind != FBX_TOKEN_QUOTE && !is_sign(&token, ','))
                return unexpected(reader, record, &token);
            array.count += !is_sign(&token, ',');
        }
    } else if (is_sign(&token, '}')) {
        array.span.bytes = token.text.bytes;
    } else {
        return unexpected(reader, record, &token);
    }
    array.span.size_bytes = (size_t)(token.text.bytes - array.span.bytes);
    *fbx_add_value(reader->file, record) = (struct fbx_value){.kind = FBX_ARRAY, .array = array};
    return 0;
}

/* When the values exceed FBX_VALUES_MAX by one, they become a list, which the next values extend. */
static void add_value(struct reader *reader, uint32_t record, const struct fbx_token *token, struct fbx_array *list)
{
    if (list->count == 0)
        *list = (struct fbx_array){.span.bytes = token->text.bytes - (token->kind == FBX_TOKEN_QUOTE), .type = 'a'};
    list->count++;
    list->span.size_bytes = (size_t)(reader->at - list->span.bytes);
    if (list->count > FBX_VALUES_MAX) {
        if (list->count == FBX_VALUES_MAX + 1)
            fbx_set_list(reader->file, record, *list);
        reader->file->values[reader->file->records[record].value_first].array = *list;
        return;
    }
    fbx_token_value(reader->file, token, fbx_add_value(reader->file, record));
}

/* The values after a name and its colon, and the brace that opens its children. */
static int read_values(struct reader *reader, uint32_t record)
{
    struct fbx_array list = {0};
    for (;;) {
        const uint8_t *before = reader->at;
        const struct fbx_token token = fbx_next_token(&reader->at, reader->end);
        if (is_sign(&token, ','))
            continue;
        if (is_sign(&token, '{'))
            return fbx_open_level(reader->file, &reader->levels, record, 0, reader->err);
        if (is_sign(&token, '*')) {
            if (read_array(reader, record) < 0)
                return reader->err->code;
        } else if (is_sign(&token, '}') || token.kind == FBX_TOKEN_END ||
                   (token.kind == FBX_TOKEN_WORD && colon_follows(reader))) {
            reader->at = before;
            return 0;
        } else if (token.kind == FBX_TOKEN_WORD || token.kind == FBX_TOKEN_QUOTE) {
            add_value(reader, record, &token, &list);
        } else {
            return unexpected(reader, record, &token);
        }
    }
}

static const uint8_t *pass_blanks(const uint8_t *at, const uint8_t *end)
{
    while (at < end && *at <= ' ')
        at++;
    return at;
}

/* "; FBX 7.5.0 project file" is the SDK's first line. */
static uint32_t comment_version(const uint8_t *at, const uint8_t *end)
{
    static const char PARTS[] = ";FBX";
    enum { DIGITS_BYTES = 5 };
    for (const char *part = PARTS; *part != '\0'; part++) {
        at = *part == 'F' || part == PARTS ? pass_blanks(at, end) : at;
        if (at == end || *at++ != (uint8_t)*part)
            return 0;
    }
    const uint8_t *digits = pass_blanks(at, end);
    if (end - digits < DIGITS_BYTES)
        return 0;
    for (int i = 0; i < DIGITS_BYTES; i++)
        if (i % 2 == 1 ? digits[i] != '.' : digits[i] < '0' || digits[i] > '9')
            return 0;
    return (uint32_t)((digits[0] - '0') * 1000 + (digits[2] - '0') * 100 + (digits[4] - '0') * 10);
}

static int read_record(struct reader *reader, const struct fbx_token *name)
{
    const uint32_t record = fbx_add_record(reader->file, &reader->levels, name->text,
                                           (uint64_t)(name->text.bytes - reader->file->bytes), reader->err);
    if (record == FBX_NONE)
        return reader->err->code;
    const struct fbx_token colon = fbx_next_token(&reader->at, reader->end);
    return is_sign(&colon, ':') ? read_values(reader, record) : unexpected(reader, record, &colon);
}

int fbx_ascii_read(struct fbx_file *file, struct err *err)
{
    const uint8_t *end = file->bytes + file->size_bytes;
    struct reader reader = {.file = file, .at = fbx_pass_mark(file->bytes, end), .end = end, .err = err};
    struct fbx_levels *levels = &reader.levels;
    levels->stack[0] = (struct fbx_level){FBX_NONE, FBX_NONE, 0};
    file->version = comment_version(reader.at, end);
    for (;;) {
        const struct fbx_token token = fbx_next_token(&reader.at, reader.end);
        if (token.kind == FBX_TOKEN_END && levels->depth == 0)
            return 0;
        if (is_sign(&token, '}') && levels->depth > 0)
            levels->depth--;
        else if (token.kind != FBX_TOKEN_WORD)
            return unexpected(&reader, levels->stack[levels->depth].record, &token);
        else if (read_record(&reader, &token) < 0)
            return err->code;
    }
}
