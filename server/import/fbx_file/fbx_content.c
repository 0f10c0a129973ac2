/* fbx_content.c - embedded files: raw bytes in binary files, base64 (RFC 4648) in ASCII ones, in one piece or several.
 */
#include "base/base64.h"
#include "base/mem.h"
#include "import/fbx_file/fbx_file.h"

#include <stdlib.h>
#include <string.h>

static bool is_base64(struct fbx_span piece)
{
    for (size_t i = 0; i < piece.size_bytes; i++)
        if (piece.bytes[i] > ' ' && piece.bytes[i] != '=' && base64_digit(piece.bytes[i]) < 0)
            return false;
    return true;
}

static int join(const struct fbx_file *file, uint32_t record, const struct fbx_value *values, uint32_t count,
                uint8_t *out, size_t *size_bytes, struct err *err)
{
    struct base64_bits bits = {0};
    for (uint32_t i = 0; i < count; i++) {
        if (values[i].kind != FBX_TEXT && values[i].kind != FBX_BYTES)
            continue;
        const struct fbx_span piece = values[i].span;
        if (!file->is_ascii) {
            memcpy(out + *size_bytes, piece.bytes, piece.size_bytes);
            *size_bytes += piece.size_bytes;
        } else if (is_base64(piece)) {
            *size_bytes += base64_decode_pieces(&bits, piece.bytes, piece.size_bytes, out + *size_bytes);
        } else {
            return fbx_bad(file, record, err, "its base64 has a character that is none");
        }
    }
    return 0;
}

int fbx_content(const struct fbx_file *file, uint32_t record, struct fbx_span *out, uint8_t **owned, struct err *err)
{
    struct fbx_value *values;
    uint32_t count;
    *out = fbx_span_of("");
    *owned = NULL;
    if (!file->is_ascii && fbx_value_count(file, record) == 1) {
        *out = fbx_text(file, record, 0);
        return 0;
    }
    if (fbx_values(file, record, &values, &count, err) < 0)
        return err->code;
    size_t most = 0, size_bytes = 0;
    for (uint32_t i = 0; i < count; i++)
        most += values[i].kind == FBX_TEXT || values[i].kind == FBX_BYTES ? values[i].span.size_bytes : 0;
    if (most > 0) {
        *owned = mem_alloc(most);
        if (join(file, record, values, count, *owned, &size_bytes, err) == 0) {
            *out = (struct fbx_span){*owned, size_bytes};
        } else {
            free(*owned);
            *owned = NULL;
            free(values);
            return err->code;
        }
    }
    free(values);
    return 0;
}

/* Texts that had to be decoded are elsewhere in memory. */
static bool is_in_file(const struct fbx_file *file, struct fbx_span span)
{
    const uintptr_t first = (uintptr_t)file->bytes, at = (uintptr_t)span.bytes;
    return at >= first && at - first <= file->size_bytes && span.size_bytes <= file->size_bytes - (at - first);
}

struct fbx_span fbx_content_text(const struct fbx_file *file, uint32_t record)
{
    const uint32_t count = fbx_value_count(file, record);
    struct fbx_span text = fbx_span_of("");
    for (uint32_t i = 0; i < count; i++) {
        const struct fbx_value *value = fbx_value(file, record, i);
        const struct fbx_span span = value->kind == FBX_TEXT    ? value->span
                                     : value->kind == FBX_ARRAY ? value->array.span /* many pieces */
                                                                : fbx_span_of("");
        if (span.size_bytes == 0)
            continue;
        if (!is_in_file(file, span))
            return fbx_span_of("");
        if (text.size_bytes == 0)
            text = span;
        text.size_bytes = (size_t)(span.bytes + span.size_bytes - text.bytes);
    }
    return text;
}
