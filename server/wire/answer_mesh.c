/* answer_mesh.c - the deformed vertices of the selected draws at every time, in scene space. */
#include "../anim/skin.h"
#include "answer_parts.h"
#include "answer_select.h"
#include "json.h"

#include <string.h>

/* So many influences and morph deltas are about the work for one node. */
enum { BLOCKS_PER_DRAW = 4, VEC3_FLOATS = 3, DELTAS_PER_STEP = 32 };

/* Memory for one primitive at a time. */
struct work {
    const uint32_t *draws;
    uint32_t draw_count;
    struct mat4 *palette; /* of the skin of the draw at hand */
    struct vec3 *morphed, *deformed;
    uint32_t skin; /* whose palette it is; UINT32_MAX: none yet */
};

static const struct draw *draw_of(const struct task *task, const struct work *work, uint32_t entry)
{
    return &task->model->draws[work->draws[entry]];
}

static const struct primitive *primitive_of(const struct task *task, const struct work *work, uint32_t entry)
{
    return &task->model->primitives[draw_of(task, work, entry)->primitive];
}

static uint32_t place_in_mesh(const struct model *model, uint32_t primitive)
{
    return primitive - model->meshes[model->primitives[primitive].mesh].primitive_first;
}

/* What a frame of the chosen draws takes, beside the pose: palettes as load_palette() makes them, and vertices. */
static uint64_t steps_per_frame(const struct task *task, const struct work *work)
{
    const struct model *model = task->model;
    uint64_t joints = 0, deltas = 0;
    uint32_t skin = UINT32_MAX;
    for (uint32_t e = 0; e < work->draw_count; e++) {
        const struct draw *draw = draw_of(task, work, e);
        const struct primitive *p = &model->primitives[draw->primitive];
        const uint32_t *firsts = model->influence_firsts + p->vertex_first;
        joints += draw->skin == skin ? 0 : model->skins[draw->skin].joint_count;
        deltas += (uint64_t)p->vertex_count * p->morph_target_count + (firsts[p->vertex_count] - firsts[0]);
        skin = draw->skin;
    }
    const uint64_t passes = task->request->has_normals ? 2 : 1;
    return passes * (joints + work->draw_count + deltas / DELTAS_PER_STEP);
}

/* The draws asked for, in the model's order, and memory for the largest. False: the reply is an error. */
static bool start_work(struct task *task, struct work *work)
{
    const struct model *model = task->model;
    struct answer *answer = task->answer;
    uint32_t mesh = UINT32_MAX, joints = 0, vertices = 0;
    if (task->request->mesh.kind != SELECT_ABSENT &&
        select_thing(model, task->request, THING_MESH, &task->request->mesh, &mesh, task->reply) < 0)
        return false;
    uint32_t *draws = parts_array(&answer->selection, model->draw_count, sizeof *draws);
    *work = (struct work){.draws = draws, .skin = UINT32_MAX};
    for (uint32_t d = 0; draws != NULL && d < model->draw_count; d++) {
        const struct draw *draw = &model->draws[d];
        const struct primitive *primitive = &model->primitives[draw->primitive];
        if (mesh != UINT32_MAX && primitive->mesh != mesh)
            continue;
        draws[work->draw_count++] = d;
        joints = model->skins[draw->skin].joint_count > joints ? model->skins[draw->skin].joint_count : joints;
        vertices = primitive->vertex_count > vertices ? primitive->vertex_count : vertices;
    }
    work->palette = parts_array(&answer->palette, joints, sizeof *work->palette);
    work->morphed = parts_array(&answer->vertices, 2 * (size_t)vertices, sizeof *work->morphed);
    if (draws == NULL || work->palette == NULL || work->morphed == NULL) {
        parts_fail_memory(task);
        return false;
    }
    work->deformed = work->morphed + vertices;
    return parts_is_affordable(task, parts_pose_steps(model, task->request) + steps_per_frame(task, work));
}

static bool check_vertices(struct task *task, const struct work *work, uint32_t entry, double time_s)
{
    const struct primitive *primitive = primitive_of(task, work, entry);
    for (uint32_t v = 0; v < primitive->vertex_count; v++) {
        if (parts_is_finite(&work->deformed[v].x, VEC3_FLOATS))
            continue;
        struct err err;
        err_set(&err, ERR_NOT_FINITE, "vertex %u of mesh %u, primitive %u, at node %u is not finite", v,
                primitive->mesh, place_in_mesh(task->model, draw_of(task, work, entry)->primitive),
                draw_of(task, work, entry)->node);
        parts_fail_at(task, &err, time_s);
        return false;
    }
    return true;
}

/* The palette of an entry's skin; kept from entry to entry of a frame. False: the reply is an error. */
static bool load_palette(struct task *task, struct work *work, uint32_t skin, double time_s)
{
    struct err err;
    if (work->skin == skin)
        return true;
    if (pose_palette(&task->answer->pose, task->model, skin, &DMAT4_IDENTITY, work->palette, &err) < 0) {
        parts_fail_at(task, &err, time_s);
        return false;
    }
    work->skin = skin;
    return true;
}

/* Positions or normals of one entry, into work->deformed. False: the reply is an error. */
static bool deform(struct task *task, struct work *work, uint32_t entry, enum frames_block_kind kind, double time_s)
{
    const struct model *model = task->model;
    const struct draw *draw = draw_of(task, work, entry);
    const struct primitive *primitive = &model->primitives[draw->primitive];
    const struct node *node = &model->nodes[draw->node];
    const bool is_normal = kind == BLOCK_NORMALS;
    const struct vec3 *bind = (is_normal ? model->normals : model->positions) + primitive->vertex_first;
    if (!load_palette(task, work, draw->skin, time_s))
        return false;
    if (primitive->morph_target_count > 0 && node->weight_count > 0) {
        const double *weights = task->answer->pose.weights + node->weight_first;
        if (is_normal)
            skin_morph_normals(model, draw->primitive, weights, node->weight_count, work->morphed);
        else
            skin_morph_positions(model, draw->primitive, weights, node->weight_count, work->morphed);
        bind = work->morphed;
    }
    if (is_normal)
        skin_normals(model, draw->primitive, work->palette, bind, work->deformed);
    else
        skin_positions(model, draw->primitive, work->palette, bind, work->deformed);
    return check_vertices(task, work, entry, time_s);
}

static void put_entry(struct task *task, const struct work *work, uint32_t entry)
{
    static const char *const TOPOLOGIES[] = {
        [TOPOLOGY_TRIANGLES] = "triangles", [TOPOLOGY_LINES] = "lines", [TOPOLOGY_POINTS] = "points"};
    const struct draw *draw = draw_of(task, work, entry);
    const struct primitive *primitive = primitive_of(task, work, entry);
    struct buf *out = task->out;
    buf_put_text(out, "{\"name\":");
    json_put_str(out, task->model, task->model->meshes[primitive->mesh].name);
    buf_put_text(out, ",\"node\":");
    json_put_uint(out, draw->node);
    buf_put_text(out, ",\"mesh\":");
    json_put_uint(out, primitive->mesh);
    buf_put_text(out, ",\"primitive\":");
    json_put_uint(out, place_in_mesh(task->model, draw->primitive));
    buf_put_text(out, ",\"skin\":");
    json_put_uint(out, draw->skin);
    buf_put_text(out, ",\"material\":");
    parts_put_index(out, primitive->material);
    buf_put_text(out, ",\"vertices\":");
    json_put_uint(out, primitive->vertex_count);
    buf_put_text(out, ",\"indices\":");
    json_put_uint(out, primitive->index_count);
    buf_put_text(out, ",\"topology\":\"");
    buf_put_text(out, TOPOLOGIES[primitive->topology]);
    buf_put_text(out, (draw->flags & DRAW_IN_SCENE) != 0 ? "\",\"in_scene\":true}" : "\",\"in_scene\":false}");
}

static void put_indices(struct buf *out, const uint32_t *indices, uint32_t count)
{
    buf_put_char(out, '[');
    for (uint32_t i = 0; i < count && !buf_failed(out); i++) {
        if (i > 0)
            buf_put_char(out, ',');
        json_put_uint(out, indices[i]);
    }
    buf_put_char(out, ']');
}

/* ,"rest":[..] or ,"indices":[..] */
static void put_static(struct task *task, const struct work *work, enum frames_block_kind kind)
{
    struct buf *out = task->out;
    buf_put_text(out, kind == BLOCK_REST ? ",\"rest\":[" : ",\"indices\":[");
    for (uint32_t e = 0; e < work->draw_count; e++) {
        const struct primitive *primitive = primitive_of(task, work, e);
        if (e > 0)
            buf_put_char(out, ',');
        if (kind == BLOCK_REST)
            json_put_exact_floats(out, &task->model->positions[primitive->vertex_first].x,
                                  VEC3_FLOATS * (size_t)primitive->vertex_count);
        else
            put_indices(out, task->model->indices + primitive->index_first, primitive->index_count);
    }
    buf_put_char(out, ']');
}

/* ,"positions":[..] or ,"normals":[..]. False: the reply is an error. */
static bool put_vertices(struct task *task, struct work *work, enum frames_block_kind kind, double time_s)
{
    struct buf *out = task->out;
    buf_put_text(out, kind == BLOCK_NORMALS ? ",\"normals\":[" : ",\"positions\":[");
    for (uint32_t e = 0; e < work->draw_count && !buf_failed(out); e++) {
        if (!deform(task, work, e, kind, time_s))
            return false;
        if (e > 0)
            buf_put_char(out, ',');
        json_put_floats(out, &work->deformed->x, VEC3_FLOATS * (size_t)primitive_of(task, work, e)->vertex_count);
    }
    buf_put_char(out, ']');
    return true;
}

static void put_json(struct task *task, struct work *work)
{
    const struct request *request = task->request;
    struct buf *out = task->out;
    parts_put_head(task);
    buf_put_text(out, ",\"meshes\":[");
    for (uint32_t e = 0; e < work->draw_count; e++) {
        if (e > 0)
            buf_put_char(out, ',');
        put_entry(task, work, e);
    }
    buf_put_char(out, ']');
    if (request->has_rest)
        put_static(task, work, BLOCK_REST);
    if (request->has_indices)
        put_static(task, work, BLOCK_INDICES);
    buf_put_text(out, ",\"frames\":[");
    for (uint32_t f = 0; f < request->time_count && !buf_failed(out); f++) {
        const double time_s = request->times_s[f];
        if (f > 0)
            buf_put_char(out, ',');
        parts_put_frame_head(task, f);
        parts_evaluate(task, f);
        if (!motion_put(task, time_s))
            return;
        work->skin = UINT32_MAX;
        if (!put_vertices(task, work, BLOCK_POSITIONS, time_s) ||
            (request->has_normals && !put_vertices(task, work, BLOCK_NORMALS, time_s)))
            return;
        buf_put_char(out, '}');
    }
    buf_put_text(out, "]}\n");
}

/* Static blocks of all entries, then the others: BLOCK_REST, BLOCK_INDICES, BLOCK_POSITIONS, BLOCK_NORMALS. */
static uint32_t plan_blocks(const struct task *task, const struct work *work, struct frames_block *blocks)
{
    const struct request *request = task->request;
    const struct {
        bool is_wanted;
        enum frames_block_kind kind;
    } rows[BLOCKS_PER_DRAW] = {{request->has_rest, BLOCK_REST},
                               {request->has_indices, BLOCK_INDICES},
                               {true, BLOCK_POSITIONS},
                               {request->has_normals, BLOCK_NORMALS}};
    uint32_t count = 0;
    for (int r = 0; r < BLOCKS_PER_DRAW; r++) {
        for (uint32_t e = 0; rows[r].is_wanted && e < work->draw_count; e++) {
            const struct primitive *primitive = primitive_of(task, work, e);
            const struct draw *draw = draw_of(task, work, e);
            const bool is_indices = rows[r].kind == BLOCK_INDICES;
            blocks[count] =
                (struct frames_block){.kind = rows[r].kind,
                                      .index = e,
                                      .node = (int32_t)draw->node,
                                      .primitive = (int32_t)place_in_mesh(task->model, draw->primitive),
                                      .count = is_indices ? primitive->index_count : primitive->vertex_count,
                                      .item_bytes = is_indices ? sizeof(uint32_t) : sizeof(struct vec3)};
            count++;
        }
    }
    return count;
}

static void put_static_block(struct task *task, const struct work *work, const struct frames_block *block)
{
    const struct primitive *primitive = primitive_of(task, work, block->index);
    const size_t size_bytes = (size_t)block->count * block->item_bytes;
    if (block->kind == BLOCK_REST)
        buf_put(task->out, task->model->positions + primitive->vertex_first, size_bytes);
    else
        buf_put(task->out, task->model->indices + primitive->index_first, size_bytes);
}

static void put_binary(struct task *task, struct work *work)
{
    struct frames frames;
    struct frames_block *blocks =
        parts_array(&task->answer->blocks, BLOCKS_PER_DRAW * (size_t)work->draw_count, sizeof *blocks);
    if (blocks == NULL) {
        parts_fail_memory(task);
        return;
    }
    if (!parts_start_frames(task, &frames, FRAMES_MESH, plan_blocks(task, work, blocks)))
        return;
    uint32_t first = 0;
    for (; first < frames.block_count && frames_is_static(blocks[first].kind); first++) {
        frames_start_block(task->out, &frames, &blocks[first], 0);
        put_static_block(task, work, &blocks[first]);
    }
    for (uint32_t f = 0; f < frames.frame_count && !buf_failed(task->out); f++) {
        parts_evaluate(task, f);
        if (!motion_put_block(task, &frames, f))
            return;
        work->skin = UINT32_MAX;
        for (uint32_t b = first; b < frames.block_count; b++) {
            if (!deform(task, work, blocks[b].index, blocks[b].kind, frames.times_s[f]))
                return;
            frames_start_block(task->out, &frames, &blocks[b], f);
            buf_put(task->out, work->deformed, (size_t)blocks[b].count * blocks[b].item_bytes);
        }
    }
    frames_finish(task->out, &frames);
}

void answer_mesh(struct task *task)
{
    struct work work;
    if (!start_work(task, &work))
        return;
    if (task->request->format == FORMAT_BIN) {
        put_binary(task, &work);
        return;
    }
    uint64_t vertices = 0, indices = 0;
    for (uint32_t e = 0; e < work.draw_count; e++) {
        vertices += primitive_of(task, &work, e)->vertex_count;
        indices += primitive_of(task, &work, e)->index_count;
    }
    const uint64_t per_frame = vertices * VEC3_FLOATS * (task->request->has_normals ? 2 : 1);
    const uint64_t once =
        (task->request->has_rest ? vertices * VEC3_FLOATS : 0) + (task->request->has_indices ? indices : 0);
    if (parts_may_fit_json(task, per_frame, once))
        put_json(task, &work);
}
