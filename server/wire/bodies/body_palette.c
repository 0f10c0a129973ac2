/* answer_palette.c - the skinning palettes of the selected skins at every time. */
#include "wire/bodies/body_dualquat.h"
#include "wire/reply/frame_reply.h"
#include "wire/reply/select.h"
#include "wire/encode/json.h"

/* The skins asked for, in that order; all without skin=. NULL: the reply is an error. */
static const uint32_t *select_skins(struct reply_context *context, uint32_t *count)
{
    const struct request *request = context->request;
    *count = request->skin_count > 0 ? request->skin_count : context->model->skin_count;
    uint32_t *skins = workspace_array(&context->answer->selection, *count, sizeof *skins);
    if (skins == NULL) {
        context_fail_memory(context);
        return NULL;
    }
    for (uint32_t i = 0; i < *count; i++) {
        skins[i] = i;
        if (request->skin_count > 0 &&
            select_thing(context->model, request, THING_SKIN, &request->skins[i], &skins[i], context->reply) < 0)
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
    if (request->space != SPACE_MESH) {
        struct err err;
        err_set(&err, ERR_BAD_PARAMETER, "mesh= names the node of space=mesh; this palette is in another space");
        context_fail(context, &err);
        return false;
    }
    if (select_thing(context->model, request, THING_MESH_NODE, &request->mesh, &index, context->reply) < 0)
        return false;
    *node = (int32_t)index;
    return true;
}

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
static void lay_compiled(struct reply_context *context, uint32_t skin, float *out)
{
    struct palette_work *work = &context->work.palette;
    struct clip_palette *palette = &context->answer->clip_palette;
    const enum palette_form form = context->request->layout == LAYOUT_MAT4 ? PALETTE_MAT4 : PALETTE_MAT3X4;
    if (work->has_pose)
        clip_palette_next(palette, context->model, skin, form, out);
    else
        clip_palette_evaluate(palette, context->model, (uint32_t)context->clip, work->clip_time_s, skin, form, out);
    work->has_pose = true;
}

/* The palette of one skin of the evaluated pose to `out`. False: the reply is an error. */
static bool evaluate_palette(struct reply_context *context, uint32_t skin, double time_s, struct mat4 *out)
{
    const struct model *model = context->model;
    const struct pose *pose = &context->answer->pose;
    const int32_t mesh_node = context->work.palette.mesh_node;
    const int32_t node = mesh_node >= 0 ? mesh_node : model->skins[skin].mesh_node;
    struct err err;
    struct dmat4 space_from_scene;
    if (pose_space_from_scene(pose, model, context->request->space, node, &space_from_scene, &err) == 0 &&
        pose_palette(pose, model, skin, &space_from_scene, out, &err) == 0)
        return true;
    context_fail_at(context, &err, time_s);
    return false;
}

/* The same in the layout asked for: layout_floats() a joint. False: the reply is an error. */
static bool lay_palette(struct reply_context *context, uint32_t skin, double time_s, float *out)
{
    const enum layout layout = context->request->layout;
    const uint32_t count = context->model->skins[skin].joint_count;
    struct err err;
    if (context->work.palette.is_compiled) {
        lay_compiled(context, skin, out);
        return true;
    }
    if (layout == LAYOUT_MAT4)
        return evaluate_palette(context, skin, time_s, (struct mat4 *)(void *)out);
    struct mat4 *palette = workspace_array(&context->answer->palette, count, sizeof *palette);
    if (palette == NULL) {
        context_fail_memory(context);
        return false;
    }
    if (!evaluate_palette(context, skin, time_s, palette))
        return false;
    if (layout == LAYOUT_DUALQUAT && dualquats_of_palette(context, skin, palette, out, &err) < 0) {
        context_fail_at(context, &err, time_s);
        return false;
    }
    for (uint32_t j = 0; layout == LAYOUT_MAT3X4 && j < count; j++)
        layout_store_matrix(&palette[j], layout, out + 12 * (size_t)j);
    return true;
}

static void put_skin(struct reply_context *context, uint32_t index)
{
    const struct skin *skin = &context->model->skins[index];
    struct buf *out = context->out;
    buf_put_text(out, "{\"index\":");
    json_put_uint(out, index);
    buf_put_text(out, ",\"name\":");
    json_put_str(out, context->model, skin->name);
    if ((skin->flags & SKIN_RIGID) != 0)
        buf_put_text(out, ",\"rigid\":true");
    buf_put_text(out, ",\"joints\":[");
    for (uint32_t j = 0; j < skin->joint_count; j++) {
        if (j > 0)
            buf_put_char(out, ',');
        put_node_head(out, context->model, context->model->joints[skin->joint_first + j].node);
        buf_put_char(out, '}');
    }
    buf_put_text(out, "]}");
}

static void put_palette(struct reply_context *context, const float *laid, uint32_t joint_count)
{
    const uint32_t size = layout_floats(context->request->layout);
    buf_put_char(context->out, '[');
    for (uint32_t j = 0; j < joint_count; j++) {
        if (j > 0)
            buf_put_char(context->out, ',');
        json_put_floats(context->out, laid + (size_t)j * size, size);
    }
    buf_put_char(context->out, ']');
}

static void put_head(struct reply_context *context)
{
    static const char *const SPACES[] = {[SPACE_SCENE] = "scene", [SPACE_ROOT] = "root", [SPACE_MESH] = "mesh"};
    const struct palette_work *work = &context->work.palette;
    struct buf *out = context->out;
    buf_put_text(out, ",\"space\":\"");
    buf_put_text(out, SPACES[context->request->space]);
    buf_put_text(out, "\",\"layout\":\"");
    buf_put_text(out, layout_name(context->request->layout));
    buf_put_text(out, "\",\"skins\":[");
    for (uint32_t s = 0; s < work->skin_count; s++) {
        if (s > 0)
            buf_put_char(out, ',');
        put_skin(context, work->skins[s]);
    }
    buf_put_char(out, ']');
}

static bool put_frame(struct reply_context *context, double time_s)
{
    const struct palette_work *work = &context->work.palette;
    buf_put_text(context->out, ",\"palettes\":[");
    for (uint32_t s = 0; s < work->skin_count; s++) {
        const uint32_t joint_count = context->model->skins[work->skins[s]].joint_count;
        float *laid = workspace_array(&context->answer->laid, (size_t)joint_count * MATRIX_FLOATS_MAX, sizeof *laid);
        if (laid == NULL) {
            context_fail_memory(context);
            return false;
        }
        if (!lay_palette(context, work->skins[s], time_s, laid))
            return false;
        if (s > 0)
            buf_put_char(context->out, ',');
        put_palette(context, laid, joint_count);
    }
    buf_put_char(context->out, ']');
    return true;
}

static uint32_t plan(struct reply_context *context)
{
    const struct palette_work *work = &context->work.palette;
    struct frames_block *blocks = workspace_array(&context->answer->blocks, work->skin_count, sizeof *blocks);
    if (blocks == NULL) {
        context_fail_memory(context);
        return FRAMES_NO_PLAN;
    }
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
    if (!lay_palette(context, block->index, time_s, (float *)(void *)to))
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
    if (context->request->layout == LAYOUT_DUALQUAT && !dualquats_start(context, work->skins, work->skin_count))
        return false;
    work->is_compiled = is_compiled(context);
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
