#include "wire/pose/influences.h"

#include "base/mem.h"
#include "wire/reply/reply_json.h"

#include <stdlib.h>

enum { MATRIX_FLOATS = 16 };

uint32_t *influences_skins(struct reply_context *context, const uint32_t *draws, uint32_t draw_count, struct buf *list,
                           uint32_t *count)
{
    const struct model *model = context->model;
    uint8_t *is_used = mem_zalloc((size_t)model->skin_count + 1, 1);
    uint32_t *skins = context_array(context, list, model->skin_count, sizeof *skins);
    *count = 0;
    for (uint32_t e = 0; e < draw_count; e++)
        is_used[model->draws[draws[e]].skin] = 1;
    for (uint32_t s = 0; skins != NULL && s < model->skin_count; s++)
        if (is_used[s] != 0)
            skins[(*count)++] = s;
    free(is_used);
    return skins;
}

/* Returns how many joints move a vertex, at least one, and lists them. */
static uint32_t influences_of(const struct model *model, uint32_t vertex, const struct influence **out)
{
    static const struct influence FIRST_JOINT = {.joint = 0, .weight = 1};
    const uint32_t first = model->influence_firsts[vertex], count = model->influence_firsts[vertex + 1] - first;
    *out = count == 0 ? &FIRST_JOINT : &model->influences[first];
    return count == 0 ? 1 : count;
}

uint32_t influences_count(const struct model *model, const struct primitive *primitive)
{
    const uint32_t *firsts = model->influence_firsts + primitive->vertex_first;
    uint32_t count =
        firsts[primitive->vertex_count] - firsts[0]; /* a model has too few bytes for 2^32 of both together */
    for (uint32_t v = 0; v < primitive->vertex_count; v++)
        count += firsts[v + 1] == firsts[v];
    return count;
}

static bool has_dual_weights(const struct model *model, const struct draw *draw)
{
    return model->skins[draw->skin].method == METHOD_BLENDED && model->dual_weight_count > 0;
}

/* --- JSON --- */

static void put_firsts(struct buf *out, const struct model *model, const struct primitive *primitive)
{
    const struct influence *influences;
    uint32_t at = 0;
    buf_put_text(out, "{\"firsts\":[0");
    for (uint32_t v = 0; v < primitive->vertex_count && !buf_failed(out); v++) {
        at += influences_of(model, primitive->vertex_first + v, &influences);
        buf_put_char(out, ',');
        json_put_uint(out, at);
    }
    buf_put_char(out, ']');
}

static void put_pairs(struct buf *out, const struct model *model, const struct primitive *primitive, bool is_joint)
{
    const struct influence *influences;
    buf_put_text(out, is_joint ? ",\"joints\":[" : ",\"weights\":[");
    for (uint32_t v = 0; v < primitive->vertex_count && !buf_failed(out); v++) {
        const uint32_t count = influences_of(model, primitive->vertex_first + v, &influences);
        for (uint32_t i = 0; i < count; i++) {
            json_comma(out, v > 0 || i > 0);
            if (is_joint)
                json_put_uint(out, influences[i].joint);
            else
                json_put_float(out, influences[i].weight);
        }
    }
    buf_put_char(out, ']');
}

void influences_put_json(struct buf *out, const struct model *model, const struct draw *draw)
{
    const struct primitive *primitive = &model->primitives[draw->primitive];
    put_firsts(out, model, primitive);
    put_pairs(out, model, primitive, true);
    put_pairs(out, model, primitive, false);
    if (has_dual_weights(model, draw)) {
        buf_put_text(out, ",\"dual_weights\":");
        json_put_floats(out, model->dual_weights + primitive->vertex_first, primitive->vertex_count);
    }
    buf_put_char(out, '}');
}

void influences_put_skin_json(struct buf *out, const struct model *model, uint32_t skin)
{
    const struct skin *of = &model->skins[skin];
    put_skin_head(out, model, skin);
    buf_put_text(out, ",\"joint_from_bind\":[");
    for (uint32_t j = 0; j < of->joint_count && !buf_failed(out); j++) {
        json_comma(out, j > 0);
        json_put_floats(out, model->joints[of->joint_first + j].joint_from_bind.m, MATRIX_FLOATS);
    }
    buf_put_text(out, "]}");
}

/* --- binary --- */

uint32_t influences_items(const struct model *model, const struct draw *draw, enum frames_block_kind kind,
                          uint32_t *item_bytes)
{
    const struct primitive *primitive = &model->primitives[draw->primitive];
    *item_bytes = sizeof(uint32_t); /* same size as a float */
    switch (kind) {
    case BLOCK_INFLUENCE_FIRSTS:
        return primitive->vertex_count + 1;
    case BLOCK_INFLUENCE_JOINTS:
    case BLOCK_INFLUENCE_WEIGHTS:
        return influences_count(model, primitive);
    case BLOCK_DUAL_WEIGHTS:
        return has_dual_weights(model, draw) ? primitive->vertex_count : 0;
    default:
        return 0;
    }
}

uint32_t influences_skin_items(const struct model *model, uint32_t skin, enum frames_block_kind kind,
                               uint32_t *item_bytes)
{
    *item_bytes = kind == BLOCK_JOINT_NODES ? sizeof(uint32_t) : sizeof(struct mat4);
    return model->skins[skin].joint_count;
}

static void put_skin_block(struct buf *out, const struct model *model, const struct frames_block *block)
{
    const struct joint *joints = model->joints + model->skins[block->index].joint_first;
    for (uint32_t j = 0; j < block->count && !buf_failed(out); j++) {
        struct mat4 matrix = joints[j].joint_from_bind;
        if (block->kind == BLOCK_JOINT_NODES) {
            buf_put_u32(out, joints[j].node);
            continue;
        }
        for (int i = 0; i < MATRIX_FLOATS; i++)
            matrix.m[i] += 0.0F; /* avoids -0, which JSON does not have either */
        buf_put(out, &matrix, sizeof matrix);
    }
}

void influences_put_block(struct buf *out, const struct model *model, const struct draw *draw,
                          const struct frames_block *block)
{
    if (draw == NULL) {
        put_skin_block(out, model, block);
        return;
    }
    const struct primitive *primitive = &model->primitives[draw->primitive];
    const struct influence *influences;
    uint32_t at = 0;
    if (block->kind == BLOCK_DUAL_WEIGHTS) {
        buf_put(out, model->dual_weights + primitive->vertex_first, (size_t)block->count * sizeof(float));
        return;
    }
    for (uint32_t v = 0; v < primitive->vertex_count && !buf_failed(out); v++) {
        const uint32_t count = influences_of(model, primitive->vertex_first + v, &influences);
        if (block->kind == BLOCK_INFLUENCE_FIRSTS)
            buf_put_u32(out, at);
        for (uint32_t i = 0; i < count && block->kind != BLOCK_INFLUENCE_FIRSTS; i++)
            buf_put(out,
                    block->kind == BLOCK_INFLUENCE_JOINTS ? (const void *)&influences[i].joint : &influences[i].weight,
                    sizeof(uint32_t));
        at += count;
    }
    if (block->kind == BLOCK_INFLUENCE_FIRSTS)
        buf_put_u32(out, at);
}
