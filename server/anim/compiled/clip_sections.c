/* clip_sections.c - the arrays of compiled clips that are made apart from their model. */
#include "anim/compiled/clip_sections.h"

#include <stdlib.h>
#include <string.h>

struct bake_builder clip_sections_borrow(const struct model *view, uint64_t limit_bytes)
{
    struct bake_builder builder = {
#define X(id, singular, plural, type, item_bytes)                                                                      \
    .plural = (type *)(uintptr_t)view->plural, .singular##_count = view->singular##_count,
#include "anim/model/model_sections.def"
#undef X
        .limit_bytes = limit_bytes,
    };
#define X(singular, plural, type)                                                                                      \
    builder.plural = NULL;                                                                                             \
    builder.singular##_count = 0;
#include "anim/compiled/clip_sections.def"
#undef X
    return builder;
}

void clip_sections_add_rest(struct bake_builder *builder, const struct model *view)
{
    if (view->rig_part_count == 0)
        return;
    struct rig_part *parts = bake_add_rig_part(builder, view->rig_node_count);
    if (parts != NULL)
        memcpy(parts, view->rig_parts, view->rig_node_count * sizeof *parts);
}

void clip_sections_take(struct clip_sections *sections, const struct bake_builder *builder)
{
    *sections = (struct clip_sections){
#define X(singular, plural, type) .plural = builder->plural, .singular##_count = builder->singular##_count,
#include "anim/compiled/clip_sections.def"
#undef X
        .size_bytes = builder->used_bytes,
    };
}

void clip_sections_use(const struct clip_sections *sections, struct model *view)
{
#define X(singular, plural, type)                                                                                      \
    view->plural = sections->plural;                                                                                   \
    view->singular##_count = sections->singular##_count;
#include "anim/compiled/clip_sections.def"
#undef X
}

void clip_sections_fini(struct clip_sections *sections)
{
#define X(singular, plural, type) free(sections->plural);
#include "anim/compiled/clip_sections.def"
#undef X
    *sections = (struct clip_sections){0};
}
