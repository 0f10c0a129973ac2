/* body_palette.c - the skinning palettes of the selected skins at every time. */
#include "anim/pose/dualquat_palette.h"
#include "wire/bodies/bodies.h"
#include "wire/reply/reply_json.h"
#include "wire/reply/select.h"

/* The skins asked for, in that order; all without skin=. NULL: the reply is an error. */
static const uint32_t *select_skins(struct reply_context *context, uint32_t *count)
{
    const struct request *request = context->request;
    *count = request->skin_count > 0 ? request->skin_count : context->model->skin_count;
    uint32_t *skins = context_array(context, &context->workspace->selection, *count, sizeof *skins);
    for (uint32_t i = 0; skins != NULL && i < *count; i++) {
        skins[i] = i;
        if (request->skin_count > 0 &&
            select_thing(context->model, request->model, THING_SKIN, &request->skins[i], &skins[i], context->reply) < 0)
            return NULL;
    }
    return skins;
}

/* The node of mesh=, or -1: each skin's own. False: the reply is an error. */
static bool select_mesh_node(struct reply_context *context, int32_t *node)
{
    const struct request *request = context->request;
    uint32_t index = 0;
    *node = -1;
    if (request->mesh.kind == SELECT_NONE)
        return true;
    if (select_thing(context->model, request->model, THING_MESH_NODE, &request->mesh, &index, context->reply) < 0)
        return false;
    *node = (int32_t)index;
    return true;
}

/* --- dual quaternions ---
 *
 * workspace->signs has of each skin order and above, [model->joint_count] each by the model's joints, then the scratch
 * of the largest. */

static struct dualquat_signs signs_of(const struct reply_context *context, uint32_t skin)
{
    const struct model *model = context->model;
    uint32_t *at = (uint32_t *)(void *)context->workspace->signs.data;
    const uint32_t first = model->skins[skin].joint_first;
    return (struct dualquat_signs){.order = at + first, .above = at + model->joint_count + first};
}

/* Prepares the skins that will be asked for. False: the reply is an error. */
static bool start_dualquats(struct reply_context *context, const uint32_t *skins, uint32_t count)
{
    const struct model *model = context->model;
    size_t scratch = 0;
    for (uint32_t s = 0; s < count; s++)
        if (dualquat_signs_scratch(model, skins[s]) > scratch)
            scratch = dualquat_signs_scratch(model, skins[s]);
    const size_t joints = 2 * (size_t)model->joint_count;
    uint32_t *items = context_array(context, &context->workspace->signs, joints + scratch, sizeof(uint32_t));
    for (uint32_t s = 0; s < count && items != NULL; s++) {
        const struct dualquat_signs signs = signs_of(context, skins[s]);
        dualquat_signs_find(&signs, model, skins[s], items + joints);
    }
    return items != NULL;
}

/* --- one palette --- */

/* Whether the palettes are in the scene's space: those of space=root are where the root node stands still in it. */
static bool is_scene_space(const struct reply_context *context)
{
    struct err err;
    struct dmat4 space_from_scene;
    const enum space space = context->request->space;
    if (space == SPACE_MESH || pose_space_from_scene(NULL, context->model, space, -1, &space_from_scene, &err) < 0)
        return false;
    for (int e = 0; e < 16; e++)
        if (space_from_scene.m[e] != DMAT4_IDENTITY.m[e])
            return false;
    return true;
}

/* The one place that decides which way palettes are made, so that all protocols, batches and streams have the same
 * bits: one compiled clip as it is, in matrices. */
static bool is_compiled(const struct reply_context *context)
{
    return context->request->layer_count == 0 && !context->motion.is_on &&
           context->request->layout != LAYOUT_DUALQUAT && clip_palette_is_compiled(context->model, context->clip) &&
           is_scene_space(context);
}

/* Of the frame's time in the compiled clip; its pose is evaluated for the first skin. */
static void store_compiled(struct reply_context *context, uint32_t skin, float *out)
{
    struct clip_palette *palette = &context->workspace->clip_palette;
    const enum palette_form form = context->request->layout == LAYOUT_MAT4 ? PALETTE_MAT4 : PALETTE_MAT3X4;
    if (context->has_pose)
        clip_palette_next(palette, context->model, skin, form, out);
    else
        clip_palette_evaluate(palette, context->model, (uint32_t)context->clip, context->clip_time_s, skin, form, out);
    context->has_pose = true;
}

/* The palette of one skin of the evaluated pose to `out`. False: the reply is an error. */
static bool evaluate_palette(struct reply_context *context, uint32_t skin, double time_s, struct mat4 *out)
{
    const struct model *model = context->model;
    const struct pose *pose = &context->workspace->pose;
    const int32_t mesh_node = context->work.palette.mesh_node;
    const int32_t node = mesh_node >= 0 ? mesh_node : model->skins[skin].mesh_node;
    struct err err;
    struct dmat4 space_from_scene;
    if (pose_space_from_scene(pose, model, context->request->space, node, &space_from_scene, &err) == 0 &&
        pose_palette(pose, model, skin, &space_from_scene, out, &err) == 0)
        return true;
    return context_fail_at(context, &err, time_s);
}

/* The same in the layout asked for: layout_floats() a joint. False: the reply is an error. */
static bool store_palette(struct reply_context *context, uint32_t skin, double time_s, float *out)
{
    const enum layout layout = context->request->layout;
    const uint32_t count = context->model->skins[skin].joint_count;
    struct err err;
    if (context->is_compiled) {
        store_compiled(context, skin, out);
        return true;
    }
    if (layout == LAYOUT_MAT4)
        return evaluate_palette(context, skin, time_s, (struct mat4 *)(void *)out);
    struct mat4 *palette = context_array(context, &context->workspace->palette, count, sizeof *palette);
    if (palette == NULL || !evaluate_palette(context, skin, time_s, palette))
        return false;
    const struct dualquat_signs signs =
        layout == LAYOUT_DUALQUAT ? signs_of(context, skin) : (struct dualquat_signs){0};
    if (layout == LAYOUT_DUALQUAT && dualquat_palette(&signs, context->model, skin, palette, out, &err) < 0)
        return context_fail_at(context, &err, time_s);
    for (uint32_t j = 0; layout == LAYOUT_MAT3X4 && j < count; j++)
        layout_store_matrix(&palette[j], layout, out + 12 * (size_t)j);
    return true;
}

static void put_palette(struct reply_context *context, const float *floats, uint32_t joint_count)
{
    const uint32_t size = layout_floats(context->request->layout);
    buf_put_char(context->out, '[');
    for (uint32_t j = 0; j < joint_count; j++) {
        json_comma(context->out, j > 0);
        json_put_floats(context->out, floats + (size_t)j * size, size);
    }
    buf_put_char(context->out, ']');
}

static void put_head(struct reply_context *context)
{
    static const char *const SPACES[] = {[SPACE_SCENE] = "scene", [SPACE_ROOT] = "root", [SPACE_MESH] = "mesh"};
    const struct palette_work *work = &context->work.palette;
    json_printf(context->out, ",\"space\":%s,\"layout\":%s,\"skins\":[", SPACES[context->request->space],
                layout_name(context->request->layout));
    for (uint32_t s = 0; s < work->skin_count; s++) {
        json_comma(context->out, s > 0);
        put_skin_head(context->out, context->model, work->skins[s]);
        buf_put_char(context->out, '}');
    }
    buf_put_char(context->out, ']');
}

static bool put_frame(struct reply_context *context, double time_s)
{
    const struct palette_work *work = &context->work.palette;
    buf_put_text(context->out, ",\"palettes\":[");
    for (uint32_t s = 0; s < work->skin_count; s++) {
        const uint32_t joint_count = context->model->skins[work->skins[s]].joint_count;
        float *floats = context_array(context, &context->workspace->floats, (size_t)joint_count * LAYOUT_FLOATS_MAX,
                                      sizeof *floats);
        if (floats == NULL || !store_palette(context, work->skins[s], time_s, floats))
            return false;
        json_comma(context->out, s > 0);
        put_palette(context, floats, joint_count);
    }
    buf_put_char(context->out, ']');
    return true;
}

static uint32_t plan(struct reply_context *context)
{
    const struct palette_work *work = &context->work.palette;
    struct frames_block *blocks = context_array(context, &context->workspace->blocks, work->skin_count, sizeof *blocks);
    if (blocks == NULL)
        return FRAMES_NO_PLAN;
    for (uint32_t s = 0; s < work->skin_count; s++)
        blocks[s] =
            (struct frames_block){.kind = BLOCK_PALETTE,
                                  .index = work->skins[s],
                                  .node = -1,
                                  .primitive = -1,
                                  .count = context->model->skins[work->skins[s]].joint_count,
                                  .item_bytes = layout_floats(context->request->layout) * (uint32_t)sizeof(float)};
    return work->skin_count;
}

/* Straight into the answer. */
static bool put_block(struct reply_context *context, const struct frames_block *block, double time_s)
{
    const size_t size_bytes = (size_t)block->count * block->item_bytes;
    char *to = buf_reserve(context->out, size_bytes);
    if (to == NULL)
        return true; /* the buffer says so */
    if (!store_palette(context, block->index, time_s, (float *)(void *)to))
        return false;
    buf_advance(context->out, size_bytes);
    return true;
}

static bool start(struct reply_context *context)
{
    struct palette_work *work = &context->work.palette;
    work->skins = select_skins(context, &work->skin_count);
    if (work->skins == NULL || !select_mesh_node(context, &work->mesh_node))
        return false;
    if (context->request->layout == LAYOUT_DUALQUAT && !start_dualquats(context, work->skins, work->skin_count))
        return false;
    context->is_compiled = is_compiled(context);
    const uint64_t floats = layout_floats(context->request->layout);
    uint64_t joints = 0, least = sizeof ",\"palettes\":" - 1 + json_list_least(work->skin_count, 0);
    for (uint32_t s = 0; s < work->skin_count; s++) {
        const uint32_t count = context->model->skins[work->skins[s]].joint_count;
        joints += count;
        least += json_list_least(count, json_list_least(floats, JSON_NUMBER_LEAST));
    }
    context->json = (struct json_size){
        .frame_numbers = joints * floats,
        .frame_bytes_least = least,
        .frame_bytes_most =
            joints * (floats * JSON_FLOAT_MOST + JSON_LIST_MOST) + work->skin_count * (uint64_t)JSON_LIST_MOST,
    };
    return true;
}

const struct frame_writer PALETTE_WRITER = {.kind = FRAMES_PALETTE,
                                            .start = start,
                                            .put_head = put_head,
                                            .put_frame = put_frame,
                                            .plan = plan,
                                            .put_block = put_block};
