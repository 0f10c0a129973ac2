/* body_palette.c - writes the skinning palettes of the selected skins at each time. */
#include "wire/pose/pose_bodies.h"
#include "wire/reply/reply_json.h"
#include "wire/reply/select.h"

/* Returns the requested skins in that order; without skin= all of them. NULL: the reply is an error. */
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

/* Finds the node of mesh=, or -1: each skin has its own. False: the reply is an error. */
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

/* --- one palette --- */

/* Returns NULL for the space of the scene. */
static const struct dmat4 *unless_identity(const struct dmat4 *space_from_scene)
{
    for (int e = 0; e < 16; e++)
        if (space_from_scene->m[e] != DMAT4_IDENTITY.m[e])
            return space_from_scene;
    return NULL;
}

/* Computes the matrix in front of the skin's palette in the frame evaluated last. Returns 0 or ERR_NOT_FINITE. */
static int find_space(struct reply_context *context, uint32_t skin, struct dmat4 *space_from_scene, struct err *err)
{
    struct entity_work *work = &context->workspace->entity;
    const int32_t mesh_node = context->work.palette.mesh_node;
    const enum space space = context->request->space;
    const int32_t node = mesh_node >= 0 || space != SPACE_MESH ? mesh_node : context->model->skins[skin].mesh_node;
    *space_from_scene = DMAT4_IDENTITY;
    if (space == SPACE_SCENE)
        return 0;
    if (space == SPACE_MESH && node >= 0)
        entity_scene_from_node(work, (uint32_t)node); /* also sets work->pose */
    return pose_space_from_scene(&work->pose, context->model, space, node, space_from_scene, err);
}

/* Writes the palette of one skin in the frame evaluated last, in the requested layout: layout_floats() per joint.
 * False: the reply is an error. */
static bool store_palette(struct reply_context *context, uint32_t skin, double time_s, float *out)
{
    struct err err;
    struct dmat4 space_from_scene;
    if (find_space(context, skin, &space_from_scene, &err) == 0 &&
        entity_palette_in(&context->workspace->entity, skin, unless_identity(&space_from_scene),
                          context->request->layout, out, &err) == 0)
        return true;
    return context_fail_at(context, &err, time_s);
}

/* True when no palette in any frame can fail. */
static bool is_certain(struct reply_context *context)
{
    const struct request *request = context->request;
    struct dmat4 space_from_scene;
    struct err err;
    if (request->pose.layer_count > 0 || request->pose.time_count == 0 || request->space == SPACE_MESH ||
        find_space(context, 0, &space_from_scene, &err) < 0 || unless_identity(&space_from_scene) != NULL)
        return false;
    const struct entity entity = context_entity(context, 0);
    return entity_is_certain(&entity, request->layout);
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

/* Writes directly into the answer. */
static bool put_block(struct reply_context *context, const struct frames_block *block, double time_s)
{
    const size_t size_bytes = (size_t)block->count * block->item_bytes;
    char *to = buf_reserve(context->out, size_bytes);
    if (to == NULL)
        return true; /* the buffer records the failure */
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
    context->may_compile = true;
    context->is_certain = is_certain(context);
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

void body_put_palette(struct reply_context *context)
{
    if (frame_reply_start(context, &PALETTE_WRITER))
        frame_reply_make(context);
}
