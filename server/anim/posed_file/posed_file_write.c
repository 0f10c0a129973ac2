/* posed_file_write.c - writes a .posed file. */
#include "anim/posed_file/posed_file.h"

#include "anim/posed_file/posed_file_format.h"
#include "anim/posed_file/posed_file_share.h"

#include <string.h>

/* --- arrays that differ from the model's: its own texts, no materials --- */

static struct str copy_text(struct bake_builder *builder, const struct model *model, struct str text)
{
    if (text.offset == STR_NONE)
        return text;
    return bake_long_text(builder, model->text + text.offset, text.size_bytes);
}

/* `copy`: the builder's copy of a section; NULL when the builder has failed. */
#define COPY(type, copy, singular, plural)                                                                             \
    type *copy = bake_add_##singular(builder, model->singular##_count);                                                \
    if (copy != NULL && model->singular##_count > 0)                                                                   \
        memcpy(copy, model->plural, (size_t)model->singular##_count * sizeof *copy);

#define COPY_NAMED(type, singular, plural)                                                                             \
    do {                                                                                                               \
        COPY(type, copy, singular, plural)                                                                             \
        for (uint32_t i = 0; copy != NULL && i < model->singular##_count; i++)                                         \
            copy[i].name = copy_text(builder, model, model->plural[i].name);                                           \
    } while (0)

static void copy_primitives(struct bake_builder *builder, const struct model *model)
{
    const uint32_t kept = PRIMITIVE_FILE_NORMALS | PRIMITIVE_FLAT;
    COPY(struct primitive, copy, primitive, primitives)
    for (uint32_t i = 0; copy != NULL && i < model->primitive_count; i++) {
        copy[i].material = -1;
        copy[i].flags &= kept;
    }
}

static bool has_face(const struct model *model) { return model->expression_count > 0 || model->gaze_count > 0; }

/* Copies the expressions, without what they do to materials. */
static void copy_expressions(struct bake_builder *builder, const struct model *model)
{
    COPY_NAMED(struct expression, expression, expressions);
    for (uint32_t e = 0; e < model->expression_count && !builder->is_failed; e++) {
        const struct expression *from = &model->expressions[e];
        const uint32_t first = builder->expression_bind_count;
        for (uint32_t b = 0; b < from->bind_count; b++) {
            const struct expression_bind *bind = &model->expression_binds[from->bind_first + b];
            struct expression_bind *copy = bind->kind == BIND_MORPH ? bake_add_expression_bind(builder, 1) : NULL;
            if (copy != NULL)
                *copy = *bind;
        }
        builder->expressions[e].bind_first = first;
        builder->expressions[e].bind_count = builder->expression_bind_count - first;
    }
}

static void copy_rest(struct bake_builder *builder, const struct model *model)
{
    COPY(struct model_info, info, info, infos)
    COPY(struct marker, markers, marker, markers)
    COPY(struct hitbox, hitboxes, hitbox, hitboxes)
    if (info != NULL && !has_face(model))
        info->flags &= ~(uint32_t)MODEL_T_POSE; /* readers of earlier versions do not know it */
    if (info != NULL) {
        info->format = copy_text(builder, model, model->infos[0].format);
        info->generator = copy_text(builder, model, model->infos[0].generator);
    }
    for (uint32_t i = 0; markers != NULL && i < model->marker_count; i++) {
        markers[i].name = copy_text(builder, model, model->markers[i].name);
        markers[i].value = copy_text(builder, model, model->markers[i].value);
    }
    for (uint32_t i = 0; hitboxes != NULL && i < model->hitbox_count; i++)
        hitboxes[i].volume.name = copy_text(builder, model, model->hitboxes[i].volume.name);
}

/* Makes the view that the file stores. `builder` has the arrays that differ from the model's. */
static int make_view(const struct model *model, struct bake_builder *builder, struct model *view, struct err *err)
{
    copy_rest(builder, model);
    copy_primitives(builder, model);
    posed_file_share_keys(builder, model);
    COPY_NAMED(struct node, node, nodes);
    COPY_NAMED(struct skin, skin, skins);
    COPY_NAMED(struct mesh, mesh, meshes);
    COPY_NAMED(struct morph_target, morph_target, morph_targets);
    COPY_NAMED(struct clip, clip, clips);
    COPY_NAMED(struct humanoid_bone, humanoid_bone, humanoid_bones);
    copy_expressions(builder, model);
    if (builder->is_failed)
        return err_set(err, ERR_NO_MEMORY, "no memory for the names and nodes of a .posed file");
    const struct model made = bake_builder_view(builder);
    *view = *model;
#define X(id, singular, plural, type, item_bytes)                                                                      \
    if (made.plural != NULL) {                                                                                         \
        view->plural = made.plural;                                                                                    \
        view->singular##_count = made.singular##_count;                                                                \
    }
#include "anim/model/model_sections.def"
#undef X
    view->expression_bind_count = made.expression_bind_count; /* also when none is left */
    return 0;
}

/* --- the bytes --- */

struct layout {
    struct posed_file_header header;
    struct bake_section table[BAKE_SECTION_COUNT];
    const void *items[BAKE_SECTION_COUNT];
};

static void add_section(struct layout *layout, const struct model *view, const struct bake_section_kind *kind,
                        uint64_t *end)
{
    const uint32_t count = posed_file_count(view, kind);
    const uint32_t i = layout->header.section_count++;
    memcpy(&layout->items[i], (const char *)view + kind->items_offset, sizeof layout->items[i]);
    layout->table[i] = (struct bake_section){kind->id, kind->item_bytes, bake_aligned(*end), count};
    *end = layout->table[i].offset + (uint64_t)count * kind->item_bytes;
}

static void lay_out(const struct model *view, struct layout *layout)
{
    /* Readers of version 1 know no constraints, and those of version 2 no faces. They may have all other files. */
    const struct posed_file_version *version = posed_file_version(has_face(view)               ? 3
                                                                  : view->constraint_count > 0 ? 2
                                                                                               : 1);
    const bool is_compiled = view->compiled_clip_count > 0;
    uint32_t sections = version->count;
    for (size_t k = 0; k < BAKE_SECTION_COUNT && is_compiled; k++)
        sections += posed_file_has_compiled(BAKE_SECTION_KINDS[k].id);
    uint64_t end = sizeof layout->header + sections * sizeof *layout->table;
    layout->header = (struct posed_file_header){
        .version = version->number, .byte_order = POSED_FILE_ORDER, .compiled_version = is_compiled ? BAKE_VERSION : 0};
    memcpy(layout->header.magic, POSED_FILE_MAGIC, sizeof layout->header.magic);
    for (uint32_t i = 0; i < version->count; i++)
        add_section(layout, view, posed_file_kind(version->sections[i].id), &end);
    for (size_t k = 0; k < BAKE_SECTION_COUNT && is_compiled; k++)
        if (posed_file_has_compiled(BAKE_SECTION_KINDS[k].id))
            add_section(layout, view, &BAKE_SECTION_KINDS[k], &end);
    layout->header.size_bytes = end;
}

/* to[header.size_bytes] */
static void store(struct layout *layout, char *to)
{
    struct posed_file_header *header = &layout->header;
    const size_t table_bytes = header->section_count * sizeof *layout->table;
    uint64_t at = sizeof *header + table_bytes;
    memcpy(to + sizeof *header, layout->table, table_bytes);
    for (uint32_t i = 0; i < header->section_count; i++) {
        const struct bake_section *section = &layout->table[i];
        const uint64_t size_bytes = section->count * section->item_bytes;
        memset(to + at, 0, (size_t)(section->offset - at));
        if (size_bytes > 0)
            memcpy(to + section->offset, layout->items[i], (size_t)size_bytes);
        at = section->offset + size_bytes;
    }
    header->checksum = posed_file_checksum(header, to + sizeof *header, header->size_bytes - sizeof *header);
    memcpy(to, header, sizeof *header);
}

int posed_file_write(const struct model *model, struct buf *out, struct err *err)
{
    struct bake_builder builder;
    struct model view;
    struct layout layout;
    bake_builder_init(&builder, 0);
    int rc = make_view(model, &builder, &view, err);
    if (rc == 0) {
        lay_out(&view, &layout);
        const size_t size_bytes = (size_t)layout.header.size_bytes;
        char *to = buf_reserve(out, size_bytes);
        if (to == NULL)
            rc = err_set(err, ERR_MODEL_LIMIT, "the .posed file has %zu bytes, more than may be kept", size_bytes);
        else
            store(&layout, to);
        if (to != NULL)
            buf_advance(out, size_bytes);
    }
    bake_builder_fini(&builder);
    return rc;
}
