#include "wire/bodies/answer_deform.h"

#include "anim/pose/skin.h"
#include "wire/answer/answer_select.h"

/* So many influences and morph deltas are about the work for one node. */
enum { VEC3_FLOATS = 3, DELTAS_PER_STEP = 32 };

const struct draw *deform_draw(const struct task *task, const struct deform *work, uint32_t entry)
{
    return &task->model->draws[work->draws[entry]];
}

const struct primitive *deform_primitive(const struct task *task, const struct deform *work, uint32_t entry)
{
    return &task->model->primitives[deform_draw(task, work, entry)->primitive];
}

uint32_t deform_place(const struct model *model, uint32_t primitive)
{
    return primitive - model->meshes[model->primitives[primitive].mesh].primitive_first;
}

/* What a frame of the chosen draws takes, beside the pose: palettes as load_palette() makes them, and vertices. */
static uint64_t steps_per_frame(const struct task *task, const struct deform *work)
{
    const struct model *model = task->model;
    uint64_t joints = 0, deltas = 0;
    uint32_t skin = UINT32_MAX;
    for (uint32_t e = 0; e < work->draw_count; e++) {
        const struct draw *draw = deform_draw(task, work, e);
        const struct primitive *p = &model->primitives[draw->primitive];
        const uint32_t *firsts = model->influence_firsts + p->vertex_first;
        joints += draw->skin == skin ? 0 : model->skins[draw->skin].joint_count;
        deltas += (uint64_t)p->vertex_count * p->morph_target_count + (firsts[p->vertex_count] - firsts[0]);
        skin = draw->skin;
    }
    const bool is_glb = task->request->format == FORMAT_GLB;
    const bool has_tangents = is_glb && model->tangent_count > 0;
    const uint64_t passes = has_tangents ? 3 : task->request->has_normals || is_glb ? 2 : 1;
    return passes * (joints + work->draw_count + deltas / DELTAS_PER_STEP);
}

bool deform_start(struct task *task, struct deform *work)
{
    const struct model *model = task->model;
    struct answer *answer = task->answer;
    uint32_t mesh = UINT32_MAX, joints = 0, vertices = 0;
    if (task->request->mesh.kind != SELECT_ABSENT &&
        select_thing(model, task->request, THING_MESH, &task->request->mesh, &mesh, task->reply) < 0)
        return false;
    uint32_t *draws = parts_array(&answer->selection, model->draw_count, sizeof *draws);
    *work = (struct deform){.draws = draws, .skin = UINT32_MAX};
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

static bool check_vertices(struct task *task, const struct deform *work, uint32_t entry, double time_s)
{
    const struct primitive *primitive = deform_primitive(task, work, entry);
    for (uint32_t v = 0; v < primitive->vertex_count; v++) {
        if (parts_is_finite(&work->deformed[v].x, VEC3_FLOATS))
            continue;
        struct err err;
        err_set(&err, ERR_NOT_FINITE, "vertex %u of mesh %u, primitive %u, at node %u is not finite", v,
                primitive->mesh, deform_place(task->model, deform_draw(task, work, entry)->primitive),
                deform_draw(task, work, entry)->node);
        parts_fail_at(task, &err, time_s);
        return false;
    }
    return true;
}

/* The palette of an entry's skin; kept from entry to entry of a frame. False: the reply is an error. */
static bool load_palette(struct task *task, struct deform *work, uint32_t skin, double time_s)
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

bool deform_entry(struct task *task, struct deform *work, uint32_t entry, enum frames_block_kind kind, double time_s)
{
    const struct model *model = task->model;
    const struct draw *draw = deform_draw(task, work, entry);
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

const struct vec4 *deform_tangents(struct task *task, struct deform *work, uint32_t entry)
{
    struct vec4 *tangents = (struct vec4 *)(void *)work->morphed; /* both arrays: 6 floats a vertex */
    skin_tangents(task->model, deform_draw(task, work, entry)->primitive, work->palette, tangents);
    return tangents;
}
