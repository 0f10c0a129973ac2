#include "anim/bake/bake.h"

#include "anim/bake/bake_section.h"

#include <string.h>

static uint64_t aligned(uint64_t offset) { return (offset + BAKE_ALIGNMENT - 1) / BAKE_ALIGNMENT * BAKE_ALIGNMENT; }

/* Where everything lies, and the bytes in front of it. */
struct bake_layout {
    struct bake_header header;
    struct bake_section table[BAKE_SECTION_COUNT];
    const void *items[BAKE_SECTION_COUNT];
};

static int lay_out(const struct bake_builder *builder, struct bake_layout *layout, struct err *err)
{
    const struct {
        const void *items;
        uint64_t count;
    } arrays[] = {
#define X(id, singular, plural, type) {builder->plural, builder->singular##_count},
#include "anim/model/model_sections.def"
#undef X
    };
    if (builder->is_failed)
        return err_set(err, ERR_MODEL_LIMIT, "the baked model is larger than %llu bytes",
                       (unsigned long long)builder->limit_bytes);
    uint64_t end = sizeof layout->header + sizeof layout->table;
    for (int i = 0; i < BAKE_SECTION_COUNT; i++) {
        const struct bake_section_kind *kind = &BAKE_SECTION_KINDS[i];
        layout->items[i] = arrays[i].items;
        layout->table[i] = (struct bake_section){kind->id, kind->item_bytes, aligned(end), arrays[i].count};
        end = layout->table[i].offset + arrays[i].count * kind->item_bytes;
    }
    if (builder->limit_bytes != 0 && end > builder->limit_bytes)
        return err_set(err, ERR_MODEL_LIMIT, "the baked model has %llu bytes, more than may be kept",
                       (unsigned long long)end);
    layout->header =
        (struct bake_header){.version = BAKE_VERSION, .section_count = BAKE_SECTION_COUNT, .size_bytes = end};
    memcpy(layout->header.magic, BAKE_MAGIC, sizeof layout->header.magic);
    return 0;
}

int bake_write(const struct bake_builder *builder, const struct bake_sink *sink, struct err *err)
{
    static const char padding[BAKE_ALIGNMENT];
    struct bake_layout layout;
    if (lay_out(builder, &layout, err) < 0 || sink->put(sink->context, &layout.header, sizeof layout.header, err) < 0 ||
        sink->put(sink->context, layout.table, sizeof layout.table, err) < 0)
        return err->code;
    uint64_t at = sizeof layout.header + sizeof layout.table;
    for (int i = 0; i < BAKE_SECTION_COUNT; i++) {
        const struct bake_section *section = &layout.table[i];
        const uint64_t size_bytes = section->count * section->item_bytes;
        if (sink->put(sink->context, padding, (size_t)(section->offset - at), err) < 0 ||
            (size_bytes > 0 && sink->put(sink->context, layout.items[i], (size_t)size_bytes, err) < 0))
            return err->code;
        at = section->offset + size_bytes;
    }
    return 0;
}

static int put_in_buf(void *context, const void *bytes, size_t size_bytes, struct err *err)
{
    struct buf *out = context;
    char *to = buf_reserve(out, size_bytes);
    if (to == NULL)
        return err_set(err, ERR_MODEL_LIMIT, "the baked model has more bytes than may be kept");
    memcpy(to, bytes, size_bytes);
    buf_advance(out, size_bytes);
    return 0;
}

int bake_encode(const struct bake_builder *builder, struct buf *out, struct err *err)
{
    const struct bake_sink sink = {.put = put_in_buf, .context = out};
    return bake_write(builder, &sink, err);
}
