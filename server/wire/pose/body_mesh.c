/* body_mesh.c - writes the deformed vertices of the selected draws at each time, in scene space. */
#include "wire/pose/pose_bodies.h"
#include "wire/pose/deform.h"
#include "wire/pose/attributes.h"
#include "wire/pose/influences.h"
#include "wire/reply/reply_json.h"

enum { BLOCKS_PER_DRAW = 13, BLOCKS_PER_SKIN = 2, VEC3_FLOATS = 3 };

static void put_entry(struct reply_context *context, uint32_t entry)
{
    const struct draw *draw = deform_draw(context, entry);
    const struct primitive *primitive = deform_primitive(context, entry);
    struct buf *out = context->out;
    put_draw_head(out, context->model, draw);
    json_printf(out, ",\"skin\":%u", draw->skin);
    put_index(out, ",\"material\":", deform_material(context, entry));
    json_printf(out, ",\"vertices\":%u,\"indices\":%u,\"topology\":%s", primitive->vertex_count, primitive->index_count,
                TOPOLOGY_NAMES[primitive->topology]);
    buf_put_text(out, (draw->flags & DRAW_IN_SCENE) != 0 ? ",\"in_scene\":true}" : ",\"in_scene\":false}");
}

static void put_indices(struct buf *out, const uint32_t *indices, uint32_t count)
{
    buf_put_char(out, '[');
    for (uint32_t i = 0; i < count && !buf_failed(out); i++) {
        json_comma(out, i > 0);
        json_put_uint(out, indices[i]);
    }
    buf_put_char(out, ']');
}

/* ,"rest":[..] or ,"indices":[..] */
static void put_json_static(struct reply_context *context, enum frames_block_kind kind)
{
    const struct deform *deform = &context->work.mesh;
    struct buf *out = context->out;
    buf_put_text(out, kind == BLOCK_REST ? ",\"rest\":[" : ",\"indices\":[");
    for (uint32_t e = 0; e < deform->draw_count; e++) {
        const struct primitive *primitive = deform_primitive(context, e);
        json_comma(out, e > 0);
        if (kind == BLOCK_REST)
            json_put_exact_floats(out, &context->model->positions[primitive->vertex_first].x,
                                  VEC3_FLOATS * (size_t)primitive->vertex_count);
        else
            put_indices(out, context->model->indices + primitive->index_first, primitive->index_count);
    }
    buf_put_char(out, ']');
}

/* ,"positions":[..] or ,"normals":[..]. False: the reply is an error. */
static bool put_vertices(struct reply_context *context, enum frames_block_kind kind, double time_s)
{
    const struct deform *deform = &context->work.mesh;
    struct buf *out = context->out;
    buf_put_text(out, kind == BLOCK_NORMALS ? ",\"normals\":[" : ",\"positions\":[");
    for (uint32_t e = 0; e < deform->draw_count && !buf_failed(out); e++) {
        if (!deform_entry(context, e, kind, time_s))
            return false;
        json_comma(out, e > 0);
        json_put_floats(out, &deform->deformed->x, VEC3_FLOATS * (size_t)deform_primitive(context, e)->vertex_count);
    }
    buf_put_char(out, ']');
    return true;
}

/* ,"influences":[..],"skins":[..] */
static void put_weights(struct reply_context *context)
{
    const struct deform *deform = &context->work.mesh;
    struct buf *out = context->out;
    buf_put_text(out, ",\"influences\":[");
    for (uint32_t e = 0; e < deform->draw_count && !buf_failed(out); e++) {
        json_comma(out, e > 0);
        influences_put_json(out, context->model, deform_draw(context, e));
    }
    buf_put_text(out, "],\"skins\":[");
    for (uint32_t s = 0; s < deform->skin_count && !buf_failed(out); s++) {
        json_comma(out, s > 0);
        influences_put_skin_json(out, context->model, deform->skins[s]);
    }
    buf_put_char(out, ']');
}

/* ,"attributes":[..] */
static void put_attributes(struct reply_context *context)
{
    const struct deform *deform = &context->work.mesh;
    buf_put_text(context->out, ",\"attributes\":[");
    for (uint32_t e = 0; e < deform->draw_count && !buf_failed(context->out); e++) {
        json_comma(context->out, e > 0);
        attributes_put_json(context->out, context->model, deform_primitive(context, e));
    }
    buf_put_char(context->out, ']');
}

static void put_head(struct reply_context *context)
{
    const struct deform *deform = &context->work.mesh;
    struct buf *out = context->out;
    buf_put_text(out, ",\"meshes\":[");
    for (uint32_t e = 0; e < deform->draw_count; e++) {
        json_comma(out, e > 0);
        put_entry(context, e);
    }
    buf_put_char(out, ']');
    if (context->request->vertices.has_rest)
        put_json_static(context, BLOCK_REST);
    if (context->request->vertices.has_indices)
        put_json_static(context, BLOCK_INDICES);
    if (context->request->vertices.has_attributes)
        put_attributes(context);
    if (context->request->vertices.has_weights)
        put_weights(context);
}

static bool put_frame(struct reply_context *context, double time_s)
{
    context->work.mesh.skin = UINT32_MAX;
    return put_vertices(context, BLOCK_POSITIONS, time_s) &&
           (!context->request->vertices.has_normals || put_vertices(context, BLOCK_NORMALS, time_s));
}

/* Returns the items of an entry's block; 0 when it has no such block. */
static uint32_t items_of(const struct reply_context *context, uint32_t entry, enum frames_block_kind kind,
                         uint32_t *item_bytes)
{
    const struct primitive *primitive = deform_primitive(context, entry);
    if (influences_have_block(kind))
        return influences_items(context->model, deform_draw(context, entry), kind, item_bytes);
    if (attributes_have_block(kind))
        return attributes_items(context->model, primitive, kind, item_bytes);
    *item_bytes = kind == BLOCK_INDICES ? sizeof(uint32_t) : sizeof(struct vec3);
    return kind == BLOCK_INDICES ? primitive->index_count : primitive->vertex_count;
}

/* Plans the blocks of one kind for all entries; some entries lack dual weights and attributes. Returns the new number
 * of blocks. */
static uint32_t plan_kind(const struct reply_context *context, enum frames_block_kind kind, struct frames_block *blocks,
                          uint32_t count)
{
    const struct deform *deform = &context->work.mesh;
    for (uint32_t e = 0; e < deform->draw_count; e++) {
        const struct draw *draw = deform_draw(context, e);
        struct frames_block block = {
            .kind = kind,
            .index = e,
            .node = (int32_t)draw->node,
            .primitive = (int32_t)(draw->primitive -
                                   context->model->meshes[deform_primitive(context, e)->mesh].primitive_first)};
        block.count = items_of(context, e, kind, &block.item_bytes);
        if (block.count > 0 || (kind != BLOCK_DUAL_WEIGHTS && !attributes_have_block(kind)))
            blocks[count++] = block;
    }
    return count;
}

static uint32_t plan_skins(const struct reply_context *context, enum frames_block_kind kind,
                           struct frames_block *blocks, uint32_t count)
{
    const struct deform *deform = &context->work.mesh;
    for (uint32_t s = 0; s < deform->skin_count; s++) {
        struct frames_block *block = &blocks[count++];
        *block = (struct frames_block){.kind = kind, .index = deform->skins[s], .node = -1, .primitive = -1};
        block->count = influences_skin_items(context->model, deform->skins[s], kind, &block->item_bytes);
    }
    return count;
}

/* Plans the static blocks of all entries, then those of skins, then the others. */
static uint32_t plan(struct reply_context *context)
{
    const struct request *request = context->request;
    const struct deform *deform = &context->work.mesh;
    const size_t most = BLOCKS_PER_DRAW * (size_t)deform->draw_count + BLOCKS_PER_SKIN * (size_t)deform->skin_count;
    struct frames_block *blocks = context_array(context, &context->workspace->blocks, most, sizeof *blocks);
    if (blocks == NULL)
        return FRAMES_NO_PLAN;
    uint32_t count = 0;
    if (request->vertices.has_rest)
        count = plan_kind(context, BLOCK_REST, blocks, count);
    if (request->vertices.has_indices)
        count = plan_kind(context, BLOCK_INDICES, blocks, count);
    for (int kind = BLOCK_REST_NORMALS; request->vertices.has_attributes && kind <= BLOCK_TANGENTS; kind++)
        count = plan_kind(context, (enum frames_block_kind)kind, blocks, count);
    if (request->vertices.has_weights) {
        count = plan_kind(context, BLOCK_INFLUENCE_FIRSTS, blocks, count);
        count = plan_kind(context, BLOCK_INFLUENCE_JOINTS, blocks, count);
        count = plan_kind(context, BLOCK_INFLUENCE_WEIGHTS, blocks, count);
        count = plan_kind(context, BLOCK_DUAL_WEIGHTS, blocks, count);
        count = plan_skins(context, BLOCK_JOINT_NODES, blocks, count);
        count = plan_skins(context, BLOCK_JOINT_FROM_BIND, blocks, count);
    }
    count = plan_kind(context, BLOCK_POSITIONS, blocks, count);
    return request->vertices.has_normals ? plan_kind(context, BLOCK_NORMALS, blocks, count) : count;
}

static void put_static(struct reply_context *context, const struct frames_block *block)
{
    const bool is_of_skin = block->kind == BLOCK_JOINT_NODES || block->kind == BLOCK_JOINT_FROM_BIND;
    const size_t size_bytes = (size_t)block->count * block->item_bytes;
    const struct model *model = context->model;
    if (influences_have_block(block->kind))
        influences_put_block(context->out, model, is_of_skin ? NULL : deform_draw(context, block->index), block);
    else if (attributes_have_block(block->kind))
        attributes_put_block(context->out, model, deform_primitive(context, block->index), block->kind);
    else if (block->kind == BLOCK_REST)
        buf_put(context->out, model->positions + deform_primitive(context, block->index)->vertex_first, size_bytes);
    else
        buf_put(context->out, model->indices + deform_primitive(context, block->index)->index_first, size_bytes);
}

/* Writes directly into the answer. */
static bool put_block(struct reply_context *context, const struct frames_block *block, double time_s)
{
    struct deform *deform = &context->work.mesh;
    struct vec3 *const own = deform->deformed;
    const size_t size_bytes = (size_t)block->count * block->item_bytes;
    char *to = buf_reserve(context->out, size_bytes);
    if (to == NULL)
        return true; /* the buffer records the failure */
    if (block->kind == BLOCK_POSITIONS && block->index == 0)
        deform->skin = UINT32_MAX; /* at the beginning of a frame */
    deform->deformed = (struct vec3 *)(void *)to;
    const bool is_good = deform_entry(context, block->index, block->kind, time_s);
    deform->deformed = own;
    if (is_good)
        buf_advance(context->out, size_bytes);
    return is_good;
}

enum { WEIGHTS_LEAST_BYTES = 12 }; /* each vertex has at least a first index, a joint and a weight */

/* Finds the skins of weights=1. The exact size is only known after a pass over all vertices, so requests that certainly
 * exceed the limit are refused here. False: the reply is an error. */
static bool find_skins(struct reply_context *context)
{
    struct deform *deform = &context->work.mesh;
    uint64_t vertices = 0;
    for (uint32_t e = 0; e < deform->draw_count; e++)
        vertices += deform_primitive(context, e)->vertex_count;
    if (context->request->vertices.has_weights && context->request->format == FORMAT_BIN &&
        vertices > context->limit_bytes / WEIGHTS_LEAST_BYTES)
        return context_fail_too_large(context);
    if (context->request->vertices.has_weights)
        deform->skins = influences_skins(context, deform->draws, deform->draw_count, &context->workspace->places,
                                         &deform->skin_count);
    return !context->request->vertices.has_weights || deform->skins != NULL;
}

/* Returns a lower bound of the numbers that weights=1 adds. */
static uint64_t count_weights(const struct reply_context *context)
{
    const struct deform *deform = &context->work.mesh;
    uint64_t count = 0;
    for (uint32_t e = 0; e < deform->draw_count; e++) {
        const struct primitive *primitive = deform_primitive(context, e);
        const uint32_t *firsts = context->model->influence_firsts + primitive->vertex_first;
        const uint32_t influences = firsts[primitive->vertex_count] - firsts[0];
        const uint64_t least = influences > primitive->vertex_count ? influences : primitive->vertex_count;
        count += primitive->vertex_count + 2 * least;
    }
    for (uint32_t s = 0; s < deform->skin_count; s++)
        count += 16 * (uint64_t)context->model->skins[deform->skins[s]].joint_count;
    return count;
}

static bool start(struct reply_context *context)
{
    struct deform *deform = &context->work.mesh;
    if (!deform_start(context) || !find_skins(context))
        return false;
    const bool has_normals = context->request->vertices.has_normals;
    uint64_t vertices = 0, indices = 0, attributes = 0, least = json_list_least(deform->draw_count, 0);
    for (uint32_t e = 0; e < deform->draw_count; e++) {
        const uint64_t count = deform_primitive(context, e)->vertex_count;
        vertices += count;
        least += json_list_least(count * VEC3_FLOATS, JSON_NUMBER_LEAST);
        indices += deform_primitive(context, e)->index_count;
        attributes += attributes_count(context->model, deform_primitive(context, e));
    }
    const uint64_t floats = vertices * VEC3_FLOATS, arrays = has_normals ? 2 : 1;
    context->json = (struct json_size){
        .frame_numbers = floats * arrays,
        .frame_bytes_least =
            sizeof ",\"positions\":" - 1 + least + (has_normals ? sizeof ",\"normals\":" - 1 + least : 0),
        .head_numbers = (context->request->vertices.has_rest ? floats : 0) +
                        (context->request->vertices.has_indices ? indices : 0) +
                        (context->request->vertices.has_attributes ? attributes : 0) +
                        (context->request->vertices.has_weights ? count_weights(context) : 0),
        .frame_bytes_most = arrays * (floats * JSON_FLOAT_MOST + deform->draw_count * (uint64_t)JSON_LIST_MOST),
    };
    return true;
}

const struct frame_writer MESH_WRITER = {.kind = FRAMES_MESH,
                                         .start = start,
                                         .put_head = put_head,
                                         .put_frame = put_frame,
                                         .plan = plan,
                                         .put_static = put_static,
                                         .put_block = put_block};

void body_put_mesh(struct reply_context *context)
{
    if (context->request->format == FORMAT_GLB)
        body_put_glb(context);
    else if (frame_reply_start(context, &MESH_WRITER))
        frame_reply_make(context);
}
