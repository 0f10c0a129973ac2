#include "wire/bodies/deform.h"

#include "anim/pose/skin.h"
#include "wire/reply/select.h"

/* So many influences and morph deltas are about the work for one node. */
enum { VEC3_FLOATS = 3, DELTAS_PER_STEP = 32 };

const struct draw *deform_draw(const struct reply_context *context, const struct deform *work, uint32_t entry)
{
    return &context->model->draws[work->draws[entry]];
}

const struct primitive *deform_primitive(const struct reply_context *context, const struct deform *work, uint32_t entry)
{
    return &context->model->primitives[deform_draw(context, work, entry)->primitive];
}

uint32_t deform_place(const struct model *model, uint32_t primitive)
{
    return primitive - model->meshes[model->primitives[primitive].mesh].primitive_first;
}

/* What a frame of the chosen draws takes, beside the pose: palettes as load_palette() makes them, and vertices. */
static uint64_t steps_per_frame(const struct reply_context *context, const struct deform *work)
{
    const struct model *model = context->model;
    uint64_t joints = 0, deltas = 0;
    uint32_t skin = UINT32_MAX;
    for (uint32_t e = 0; e < work->draw_count; e++) {
        const struct draw *draw = deform_draw(context, work, e);
        const struct primitive *p = &model->primitives[draw->primitive];
        const uint32_t *firsts = model->influence_firsts + p->vertex_first;
        joints += draw->skin == skin ? 0 : model->skins[draw->skin].joint_count;
        deltas += (uint64_t)p->vertex_count * p->morph_target_count + (firsts[p->vertex_count] - firsts[0]);
        skin = draw->skin;
    }
    const bool is_glb = context->request->format == FORMAT_GLB;
    const bool has_tangents = is_glb && model->tangent_count > 0;
    const uint64_t passes = has_tangents ? 3 : context->request->has_normals || is_glb ? 2 : 1;
    return passes * (joints + work->draw_count + deltas / DELTAS_PER_STEP);
}

bool deform_start(struct reply_context *context, struct deform *work)
{
    const struct model *model = context->model;
    struct workspace *answer = context->answer;
    uint32_t mesh = UINT32_MAX, joints = 0, vertices = 0;
    if (context->request->mesh.kind != SELECT_NONE &&
        select_thing(model, context->request, THING_MESH, &context->request->mesh, &mesh, context->reply) < 0)
        return false;
    uint32_t *draws = workspace_array(&answer->selection, model->draw_count, sizeof *draws);
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
    work->palette = workspace_array(&answer->palette, joints, sizeof *work->palette);
    work->morphed = workspace_array(&answer->vertices, 2 * (size_t)vertices, sizeof *work->morphed);
    if (draws == NULL || work->palette == NULL || work->morphed == NULL) {
        context_fail_memory(context);
        return false;
    }
    work->deformed = work->morphed + vertices;
    return context_is_affordable(context, pose_steps(model, context->request) + steps_per_frame(context, work));
}

static bool check_vertices(struct reply_context *context, const struct deform *work, uint32_t entry, double time_s)
{
    const struct primitive *primitive = deform_primitive(context, work, entry);
    for (uint32_t v = 0; v < primitive->vertex_count; v++) {
        if (floats_are_finite(&work->deformed[v].x, VEC3_FLOATS))
            continue;
        struct err err;
        err_set(&err, ERR_NOT_FINITE, "vertex %u of mesh %u, primitive %u, at node %u is not finite", v,
                primitive->mesh, deform_place(context->model, deform_draw(context, work, entry)->primitive),
                deform_draw(context, work, entry)->node);
        context_fail_at(context, &err, time_s);
        return false;
    }
    return true;
}

/* The palette of an entry's skin; kept from entry to entry of a frame. False: the reply is an error. */
static bool load_palette(struct reply_context *context, struct deform *work, uint32_t skin, double time_s)
{
    struct err err;
    if (work->skin == skin)
        return true;
    if (pose_palette(&context->answer->pose, context->model, skin, &DMAT4_IDENTITY, work->palette, &err) < 0) {
        context_fail_at(context, &err, time_s);
        return false;
    }
    work->skin = skin;
    return true;
}

bool deform_entry(struct reply_context *context, struct deform *work, uint32_t entry, enum frames_block_kind kind,
                  double time_s)
{
    const struct model *model = context->model;
    const struct draw *draw = deform_draw(context, work, entry);
    const struct primitive *primitive = &model->primitives[draw->primitive];
    const struct node *node = &model->nodes[draw->node];
    const bool is_normal = kind == BLOCK_NORMALS;
    const struct vec3 *bind = (is_normal ? model->normals : model->positions) + primitive->vertex_first;
    if (!load_palette(context, work, draw->skin, time_s))
        return false;
    if (primitive->morph_target_count > 0 && node->weight_count > 0) {
        const double *weights = context->answer->pose.weights + node->weight_first;
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
    return check_vertices(context, work, entry, time_s);
}

const struct vec4 *deform_tangents(struct reply_context *context, struct deform *work, uint32_t entry)
{
    struct vec4 *tangents = (struct vec4 *)(void *)work->morphed; /* both arrays: 6 floats a vertex */
    skin_tangents(context->model, deform_draw(context, work, entry)->primitive, work->palette, tangents);
    return tangents;
}
