#include "bake.h"

#include "bake_section.h"

#include <string.h>

static uint64_t aligned(uint64_t offset) { return (offset + BAKE_ALIGNMENT - 1) / BAKE_ALIGNMENT * BAKE_ALIGNMENT; }

int bake_encode(const struct bake_builder *builder, struct buf *out, struct err *err)
{
    const struct {
        const void *items;
        uint64_t count;
    } arrays[] = {
#define X(id, singular, plural, type) {builder->plural, builder->singular##_count},
#include "model_sections.def"
#undef X
    };
    if (builder->is_failed)
        return err_set(err, ERR_MODEL_LIMIT, "the baked model is larger than %llu bytes",
                       (unsigned long long)builder->limit_bytes);
    struct bake_section table[BAKE_SECTION_COUNT];
    uint64_t end = sizeof(struct bake_header) + sizeof table;
    for (int i = 0; i < BAKE_SECTION_COUNT; i++) {
        const struct bake_section_kind *kind = &BAKE_SECTION_KINDS[i];
        table[i] = (struct bake_section){kind->id, kind->item_bytes, aligned(end), arrays[i].count};
        end = table[i].offset + arrays[i].count * kind->item_bytes;
    }
    struct bake_header header = {.version = BAKE_VERSION, .section_count = BAKE_SECTION_COUNT, .size_bytes = end};
    memcpy(header.magic, BAKE_MAGIC, sizeof header.magic);

    char *block = end > SIZE_MAX ? NULL : buf_reserve(out, (size_t)end);
    if (block == NULL)
        return err_set(err, ERR_MODEL_LIMIT, "the baked model has %llu bytes, more than may be kept",
                       (unsigned long long)end);
    memset(block, 0, (size_t)end);
    memcpy(block, &header, sizeof header);
    memcpy(block + sizeof header, table, sizeof table);
    for (int i = 0; i < BAKE_SECTION_COUNT; i++)
        if (arrays[i].count > 0)
            memcpy(block + table[i].offset, arrays[i].items, arrays[i].count * table[i].item_bytes);
    buf_advance(out, (size_t)end);
    return 0;
}
