/* bake_section.h - the kinds of sections a baked model has, as a table: one row per line of
 * model_sections.def, in rising order of id. Pure; read-only. */
#pragma once

#include "anim/model/model.h"

#include <stddef.h>

enum {
    BAKE_SECTION_COUNT = 0
#define X(id, singular, plural, type) +1
#include "anim/model/model_sections.def"
#undef X
};

struct bake_section_kind {
    uint32_t id;
    uint32_t item_bytes;
    const char *name;    /* "nodes", as in struct model */
    size_t items_offset; /* of the array's pointer in struct model */
    size_t count_offset; /* of its count */
};

extern const struct bake_section_kind BAKE_SECTION_KINDS[BAKE_SECTION_COUNT];
