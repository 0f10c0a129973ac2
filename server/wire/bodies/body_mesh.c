/* body_mesh.c - the deformed vertices of the selected draws at every time, in scene space. */
#include "wire/bodies/bodies.h"
#include "wire/bodies/deform.h"
#include "wire/reply/reply_json.h"

enum { BLOCKS_PER_DRAW = 4, VEC3_FLOATS = 3 };

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
    if (context->request->has_rest)
        put_json_static(context, BLOCK_REST);
    if (context->request->has_indices)
        put_json_static(context, BLOCK_INDICES);
}

static bool put_frame(struct reply_context *context, double time_s)
{
    context->work.mesh.skin = UINT32_MAX;
    return put_vertices(context, BLOCK_POSITIONS, time_s) &&
           (!context->request->has_normals || put_vertices(context, BLOCK_NORMALS, time_s));
}

/* Static blocks of all entries, then the others: BLOCK_REST, BLOCK_INDICES, BLOCK_POSITIONS, BLOCK_NORMALS. */
static uint32_t plan(struct reply_context *context)
{
    const struct request *request = context->request;
    const struct deform *deform = &context->work.mesh;
    struct frames_block *blocks = context_array(context, &context->workspace->blocks,
                                                BLOCKS_PER_DRAW * (size_t)deform->draw_count, sizeof *blocks);
    if (blocks == NULL)
        return FRAMES_NO_PLAN;
    const struct {
        bool is_wanted;
        enum frames_block_kind kind;
    } rows[BLOCKS_PER_DRAW] = {{request->has_rest, BLOCK_REST},
                               {request->has_indices, BLOCK_INDICES},
                               {true, BLOCK_POSITIONS},
                               {request->has_normals, BLOCK_NORMALS}};
    uint32_t count = 0;
    for (int r = 0; r < BLOCKS_PER_DRAW; r++) {
        for (uint32_t e = 0; rows[r].is_wanted && e < deform->draw_count; e++) {
            const struct primitive *primitive = deform_primitive(context, e);
            const struct draw *draw = deform_draw(context, e);
            const bool is_indices = rows[r].kind == BLOCK_INDICES;
            blocks[count] = (struct frames_block){
                .kind = rows[r].kind,
                .index = e,
                .node = (int32_t)draw->node,
                .primitive = (int32_t)(draw->primitive - context->model->meshes[primitive->mesh].primitive_first),
                .count = is_indices ? primitive->index_count : primitive->vertex_count,
                .item_bytes = is_indices ? sizeof(uint32_t) : sizeof(struct vec3)};
            count++;
        }
    }
    return count;
}

static void put_static(struct reply_context *context, const struct frames_block *block)
{
    const struct primitive *primitive = deform_primitive(context, block->index);
    const size_t size_bytes = (size_t)block->count * block->item_bytes;
    if (block->kind == BLOCK_REST)
        buf_put(context->out, context->model->positions + primitive->vertex_first, size_bytes);
    else
        buf_put(context->out, context->model->indices + primitive->index_first, size_bytes);
}

/* Straight into the answer. */
static bool put_block(struct reply_context *context, const struct frames_block *block, double time_s)
{
    struct deform *deform = &context->work.mesh;
    struct vec3 *const own = deform->deformed;
    const size_t size_bytes = (size_t)block->count * block->item_bytes;
    char *to = buf_reserve(context->out, size_bytes);
    if (to == NULL)
        return true; /* the buffer says so */
    if (block->kind == BLOCK_POSITIONS && block->index == 0)
        deform->skin = UINT32_MAX; /* a frame begins */
    deform->deformed = (struct vec3 *)(void *)to;
    const bool is_good = deform_entry(context, block->index, block->kind, time_s);
    deform->deformed = own;
    if (is_good)
        buf_advance(context->out, size_bytes);
    return is_good;
}

static bool start(struct reply_context *context)
{
    struct deform *deform = &context->work.mesh;
    if (!deform_start(context))
        return false;
    const bool has_normals = context->request->has_normals;
    uint64_t vertices = 0, indices = 0, least = json_list_least(deform->draw_count, 0);
    for (uint32_t e = 0; e < deform->draw_count; e++) {
        const uint64_t count = deform_primitive(context, e)->vertex_count;
        vertices += count;
        least += json_list_least(count * VEC3_FLOATS, JSON_NUMBER_LEAST);
        indices += deform_primitive(context, e)->index_count;
    }
    const uint64_t floats = vertices * VEC3_FLOATS, arrays = has_normals ? 2 : 1;
    context->json = (struct json_size){
        .frame_numbers = floats * arrays,
        .frame_bytes_least =
            sizeof ",\"positions\":" - 1 + least + (has_normals ? sizeof ",\"normals\":" - 1 + least : 0),
        .head_numbers = (context->request->has_rest ? floats : 0) + (context->request->has_indices ? indices : 0),
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
