/* body_pose.c - writes the transforms of the selected nodes at each time: scene matrices, local T R S, or both; and
 * materials that the pose changes.
 *
 * The local transform of a sheared node (anim/pose/local.h) is a matrix: local_matrix. */
#include "anim/pose/dualquat.h"
#include "anim/pose/local.h"
#include "wire/pose/pose_bodies.h"
#include "wire/pose/pose_looks.h"
#include "wire/reply/reply_json.h"
#include "wire/reply/select.h"
#include "wire/reply/select_nodes.h"

#include <string.h>

enum { TRS_FLOATS = LOCAL_FLOATS, BLOCKS_MAX = 5 };

static bool is_sheared(const struct reply_context *context, uint32_t node)
{
    return local_is_sheared(&context->workspace->entity.pose, context->model, node);
}

/* False: a float is not finite and the reply is an error. */
static bool check_floats(struct reply_context *context, const float *floats, size_t count, uint32_t node, double time_s)
{
    if (floats_are_finite(floats, count))
        return true;
    struct err err;
    char name[SHORT_NAME_SIZE];
    err_set(&err, ERR_NOT_FINITE, "the transform of joint %u '%s' is not finite", node,
            short_name(context->model, context->model->nodes[node].name, name));
    return context_fail_at(context, &err, time_s);
}

/* False: the reply is an error. */
static bool store_dualquat(struct reply_context *context, uint32_t node, const struct mat4 *rounded, double time_s,
                           float floats[LAYOUT_FLOATS_MAX])
{
    const struct dmat4 matrix = dmat4_from_mat4(rounded);
    struct dualquat q;
    struct err err;
    if (!check_floats(context, rounded->m, 16, node, time_s))
        return false;
    if (dualquat_from_matrix(&matrix, &q, &err) < 0) {
        char name[SHORT_NAME_SIZE];
        err_prefix(&err, "joint %u '%s'", node, short_name(context->model, context->model->nodes[node].name, name));
        return context_fail_at(context, &err, time_s);
    }
    for (int i = 0; i < 4; i++) {
        floats[i] = (float)q.real[i];
        floats[4 + i] = (float)q.dual[i];
    }
    return true;
}

/* False: the reply is an error. */
static bool local_of(struct reply_context *context, uint32_t node, double time_s, struct trs *local)
{
    const struct reply_motion *motion = &context->motion;
    struct err err;
    return local_transform(&context->workspace->entity.pose, context->model, node,
                           motion->is_on ? &motion->motion : NULL, &motion->step, local, &err) == 0 ||
           context_fail_at(context, &err, time_s);
}

/* Writes a node's transform as floats. Returns their number, or 0 when the reply is an error. */
static size_t store_node(struct reply_context *context, uint32_t node, enum frames_block_kind kind, double time_s,
                         float floats[LAYOUT_FLOATS_MAX])
{
    struct entity_work *work = &context->workspace->entity;
    size_t count = TRS_FLOATS;
    if (kind == BLOCK_LOCAL) {
        struct trs local;
        if (!local_of(context, node, time_s, &local))
            return 0;
        local_store(&local, floats);
    } else {
        const struct dmat4 matrix =
            kind == BLOCK_SCENE ? entity_node(work, node) : pose_parent_from_node(&work->pose, context->model, node);
        const struct mat4 rounded = mat4_from_dmat4(&matrix);
        count = layout_floats(context->request->layout);
        if (context->request->layout != LAYOUT_DUALQUAT)
            layout_store_matrix(&rounded, context->request->layout, floats);
        else if (!store_dualquat(context, node, &rounded, time_s, floats))
            return 0;
    }
    return check_floats(context, floats, count, node, time_s) ? count : 0;
}

static void put_nodes(struct reply_context *context, const uint32_t *nodes, uint32_t count)
{
    struct buf *out = context->out;
    buf_put_text(out, ",\"nodes\":[");
    for (uint32_t i = 0; i < count; i++) {
        json_comma(out, i > 0);
        put_node_head(out, context->model, nodes[i]);
        json_printf(out, ",\"parent\":%d}", context->model->nodes[nodes[i]].parent);
    }
    buf_put_char(out, ']');
}

/* ,"scene":[..] or ,"local":[..]; null for nodes that have a local matrix. False: the reply is an error. */
static bool put_transforms(struct reply_context *context, const uint32_t *nodes, uint32_t count,
                           enum frames_block_kind kind, double time_s)
{
    struct buf *out = context->out;
    float floats[LAYOUT_FLOATS_MAX];
    buf_put_text(out, kind == BLOCK_SCENE ? ",\"scene\":[" : ",\"local\":[");
    for (uint32_t i = 0; i < count; i++) {
        json_comma(out, i > 0);
        if (kind == BLOCK_LOCAL && is_sheared(context, nodes[i])) {
            buf_put_text(out, "null");
            continue;
        }
        const size_t size = store_node(context, nodes[i], kind, time_s, floats);
        if (size == 0)
            return false;
        json_put_floats(out, floats, size);
    }
    buf_put_char(out, ']');
    return true;
}

/* Writes ,"local_matrix":{"4":[..]} unless empty. False: the reply is an error. */
static bool put_local_matrices(struct reply_context *context, const uint32_t *nodes, uint32_t count, double time_s)
{
    struct buf *out = context->out;
    float floats[LAYOUT_FLOATS_MAX];
    bool is_first = true;
    for (uint32_t i = 0; i < count; i++) {
        if (!is_sheared(context, nodes[i]))
            continue;
        const size_t size = store_node(context, nodes[i], BLOCK_LOCAL_MATRIX, time_s, floats);
        if (size == 0)
            return false;
        buf_put_text(out, is_first ? ",\"local_matrix\":{\"" : ",\"");
        json_put_uint(out, nodes[i]);
        buf_put_text(out, "\":");
        json_put_floats(out, floats, size);
        is_first = false;
    }
    if (!is_first)
        buf_put_char(out, '}');
    return true;
}

static void put_head(struct reply_context *context)
{
    if (context->request->what == WHAT_MATERIALS)
        return;
    json_printf(context->out, ",\"layout\":%s", layout_name(context->request->layout));
    put_nodes(context, context->work.pose.nodes, context->work.pose.node_count);
}

static bool put_frame(struct reply_context *context, double time_s)
{
    const unsigned what = context->request->what;
    const uint32_t *nodes = context->work.pose.nodes, count = context->work.pose.node_count;
    if ((what & WHAT_SCENE) != 0 && !put_transforms(context, nodes, count, BLOCK_SCENE, time_s))
        return false;
    if ((what & WHAT_MATERIALS) != 0) {
        if (!pose_looks_evaluate(context, &context->workspace->looks, context->frame))
            return false;
        pose_looks_put(context, &context->workspace->looks);
    }
    return (what & WHAT_LOCAL) == 0 || (put_transforms(context, nodes, count, BLOCK_LOCAL, time_s) &&
                                        put_local_matrices(context, nodes, count, time_s));
}

/* Finds the nodes with a local matrix, as indices into the selected nodes. */
static void find_sheared(struct reply_context *context)
{
    struct pose_work *work = &context->work.pose;
    work->sheared_count = 0;
    if (context->request->pose.time_count == 0 || (context->request->what & WHAT_LOCAL) == 0)
        return;
    context_evaluate(context, 0); /* determines which nodes the clip moves */
    for (uint32_t i = 0; i < work->node_count; i++)
        if (is_sheared(context, work->nodes[i]))
            work->sheared_places[work->sheared_count++] = i;
}

static uint32_t plan(struct reply_context *context)
{
    const struct pose_work *work = &context->work.pose;
    const unsigned what = context->request->what;
    const uint32_t matrix_bytes = layout_floats(context->request->layout) * (uint32_t)sizeof(float);
    find_sheared(context);
    struct frames_block *blocks = context_array(context, &context->workspace->blocks, BLOCKS_MAX, sizeof *blocks);
    if (blocks == NULL)
        return FRAMES_NO_PLAN;
    const struct {
        bool is_wanted;
        enum frames_block_kind kind;
        uint32_t count, item_bytes;
    } rows[BLOCKS_MAX] = {
        {context->request->pose.joint_count > 0, BLOCK_NODES, work->node_count, sizeof(uint32_t)},
        {work->sheared_count > 0, BLOCK_SHEARED, work->sheared_count, sizeof(uint32_t)},
        {(what & WHAT_SCENE) != 0, BLOCK_SCENE, work->node_count, matrix_bytes},
        {(what & WHAT_LOCAL) != 0, BLOCK_LOCAL, work->node_count, TRS_FLOATS * sizeof(float)},
        {work->sheared_count > 0, BLOCK_LOCAL_MATRIX, work->sheared_count, matrix_bytes},
    };
    uint32_t block_count = 0;
    for (int i = 0; i < BLOCKS_MAX; i++)
        if (rows[i].is_wanted)
            blocks[block_count++] = (struct frames_block){.kind = rows[i].kind,
                                                          .node = -1,
                                                          .primitive = -1,
                                                          .count = rows[i].count,
                                                          .item_bytes = rows[i].item_bytes};
    return block_count;
}

static void put_static(struct reply_context *context, const struct frames_block *block)
{
    const struct pose_work *work = &context->work.pose;
    buf_put(context->out, block->kind == BLOCK_NODES ? work->nodes : work->sheared_places,
            block->count * sizeof(uint32_t));
}

static bool put_block(struct reply_context *context, const struct frames_block *block, double time_s)
{
    const struct pose_work *work = &context->work.pose;
    float floats[LAYOUT_FLOATS_MAX];
    for (uint32_t i = 0; i < block->count; i++) {
        const uint32_t node = work->nodes[block->kind == BLOCK_LOCAL_MATRIX ? work->sheared_places[i] : i];
        if (block->kind == BLOCK_LOCAL && is_sheared(context, node))
            memset(floats, 0, sizeof floats); /* a zero rotation is invalid, which distinguishes it from a transform */
        else if (store_node(context, node, block->kind, time_s, floats) == 0)
            return false;
        buf_put(context->out, floats, block->item_bytes);
    }
    return true;
}

/* True for scene matrices of joints, whatever else is selected, so that a node has the same matrix in every selection.
 * Rigid nodes and local transforms are computed in double precision. */
static bool may_compile(const struct reply_context *context)
{
    const struct pose_work *work = &context->work.pose;
    bool has_joint = false;
    for (uint32_t i = 0; i < work->node_count && !has_joint; i++)
        has_joint = entity_is_in_rig(context->model, work->nodes[i]);
    return has_joint && context->request->what == WHAT_SCENE && context->request->layout != LAYOUT_DUALQUAT;
}

static bool start(struct reply_context *context)
{
    /* per node: its scene matrix; its transform, or null and a matrix with its number */
    enum { LOCAL_MOST = LAYOUT_FLOATS_MAX * JSON_FLOAT_MOST + JSON_LIST_MOST + sizeof "null,,\"4294967295\":" };
    const unsigned what = context->request->what;
    struct pose_work *work = &context->work.pose;
    work->nodes = select_nodes(context, &work->node_count);
    if (work->nodes == NULL)
        return false;
    work->sheared_places = work->nodes + work->node_count;
    context->may_compile = may_compile(context);
    const struct model *model = context->model;
    const uint64_t looks = (what & WHAT_MATERIALS) != 0, count = work->node_count;
    if (looks > 0 &&
        !context_is_affordable(context, pose_steps(model, &context->request->pose) + model->material_count))
        return false;
    const uint64_t floats = (what & WHAT_SCENE) != 0 ? layout_floats(context->request->layout) : 0;
    const uint64_t local = (what & WHAT_LOCAL) != 0;
    const uint64_t matrix_least = json_list_least(layout_floats(context->request->layout), JSON_NUMBER_LEAST);
    const uint64_t trs_least = json_list_least(TRS_FLOATS, JSON_NUMBER_LEAST);
    const uint64_t sheared_least = sizeof "null\"0\":" - 1 + matrix_least;
    const uint64_t local_least = trs_least < sheared_least ? trs_least : sheared_least;
    context->json = (struct json_size){
        .frame_numbers = count * (floats + local * TRS_FLOATS),
        .frame_bytes_least = (floats > 0 ? sizeof ",\"scene\":" - 1 + json_list_least(count, matrix_least) : 0) +
                             (local > 0 ? sizeof ",\"local\":" - 1 + json_list_least(count, local_least) : 0),
        .frame_bytes_most = count * (floats * JSON_FLOAT_MOST + JSON_LIST_MOST + local * LOCAL_MOST) +
                            looks * pose_looks_bytes_most(model),
    };
    return true;
}

const struct frame_writer POSE_WRITER = {.kind = FRAMES_POSE,
                                         .start = start,
                                         .put_head = put_head,
                                         .put_frame = put_frame,
                                         .plan = plan,
                                         .put_static = put_static,
                                         .put_block = put_block};

void body_put_pose(struct reply_context *context)
{
    if (frame_reply_start(context, &POSE_WRITER))
        frame_reply_make(context);
}
