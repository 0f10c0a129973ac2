/* fbx_number_text.c - finds a value in an ASCII record again by counting the values before it. */
#include "import/fbx_file/fbx_number_text.h"

#include "import/fbx_file/fbx_internal.h"

#include <string.h>

static bool is_space(uint8_t c) { return c <= ' ' || c == ','; }

static bool ends_word(uint8_t c) { return is_space(c) || c == '"' || c == ';' || c == '{' || c == '}' || c == ':'; }

/* Skips white space, commas and comments. */
static const uint8_t *pass(const uint8_t *at, const uint8_t *end)
{
    while (at < end && (is_space(*at) || *at == ';'))
        at = *at == ';' ? fbx_pass_comment(at, end) : at + 1;
    return at;
}

/* The word or quote at `at`, or a single sign. */
static struct fbx_span word_at(const uint8_t *at, const uint8_t *end)
{
    const uint8_t *last = at + 1;
    if (*at == '"') {
        const uint8_t *quote = memchr(at + 1, '"', (size_t)(end - at - 1));
        last = quote == NULL ? end : quote + 1;
    } else if (!ends_word(*at)) {
        while (last < end && !ends_word(*last))
            last++;
    }
    return (struct fbx_span){at, (size_t)(last - at)};
}

struct fbx_span fbx_number_text(const struct fbx_file *file, uint32_t record, uint32_t value)
{
    const struct fbx_value *found = fbx_value(file, record, value);
    const struct fbx_span none = fbx_span_of("");
    if (!file->is_ascii || found == NULL || (found->kind != FBX_REAL && found->kind != FBX_INTEGER))
        return none;
    const struct fbx_record *of = &file->records[record];
    const uint8_t *end = file->bytes + file->size_bytes;
    const uint8_t *at = pass(of->name.bytes + of->name.size_bytes, end);
    if (at == end || *at != ':')
        return none;
    struct fbx_span word = {at, 1};
    for (uint32_t i = 0; i <= value; i++) {
        at = pass(word.bytes + word.size_bytes, end);
        if (at == end)
            return none;
        word = word_at(at, end);
    }
    return *word.bytes == '"' ? none : word;
}
