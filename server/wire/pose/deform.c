#include "wire/pose/deform.h"

#include "wire/reply/select.h"

/* This many influences and morph deltas cost about as much as one node. */
enum { DELTAS_PER_STEP = 32 };

const struct draw *deform_draw(const struct reply_context *context, uint32_t entry)
{
    return &context->model->draws[context->work.mesh.draws[entry]];
}

const struct primitive *deform_primitive(const struct reply_context *context, uint32_t entry)
{
    return &context->model->primitives[deform_draw(context, entry)->primitive];
}

int32_t deform_material(const struct reply_context *context, uint32_t entry)
{
    return model_material(context->model, deform_draw(context, entry)->primitive, context->work.mesh.variant);
}

/* Estimates a frame of the selected draws besides the pose: palettes as made by load_palette(), and vertices. */
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
        joints +=
            draw->skin == skin ? 0 : (skin_has_parts(model, draw->skin) ? 2 : 1) * model->skins[draw->skin].joint_count;
        deltas += (uint64_t)p->vertex_count * p->morph_target_count + (firsts[p->vertex_count] - firsts[0]);
        skin = draw->skin;
    }
    const bool is_glb = context->request->format == FORMAT_GLB;
    const bool has_tangents = is_glb && model->tangent_count > 0;
    const uint64_t passes = has_tangents ? 3 : context->request->vertices.has_normals || is_glb ? 2 : 1;
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
        if (skin_has_parts(model, draw->skin) && joints > most->parts)
            most->parts = joints;
        most->vertices = primitive->vertex_count > most->vertices ? primitive->vertex_count : most->vertices;
    }
    return draws;
}

bool deform_palette(struct reply_context *context, const struct deform_most *most, struct skin_palette *palette)
{
    struct workspace *workspace = context->workspace;
    *palette = (struct skin_palette){
        .matrices = context_array(context, &workspace->palette, most->joints, sizeof *palette->matrices)};
    if (palette->matrices != NULL && most->parts > 0)
        palette->parts = context_array(context, &workspace->parts, most->parts, sizeof *palette->parts);
    return palette->matrices != NULL && (most->parts == 0 || palette->parts != NULL);
}

/* False: the reply is an error. */
static bool find_variant(struct reply_context *context)
{
    const struct request *request = context->request;
    uint32_t variant;
    if (request->variant.kind == SELECT_NONE)
        return true;
    if (select_thing(context->model, request->model, THING_VARIANT, &request->variant, &variant, context->reply) < 0)
        return false;
    context->work.mesh.variant = variant + 1;
    return true;
}

bool deform_start(struct reply_context *context)
{
    struct workspace *workspace = context->workspace;
    struct deform *deform = &context->work.mesh;
    struct deform_most most;
    *deform = (struct deform){.skin = UINT32_MAX};
    if (!find_variant(context))
        return false;
    deform->draws = deform_select(context, &deform->draw_count, &most);
    if (deform->draws == NULL)
        return false;
    if (!deform_palette(context, &most, &deform->palette))
        return false;
    deform->deformed = context_array(context, &workspace->vertices, most.vertices, sizeof(struct vec4));
    if (deform->deformed == NULL)
        return false;
    return context_is_affordable(context,
                                 pose_steps(context->model, &context->request->pose) + steps_per_frame(context));
}

/* Makes the palette of an entry's skin and keeps it for the next entries of the frame. False: the reply is an error. */
static bool load_palette(struct reply_context *context, uint32_t skin, double time_s)
{
    struct deform *deform = &context->work.mesh;
    struct err err;
    if (deform->skin == skin)
        return true;
    if (skin_palette_make(&deform->palette, &context->workspace->entity.pose, context->model, skin, &DMAT4_IDENTITY,
                          &err) < 0)
        return context_fail_at(context, &err, time_s);
    deform->skin = skin;
    return true;
}

bool deform_entry(struct reply_context *context, uint32_t entry, enum frames_block_kind kind, double time_s)
{
    const struct deform *deform = &context->work.mesh;
    struct err err;
    if (!load_palette(context, deform_draw(context, entry)->skin, time_s))
        return false;
    skin_draw(context->model, deform->draws[entry], &context->workspace->entity.pose, &deform->palette,
              kind == BLOCK_NORMALS, deform->deformed);
    return skin_check(context->model, deform->draws[entry], deform->deformed, &err) == 0 ||
           context_fail_at(context, &err, time_s);
}

const struct vec4 *deform_tangents(struct reply_context *context, uint32_t entry)
{
    const struct deform *deform = &context->work.mesh;
    struct vec4 *tangents = (struct vec4 *)(void *)deform->deformed;
    skin_tangents(context->model, deform_draw(context, entry)->primitive, &deform->palette, tangents);
    return tangents;
}
