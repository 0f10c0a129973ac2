/* fbx_content.c - embedded files: raw bytes in binary files, base64 (RFC 4648) in ASCII ones, in one piece or several.
 */
#include "base/mem.h"
#include "import/fbx_file/fbx_file.h"

#include <stdlib.h>
#include <string.h>

/* -1: none of base64's. */
static int digit(uint8_t c)
{
    if (c >= 'A' && c <= 'Z')
        return c - 'A';
    if (c >= 'a' && c <= 'z')
        return c - 'a' + 26;
    if (c >= '0' && c <= '9')
        return c - '0' + 52;
    return c == '+' ? 62 : c == '/' ? 63 : -1;
}

/* Decodes into `out`, which is large enough. Padding ends a piece, so separately encoded pieces decode correctly. */
static bool decode(struct fbx_span piece, uint8_t *out, size_t *size_bytes, uint32_t *bits, unsigned *bit_count)
{
    for (size_t i = 0; i < piece.size_bytes; i++) {
        const uint8_t c = piece.bytes[i];
        const int six = digit(c);
        if (six < 0) {
            if (c > ' ' && c != '=')
                return false;
            if (c == '=')
                *bit_count = 0;
            continue;
        }
        *bits = *bits << 6 | (uint32_t)six;
        *bit_count += 6;
        if (*bit_count >= 8) {
            *bit_count -= 8;
            out[(*size_bytes)++] = (uint8_t)(*bits >> *bit_count);
        }
    }
    return true;
}

static int join(const struct fbx_file *file, uint32_t record, const struct fbx_value *values, uint32_t count,
                uint8_t *out, size_t *size_bytes, struct err *err)
{
    uint32_t bits = 0;
    unsigned bit_count = 0;
    for (uint32_t i = 0; i < count; i++) {
        if (values[i].kind != FBX_TEXT && values[i].kind != FBX_BYTES)
            continue;
        const struct fbx_span piece = values[i].span;
        if (!file->is_ascii) {
            memcpy(out + *size_bytes, piece.bytes, piece.size_bytes);
            *size_bytes += piece.size_bytes;
        } else if (!decode(piece, out, size_bytes, &bits, &bit_count)) {
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
