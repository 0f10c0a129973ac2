#include "anim/bake/bake.h"

#include "anim/bake/bake_check.h"
#include "anim/bake/bake_section.h"

#include <string.h>

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

/* Checks one row of the section table against its kind and the end of the section before, *end, and moves
 * *end. There is one place for each section, so nothing can overlap or hide between two of them. */
static int check_section(const unsigned char *bytes, uint64_t size_bytes, const struct bake_section *section,
                         const struct bake_section_kind *kind, uint64_t *end, struct err *err)
{
    if (section->id != kind->id || section->item_bytes != kind->item_bytes)
        return err_set(err, ERR_BAD_BAKE, "section %s has id %u and %u bytes an element instead of %u and %u",
                       kind->name, section->id, section->item_bytes, kind->id, kind->item_bytes);
    const uint64_t expected = (*end + BAKE_ALIGNMENT - 1) / BAKE_ALIGNMENT * BAKE_ALIGNMENT;
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

/* Fills the view's pointers and counts; an empty section's pointer is valid, too. */
static int find_sections(const unsigned char *bytes, uint64_t size_bytes, struct model *view, struct err *err)
{
    uint64_t end = sizeof(struct bake_header) + BAKE_SECTION_COUNT * sizeof(struct bake_section);
    for (size_t i = 0; i < BAKE_SECTION_COUNT; i++) {
        const struct bake_section_kind *kind = &BAKE_SECTION_KINDS[i];
        struct bake_section section;
        memcpy(&section, bytes + sizeof(struct bake_header) + i * sizeof section, sizeof section);
        const int rc = check_section(bytes, size_bytes, &section, kind, &end, err);
        if (rc < 0)
            return rc;
        const void *items = bytes + section.offset;
        const uint32_t count = (uint32_t)section.count;
        memcpy((char *)view + kind->items_offset, &items, sizeof items);
        memcpy((char *)view + kind->count_offset, &count, sizeof count);
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
