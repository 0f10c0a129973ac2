#include "wire/bodies/deform.h"

#include "anim/pose/skin.h"
#include "wire/reply/select.h"

/* So many influences and morph deltas are about the work for one node. */
enum { VEC3_FLOATS = 3, DELTAS_PER_STEP = 32 };

const struct draw *deform_draw(const struct reply_context *context, uint32_t entry)
{
    return &context->model->draws[context->work.mesh.draws[entry]];
}

const struct primitive *deform_primitive(const struct reply_context *context, uint32_t entry)
{
    return &context->model->primitives[deform_draw(context, entry)->primitive];
}

uint32_t deform_place(const struct model *model, uint32_t primitive)
{
    return primitive - model->meshes[model->primitives[primitive].mesh].primitive_first;
}

/* What a frame of the chosen draws takes, beside the pose: palettes as load_palette() makes them, and vertices. */
static uint64_t steps_per_frame(const struct reply_context *context)
{
    const struct deform *deform = &context->work.mesh;
    const struct model *model = context->model;
    uint64_t joints = 0, deltas = 0;
    uint32_t skin = UINT32_MAX;
    for (uint32_t e = 0; e < deform->draw_count; e++) {
        const struct draw *draw = deform_draw(context, e);
        const struct primitive *p = &model->primitives[draw->primitive];
        const uint32_t *firsts = model->influence_firsts + p->vertex_first;
        joints += draw->skin == skin ? 0 : model->skins[draw->skin].joint_count;
        deltas += (uint64_t)p->vertex_count * p->morph_target_count + (firsts[p->vertex_count] - firsts[0]);
        skin = draw->skin;
    }
    const bool is_glb = context->request->format == FORMAT_GLB;
    const bool has_tangents = is_glb && model->tangent_count > 0;
    const uint64_t passes = has_tangents ? 3 : context->request->has_normals || is_glb ? 2 : 1;
    return passes * (joints + deform->draw_count + deltas / DELTAS_PER_STEP);
}

uint32_t *deform_select(struct reply_context *context, uint32_t *count, struct deform_most *most)
{
    const struct model *model = context->model;
    const struct selector *selector = &context->request->mesh;
    uint32_t mesh = UINT32_MAX;
    *count = 0;
    *most = (struct deform_most){0};
    if (selector->kind != SELECT_NONE &&
        select_thing(model, context->request->model, THING_MESH, selector, &mesh, context->reply) < 0)
        return NULL;
    uint32_t *draws = context_array(context, &context->workspace->selection, model->draw_count, sizeof *draws);
    for (uint32_t d = 0; draws != NULL && d < model->draw_count; d++) {
        const struct draw *draw = &model->draws[d];
        const struct primitive *primitive = &model->primitives[draw->primitive];
        if (mesh != UINT32_MAX && primitive->mesh != mesh)
            continue;
        draws[(*count)++] = d;
        const uint32_t joints = model->skins[draw->skin].joint_count;
        most->joints = joints > most->joints ? joints : most->joints;
        most->vertices = primitive->vertex_count > most->vertices ? primitive->vertex_count : most->vertices;
    }
    return draws;
}

bool deform_start(struct reply_context *context)
{
    struct workspace *workspace = context->workspace;
    struct deform *deform = &context->work.mesh;
    struct deform_most most;
    *deform = (struct deform){.skin = UINT32_MAX};
    deform->draws = deform_select(context, &deform->draw_count, &most);
    if (deform->draws == NULL)
        return false;
    deform->palette = context_array(context, &workspace->palette, most.joints, sizeof *deform->palette);
    deform->morphed = context_array(context, &workspace->vertices, 2 * (size_t)most.vertices, sizeof *deform->morphed);
    if (deform->palette == NULL || deform->morphed == NULL)
        return false;
    deform->deformed = deform->morphed + most.vertices;
    return context_is_affordable(context, pose_steps(context->model, context->request) + steps_per_frame(context));
}

static bool check_vertices(struct reply_context *context, uint32_t entry, double time_s)
{
    const struct primitive *primitive = deform_primitive(context, entry);
    const struct deform *deform = &context->work.mesh;
    for (uint32_t v = 0; v < primitive->vertex_count; v++) {
        if (floats_are_finite(&deform->deformed[v].x, VEC3_FLOATS))
            continue;
        struct err err;
        err_set(&err, ERR_NOT_FINITE, "vertex %u of mesh %u, primitive %u, at node %u is not finite", v,
                primitive->mesh, deform_place(context->model, deform_draw(context, entry)->primitive),
                deform_draw(context, entry)->node);
        return context_fail_at(context, &err, time_s);
    }
    return true;
}

/* The palette of an entry's skin; kept from entry to entry of a frame. False: the reply is an error. */
static bool load_palette(struct reply_context *context, uint32_t skin, double time_s)
{
    struct deform *deform = &context->work.mesh;
    struct err err;
    if (deform->skin == skin)
        return true;
    if (pose_palette(&context->workspace->pose, context->model, skin, &DMAT4_IDENTITY, deform->palette, &err) < 0)
        return context_fail_at(context, &err, time_s);
    deform->skin = skin;
    return true;
}

bool deform_entry(struct reply_context *context, uint32_t entry, enum frames_block_kind kind, double time_s)
{
    const struct model *model = context->model;
    struct deform *deform = &context->work.mesh;
    const struct draw *draw = deform_draw(context, entry);
    const struct primitive *primitive = &model->primitives[draw->primitive];
    const struct node *node = &model->nodes[draw->node];
    const bool is_normal = kind == BLOCK_NORMALS;
    const struct vec3 *bind = (is_normal ? model->normals : model->positions) + primitive->vertex_first;
    if (!load_palette(context, draw->skin, time_s))
        return false;
    if (primitive->morph_target_count > 0 && node->weight_count > 0) {
        const double *weights = context->workspace->pose.weights + node->weight_first;
        if (is_normal)
            skin_morph_normals(model, draw->primitive, weights, node->weight_count, deform->morphed);
        else
            skin_morph_positions(model, draw->primitive, weights, node->weight_count, deform->morphed);
        bind = deform->morphed;
    }
    if (is_normal)
        skin_normals(model, draw->primitive, deform->palette, bind, deform->deformed);
    else
        skin_positions(model, draw->primitive, deform->palette, bind, deform->deformed);
    return check_vertices(context, entry, time_s);
}

const struct vec4 *deform_tangents(struct reply_context *context, uint32_t entry)
{
    struct deform *deform = &context->work.mesh;
    struct vec4 *tangents = (struct vec4 *)(void *)deform->morphed; /* both arrays: 6 floats a vertex */
    skin_tangents(context->model, deform_draw(context, entry)->primitive, deform->palette, tangents);
    return tangents;
}
