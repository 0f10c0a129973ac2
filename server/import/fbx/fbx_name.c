/* fbx_name.c - converts names to UTF-8. Older exporters write them in the machine's code page, and binary files may
 * contain any bytes. U+FFFD replaces each invalid byte (Unicode 15, 3.9), as in other FBX readers. */
#include "import/fbx/fbx.h"

#include "base/mem.h"
#include "base/utf8.h"

#include <stdlib.h>
#include <string.h>

static const char REPLACEMENT[] = "\xef\xbf\xbd";
enum { REPLACEMENT_BYTES = sizeof REPLACEMENT - 1 };

/* Returns the size; `out` has room for the replacement of every byte. */
static size_t repair(struct fbx_span name, char *out)
{
    const char *text = (const char *)name.bytes;
    size_t size_bytes = 0;
    for (size_t i = 0; i < name.size_bytes;) {
        const size_t length = text[i] == '\0' ? 0 : utf8_sequence(text + i, name.size_bytes - i);
        memcpy(out + size_bytes, length > 0 ? text + i : REPLACEMENT, length > 0 ? length : REPLACEMENT_BYTES);
        size_bytes += length > 0 ? length : REPLACEMENT_BYTES;
        i += length > 0 ? length : 1;
    }
    return size_bytes;
}

struct str fbx_put_name(const struct fbx *fbx, struct fbx_span name)
{
    struct bake_builder *builder = fbx->builder;
    const size_t size_max = (size_t)LIMIT_INFO[LIMIT_NAME_BYTES].initial;
    const char *text = (const char *)name.bytes;
    const bool is_text = utf8_is_valid(text, name.size_bytes) && memchr(text, '\0', name.size_bytes) == NULL;
    if (is_text || name.size_bytes > size_max) /* too long anyway: bake_text() cuts and repairs it */
        return bake_text(builder, text, name.size_bytes);
    char *repaired = mem_alloc(name.size_bytes * REPLACEMENT_BYTES);
    const size_t size_bytes = repair(name, repaired);
    bake_warn(builder, "name_repaired", "the name '%.*s' is not UTF-8: U+FFFD stands for its bad bytes",
              (int)size_bytes, repaired);
    const struct str out = bake_text(builder, repaired, size_bytes);
    free(repaired);
    return out;
}

struct str fbx_name(const struct fbx *fbx, uint32_t object)
{
    return fbx_put_name(fbx, fbx->scene.objects[object].name);
}
