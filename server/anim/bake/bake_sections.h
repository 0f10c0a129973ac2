/* bake_sections.h - the table of a block's sections, and the check of one of its rows. The baked model (bake.h) uses
 * it, and so does the .posed file (anim/posed_file), which has some of the sections. Pure; any thread. */
#pragma once

#include "anim/bake/bake.h"

enum {
    BAKE_SECTION_COUNT = 0
#define X(id, singular, plural, type, item_bytes) +1
#include "anim/model/model_sections.def"
#undef X
};

struct bake_section_kind {
    uint32_t id;
    uint32_t item_bytes;
    const char *name;    /* "nodes", as in struct model */
    size_t items_offset; /* of the array pointer in struct model */
    size_t count_offset; /* of the array's count */
};

/* One row for each line of model_sections.def, in rising order of id. */
extern const struct bake_section_kind BAKE_SECTION_KINDS[BAKE_SECTION_COUNT];

static inline uint64_t bake_aligned(uint64_t offset)
{
    return (offset + BAKE_ALIGNMENT - 1) / BAKE_ALIGNMENT * BAKE_ALIGNMENT;
}

/* Checks a row of the section table against its kind and against *end, where the section before it ends, and moves
 * *end. Each section has exactly one possible place, so nothing can overlap or hide between two of them. Returns 0 or
 * ERR_BAD_BAKE. */
int bake_check_section(const unsigned char *bytes, uint64_t size_bytes, const struct bake_section *section,
                       const struct bake_section_kind *kind, uint64_t *end, struct err *err);

/* Points the view's array of this kind to `count` items. */
void bake_set_section(struct model *view, const struct bake_section_kind *kind, const void *items, uint32_t count);
