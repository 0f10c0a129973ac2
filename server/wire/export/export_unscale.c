/* export_unscale.c - makes a model in which all nodes inherit scales as glTF has them.
 *
 * With the frames of anim/pose/scale_frame.h, the matrix of a node with NODE_SCALES below its parent is
 *
 *   parent_from_node = 1/s * (T times s) * R * (S times inherited) = T * 1/s * R * (S times inherited)
 *
 * where s is the scale of the parent's own space. An added node between the two has T and the scale 1/s, and the node
 * has R and S times inherited: this is exact at any moment. If s is always uniform it commutes with R, and the node has
 * T, R and S times inherited / s, without an added node. */
#include "anim/pose/scale_effect.h"
#include "anim/pose/scale_frame.h"
#include "wire/export/export_internal.h"

#include <math.h>

/* Adds the effects in a clip of a model with the same nodes, or at rest. */
static void add_effects(struct export *e, const struct model *source, int32_t clip, uint8_t *scratch)
{
    scale_effect_find(source, clip, scratch);
    for (uint32_t n = 0; n < e->own_node_count; n++)
        if (scratch[n] > e->scale_effects[n] && e->keeps[n] != KEEP_NOTHING && e->model->nodes[n].matrix < 0)
            e->scale_effects[n] = scratch[n];
}

/* Finds the effects at rest and in all clips of the file. */
static bool find_effects(struct export *e, uint8_t *scratch)
{
    const struct clip_sources *clips = e->other_files;
    uint64_t steps = (1 + (uint64_t)e->clips.chosen_count) * e->own_node_count;
    for (uint32_t s = 0; s < clips->count; s++)
        steps += (uint64_t)clips->own[s].model.clip_count * e->own_node_count;
    if (!export_is_affordable(e, steps))
        return false;
    add_effects(e, e->model, POSE_REST, scratch);
    for (uint32_t i = 0; i < e->clips.chosen_count; i++)
        add_effects(e, e->model, (int32_t)e->clips.chosen[i], scratch);
    for (uint32_t s = 0; s < clips->count; s++)
        for (uint32_t c = 0; c < clips->own[s].model.clip_count; c++)
            add_effects(e, &clips->own[s].model, (int32_t)c, scratch);
    return true;
}

/* 1/scale; a scale of 0, which nothing undoes, stays. */
static double undone(double scale)
{
    const double inverse = 1 / scale;
    return isfinite((float)inverse) ? inverse : 1;
}

void export_scales_of(const struct export *e, uint32_t node, double unscaled[3], double own[3])
{
    const struct scale_frame *frames = e->before.frames;
    const struct scale_frame *above = &frames[e->context->model->nodes[node].parent];
    for (int i = 0; i < 3; i++) {
        unscaled[i] = undone(above->scale[i]);
        own[i] = frames[node].scale[i] * (e->unscaled[node] == GLB_NONE ? unscaled[i] : 1);
    }
}

/* The name of an added node: that of the node below it, and SUFFIX. Sets *text_bytes past it. */
static struct str add_name(const struct model *model, struct str of, char *text, uint32_t *text_bytes)
{
    static const char SUFFIX[] = "_unscaled";
    if (of.offset == STR_NONE)
        return of;
    const struct str name = {.offset = *text_bytes, .size_bytes = of.size_bytes + (uint32_t)sizeof SUFFIX - 1};
    memcpy(text + name.offset, model->text + of.offset, of.size_bytes);
    memcpy(text + name.offset + of.size_bytes, SUFFIX, sizeof SUFFIX - 1);
    *text_bytes += name.size_bytes;
    return name;
}

/* The arrays of e->plain. */
struct plain {
    struct node *nodes;
    uint32_t *order;
    uint8_t *keeps;
    char *text;
    struct model_info *info;
};

static bool add_arrays(struct export *e, struct plain *plain, uint32_t added)
{
    enum { SUFFIX_BYTES_MOST = 16 };
    const struct model *model = e->model;
    const size_t count = (size_t)model->node_count + added;
    size_t text_bytes = (size_t)model->text_byte_count;
    for (uint32_t n = 0; n < model->node_count; n++)
        if (e->scale_effects[n] == SCALE_EFFECT_BY_AXIS)
            text_bytes += model->nodes[n].name.size_bytes + (size_t)SUFFIX_BYTES_MOST;
    if (text_bytes > UINT32_MAX)
        return context_fail_too_large(e->context);
    plain->nodes = export_array(e, count, sizeof *plain->nodes);
    plain->order = export_array(e, count, sizeof *plain->order);
    plain->keeps = export_array(e, count, sizeof *plain->keeps);
    plain->text = export_array(e, text_bytes, sizeof *plain->text);
    plain->info = export_array(e, 1, sizeof *plain->info);
    if (plain->nodes == NULL || plain->order == NULL || plain->keeps == NULL || plain->text == NULL ||
        plain->info == NULL)
        return false;
    memcpy(plain->nodes, model->nodes, model->node_count * sizeof *plain->nodes);
    memcpy(plain->keeps, e->keeps, model->node_count * sizeof *plain->keeps);
    memcpy(plain->text, model->text, model->text_byte_count);
    *plain->info = model->infos[0];
    plain->info->flags &= ~(uint32_t)MODEL_OWN_SCALES;
    return true;
}

/* Gives node n its rest transform in the file, and the node above it, if there is one. */
static void place(const struct export *e, struct plain *plain, uint32_t n)
{
    struct node *node = &plain->nodes[n];
    double unscaled[3], own[3];
    export_scales_of(e, n, unscaled, own);
    for (int i = 0; i < 3; i++)
        node->scale[i] = (float)own[i];
    if (e->unscaled[n] == GLB_NONE)
        return;
    struct node *above = &plain->nodes[e->unscaled[n]];
    *above = (struct node){.name = above->name,
                           .parent = node->parent,
                           .mesh = -1,
                           .skin = -1,
                           .matrix = -1,
                           .rotation = {0, 0, 0, 1},
                           .flags = node->flags & (NODE_IN_SCENE | NODE_HIDDEN)};
    for (int i = 0; i < 3; i++) {
        above->translation[i] = node->translation[i];
        above->scale[i] = (float)unscaled[i];
        node->translation[i] = 0;
    }
    node->parent = (int32_t)e->unscaled[n];
    plain->keeps[e->unscaled[n]] = KEEP_TRANSFORM;
}

static bool make_plain(struct export *e, uint32_t added)
{
    const struct model *model = e->model;
    struct plain plain = {.nodes = NULL};
    uint32_t next = model->node_count, count = 0;
    if (!add_arrays(e, &plain, added))
        return false;
    uint32_t text_bytes = (uint32_t)model->text_byte_count;
    pose_evaluate(&e->before, model, POSE_REST, 0);
    for (uint32_t n = 0; n < model->node_count; n++) {
        plain.nodes[n].flags &= ~(uint32_t)NODE_SCALES;
        e->unscaled[n] = e->scale_effects[n] == SCALE_EFFECT_BY_AXIS ? next++ : GLB_NONE;
        if (e->unscaled[n] != GLB_NONE)
            plain.nodes[e->unscaled[n]].name = add_name(model, model->nodes[n].name, plain.text, &text_bytes);
        if (e->scale_effects[n] != SCALE_EFFECT_NONE)
            place(e, &plain, n);
    }
    for (uint32_t i = 0; i < model->order_count; i++) {
        const uint32_t n = model->node_order[i];
        if (e->unscaled[n] != GLB_NONE)
            plain.order[count++] = e->unscaled[n];
        plain.order[count++] = n;
    }
    e->plain = *model;
    e->plain.nodes = plain.nodes;
    e->plain.node_count = next;
    e->plain.node_order = plain.order;
    e->plain.order_count = count;
    e->plain.text = plain.text;
    e->plain.text_byte_count = text_bytes;
    e->plain.infos = plain.info;
    e->model = &e->plain;
    e->keeps = plain.keeps;
    return true;
}

bool export_unscale(struct export *e)
{
    const uint32_t count = e->model->node_count;
    uint32_t added = 0;
    e->own_node_count = count;
    if ((e->model->infos[0].flags & MODEL_OWN_SCALES) == 0)
        return true;
    e->scale_effects = export_array(e, count, sizeof *e->scale_effects);
    e->unscaled = export_array(e, count, sizeof *e->unscaled);
    uint8_t *scratch = export_array(e, count, sizeof *scratch);
    if (e->scale_effects == NULL || e->unscaled == NULL || scratch == NULL || !find_effects(e, scratch))
        return false;
    for (uint32_t n = 0; n < count; n++)
        added += e->scale_effects[n] == SCALE_EFFECT_BY_AXIS;
    return make_plain(e, added);
}
