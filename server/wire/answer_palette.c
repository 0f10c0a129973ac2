/* answer_palette.c - the skinning palettes of the selected skins at every time. */
#include "answer_dualquat.h"
#include "answer_parts.h"
#include "answer_select.h"
#include "json.h"

#include <string.h>

/* The skins asked for, in that order; all without skin=. NULL: the reply is an error. */
static const uint32_t *select_skins(struct task *task, uint32_t *count)
{
    const struct request *request = task->request;
    *count = request->skin_count > 0 ? request->skin_count : task->model->skin_count;
    uint32_t *skins = parts_array(&task->answer->selection, *count, sizeof *skins);
    if (skins == NULL) {
        parts_fail_memory(task);
        return NULL;
    }
    for (uint32_t i = 0; i < *count; i++) {
        skins[i] = i;
        if (request->skin_count > 0 &&
            select_thing(task->model, request, THING_SKIN, &request->skins[i], &skins[i], task->reply) < 0)
            return NULL;
    }
    return skins;
}

/* The node of mesh=, or -1: each skin's own. False: the reply is an error. */
static bool select_mesh_node(struct task *task, int32_t *node)
{
    const struct request *request = task->request;
    uint32_t index = 0;
    *node = -1;
    if (request->mesh.kind == SELECT_ABSENT)
        return true;
    if (request->space != SPACE_MESH) {
        struct err err;
        err_set(&err, ERR_BAD_PARAMETER, "mesh= names the node of space=mesh; this palette is in another space");
        parts_fail(task, &err);
        return false;
    }
    if (select_thing(task->model, request, THING_MESH_NODE, &request->mesh, &index, task->reply) < 0)
        return false;
    *node = (int32_t)index;
    return true;
}

/* The palette of one skin of the evaluated pose; NULL: the reply is an error. */
static const struct mat4 *evaluate_palette(struct task *task, uint32_t skin, int32_t mesh_node, double time_s)
{
    const struct model *model = task->model;
    const struct pose *pose = &task->answer->pose;
    struct err err;
    struct dmat4 space_from_scene;
    struct mat4 *palette = parts_array(&task->answer->palette, model->skins[skin].joint_count, sizeof *palette);
    if (palette == NULL) {
        parts_fail_memory(task);
        return NULL;
    }
    const int32_t node = mesh_node >= 0 ? mesh_node : model->skins[skin].mesh_node;
    if (pose_space_from_scene(pose, model, task->request->space, node, &space_from_scene, &err) < 0 ||
        pose_palette(pose, model, skin, &space_from_scene, palette, &err) < 0) {
        parts_fail_at(task, &err, time_s);
        return NULL;
    }
    return palette;
}

/* The same in the layout asked for: parts_matrix_floats() a joint. NULL: the reply is an error. */
static const float *lay_palette(struct task *task, uint32_t skin, int32_t mesh_node, double time_s)
{
    const enum layout layout = task->request->layout;
    const uint32_t count = task->model->skins[skin].joint_count, size = parts_matrix_floats(layout);
    struct err err;
    const struct mat4 *palette = evaluate_palette(task, skin, mesh_node, time_s);
    if (palette == NULL || layout == LAYOUT_MAT4)
        return palette == NULL ? NULL : palette->m;
    float *laid = parts_array(&task->answer->laid, (size_t)count * size, sizeof *laid);
    if (laid == NULL) {
        parts_fail_memory(task);
        return NULL;
    }
    if (layout == LAYOUT_DUALQUAT && dualquats_of_palette(task, skin, palette, laid, &err) < 0) {
        parts_fail_at(task, &err, time_s);
        return NULL;
    }
    for (uint32_t j = 0; layout == LAYOUT_MAT3X4 && j < count; j++) {
        float rows[MATRIX_FLOATS_MAX] = {0};
        parts_lay_matrix(&palette[j], layout, rows);
        memcpy(laid + (size_t)j * size, rows, size * sizeof *rows);
    }
    return laid;
}

static void put_skin(struct task *task, uint32_t index)
{
    const struct skin *skin = &task->model->skins[index];
    struct buf *out = task->out;
    buf_put_text(out, "{\"index\":");
    json_put_uint(out, index);
    buf_put_text(out, ",\"name\":");
    json_put_str(out, task->model, skin->name);
    if ((skin->flags & SKIN_RIGID) != 0)
        buf_put_text(out, ",\"rigid\":true");
    buf_put_text(out, ",\"joints\":[");
    for (uint32_t j = 0; j < skin->joint_count; j++) {
        if (j > 0)
            buf_put_char(out, ',');
        parts_put_node_head(out, task->model, task->model->joints[skin->joint_first + j].node);
        buf_put_char(out, '}');
    }
    buf_put_text(out, "]}");
}

static void put_palette(struct task *task, const float *laid, uint32_t joint_count)
{
    const uint32_t size = parts_matrix_floats(task->request->layout);
    buf_put_char(task->out, '[');
    for (uint32_t j = 0; j < joint_count; j++) {
        if (j > 0)
            buf_put_char(task->out, ',');
        json_put_floats(task->out, laid + (size_t)j * size, size);
    }
    buf_put_char(task->out, ']');
}

static void put_json(struct task *task, const uint32_t *skins, uint32_t count, int32_t mesh_node)
{
    static const char *const SPACES[] = {[SPACE_SCENE] = "scene", [SPACE_ROOT] = "root", [SPACE_MESH] = "mesh"};
    const struct request *request = task->request;
    struct buf *out = task->out;
    parts_put_head(task);
    buf_put_text(out, ",\"space\":\"");
    buf_put_text(out, SPACES[request->space]);
    buf_put_text(out, "\",\"layout\":\"");
    buf_put_text(out, parts_layout_name(request->layout));
    buf_put_text(out, "\",\"skins\":[");
    for (uint32_t s = 0; s < count; s++) {
        if (s > 0)
            buf_put_char(out, ',');
        put_skin(task, skins[s]);
    }
    buf_put_text(out, "],\"frames\":[");
    for (uint32_t f = 0; f < request->time_count && !buf_failed(out); f++) {
        if (f > 0)
            buf_put_char(out, ',');
        parts_put_frame_head(task, f);
        parts_evaluate(task, f);
        if (!motion_put(task, request->times_s[f]))
            return;
        buf_put_text(out, ",\"palettes\":[");
        for (uint32_t s = 0; s < count; s++) {
            const float *laid = lay_palette(task, skins[s], mesh_node, request->times_s[f]);
            if (laid == NULL)
                return;
            if (s > 0)
                buf_put_char(out, ',');
            put_palette(task, laid, task->model->skins[skins[s]].joint_count);
        }
        buf_put_text(out, "]}");
    }
    buf_put_text(out, "]}\n");
}

static void put_binary(struct task *task, const uint32_t *skins, uint32_t count, int32_t mesh_node)
{
    const struct request *request = task->request;
    const uint32_t item_bytes = parts_matrix_floats(request->layout) * (uint32_t)sizeof(float);
    struct frames frames;
    struct frames_block *blocks = parts_array(&task->answer->blocks, count, sizeof *blocks);
    if (blocks == NULL) {
        parts_fail_memory(task);
        return;
    }
    for (uint32_t s = 0; s < count; s++)
        blocks[s] = (struct frames_block){.kind = BLOCK_PALETTE,
                                          .index = skins[s],
                                          .node = -1,
                                          .primitive = -1,
                                          .count = task->model->skins[skins[s]].joint_count,
                                          .item_bytes = item_bytes};
    if (!parts_start_frames(task, &frames, FRAMES_PALETTE, count))
        return;
    for (uint32_t f = 0; f < request->time_count && !buf_failed(task->out); f++) {
        parts_evaluate(task, f);
        if (!motion_put_block(task, &frames, f))
            return;
        for (uint32_t s = 0; s < count; s++) {
            const float *laid = lay_palette(task, skins[s], mesh_node, request->times_s[f]);
            if (laid == NULL)
                return;
            frames_start_block(task->out, &frames, &blocks[s], f);
            buf_put(task->out, laid, (size_t)blocks[s].count * item_bytes);
        }
    }
    frames_finish(task->out, &frames);
}

void answer_palette(struct task *task)
{
    uint32_t count = 0;
    int32_t mesh_node = -1;
    const uint32_t *skins = select_skins(task, &count);
    if (skins == NULL || !select_mesh_node(task, &mesh_node))
        return;
    if (task->request->layout == LAYOUT_DUALQUAT && !dualquats_start(task, skins, count))
        return;
    if (task->request->format == FORMAT_BIN) {
        put_binary(task, skins, count, mesh_node);
        return;
    }
    uint64_t joints = 0;
    for (uint32_t s = 0; s < count; s++)
        joints += task->model->skins[skins[s]].joint_count;
    if (parts_may_fit_json(task, joints * parts_matrix_floats(task->request->layout), 0))
        put_json(task, skins, count, mesh_node);
}
