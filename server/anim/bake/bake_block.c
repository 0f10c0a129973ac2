/* bake_block.c - writes and reads the bytes of a baked model by its table of sections. */
#include "anim/bake/bake.h"

#include "anim/bake/bake_check.h"
#include "anim/bake/bake_sections.h"

#include <string.h>

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "a baked model is little-endian and used in place");
_Static_assert(sizeof(float) == 4 && sizeof(double) == 8, "IEEE 754 numbers");

/* The sizes of the format. Changing one changes the format (BAKE_VERSION). */
_Static_assert(sizeof(struct bake_header) == 32 && sizeof(struct bake_section) == 24, "layout");
#define X(id, singular, plural, type, item_bytes) _Static_assert(sizeof(type) == (item_bytes), "layout");
#include "anim/model/model_sections.def"
#undef X

const struct bake_section_kind BAKE_SECTION_KINDS[BAKE_SECTION_COUNT] = {
#define X(id, singular, plural, type, item_bytes)                                                                      \
    {id, sizeof(type), #plural, offsetof(struct model, plural), offsetof(struct model, singular##_count)},
#include "anim/model/model_sections.def"
#undef X
};

/* The offsets of everything in the block, and the bytes before the arrays. */
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
#define X(id, singular, plural, type, item_bytes) {builder->plural, builder->singular##_count},
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
        layout->table[i] = (struct bake_section){kind->id, kind->item_bytes, bake_aligned(end), arrays[i].count};
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

/* --- reading --- */

static int check_header(const void *bytes, uint64_t size_bytes, struct err *err)
{
    struct bake_header header;
    if ((uintptr_t)bytes % BAKE_ALIGNMENT != 0)
        return err_set(err, ERR_BAD_BAKE, "the block does not lie at a multiple of %d bytes", BAKE_ALIGNMENT);
    if (bytes == NULL || size_bytes < sizeof header + BAKE_SECTION_COUNT * sizeof(struct bake_section))
        return err_set(err, ERR_BAD_BAKE, "%llu bytes are too few for a baked model", (unsigned long long)size_bytes);
    memcpy(&header, bytes, sizeof header);
    if (memcmp(header.magic, BAKE_MAGIC, sizeof header.magic) != 0)
        return err_set(err, ERR_BAD_BAKE, "the first 8 bytes are not those of a baked model");
    if (header.version != BAKE_VERSION)
        return err_set(err, ERR_BAD_BAKE, "the baked model has version %u, this program reads %d", header.version,
                       BAKE_VERSION);
    if (header.section_count != BAKE_SECTION_COUNT)
        return err_set(err, ERR_BAD_BAKE, "the header names %u sections instead of %d", header.section_count,
                       BAKE_SECTION_COUNT);
    if (header.size_bytes != size_bytes)
        return err_set(err, ERR_BAD_BAKE, "the header says %llu bytes, there are %llu",
                       (unsigned long long)header.size_bytes, (unsigned long long)size_bytes);
    if (header.reserved != 0)
        return err_set(err, ERR_BAD_BAKE, "the header's reserved field is not 0");
    return 0;
}

static bool is_zero(const unsigned char *bytes, uint64_t size_bytes)
{
    for (uint64_t i = 0; i < size_bytes; i++)
        if (bytes[i] != 0)
            return false;
    return true;
}

int bake_check_section(const unsigned char *bytes, uint64_t size_bytes, const struct bake_section *section,
                       const struct bake_section_kind *kind, uint64_t *end, struct err *err)
{
    if (section->id != kind->id || section->item_bytes != kind->item_bytes)
        return err_set(err, ERR_BAD_BAKE, "section %s has id %u and %u bytes an element instead of %u and %u",
                       kind->name, section->id, section->item_bytes, kind->id, kind->item_bytes);
    const uint64_t expected = bake_aligned(*end);
    if (section->offset != expected || expected > size_bytes)
        return err_set(err, ERR_BAD_BAKE, "section %s lies at %llu instead of %llu", kind->name,
                       (unsigned long long)section->offset, (unsigned long long)expected);
    if (section->count >= UINT32_MAX || section->count > (size_bytes - expected) / kind->item_bytes)
        return err_set(err, ERR_BAD_BAKE, "section %s has %llu elements, more than the block holds", kind->name,
                       (unsigned long long)section->count);
    if (!is_zero(bytes + *end, expected - *end))
        return err_set(err, ERR_BAD_BAKE, "the padding before section %s is not zero", kind->name);
    *end = expected + section->count * kind->item_bytes;
    return 0;
}

void bake_set_section(struct model *view, const struct bake_section_kind *kind, const void *items, uint32_t count)
{
    memcpy((char *)view + kind->items_offset, &items, sizeof items);
    memcpy((char *)view + kind->count_offset, &count, sizeof count);
}

/* Sets the view's pointers and counts. The pointer of an empty section is valid too. */
static int find_sections(const unsigned char *bytes, uint64_t size_bytes, struct model *view, struct err *err)
{
    uint64_t end = sizeof(struct bake_header) + BAKE_SECTION_COUNT * sizeof(struct bake_section);
    for (size_t i = 0; i < BAKE_SECTION_COUNT; i++) {
        const struct bake_section_kind *kind = &BAKE_SECTION_KINDS[i];
        struct bake_section section;
        memcpy(&section, bytes + sizeof(struct bake_header) + i * sizeof section, sizeof section);
        const int rc = bake_check_section(bytes, size_bytes, &section, kind, &end, err);
        if (rc < 0)
            return rc;
        bake_set_section(view, kind, bytes + section.offset, (uint32_t)section.count);
    }
    if (end != size_bytes)
        return err_set(err, ERR_BAD_BAKE, "%llu bytes follow the last section", (unsigned long long)(size_bytes - end));
    return 0;
}

int bake_decode(const void *bytes, uint64_t size_bytes, struct model *out, struct err *err)
{
    *out = (struct model){0};
    struct model view = {.bytes = bytes, .size_bytes = size_bytes};
    int rc = check_header(bytes, size_bytes, err);
    if (rc == 0)
        rc = find_sections(bytes, size_bytes, &view, err);
    if (rc == 0)
        rc = bake_check(&view, err);
    if (rc == 0)
        *out = view;
    return rc;
}
