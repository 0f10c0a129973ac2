#include "render/passes/pass_surface.h"

#include <stdlib.h>

static int init_palettes(struct pass_palettes *palettes, const struct model *model, const struct pose *pose,
                         struct err *err)
{
    const bool has_parts = skin_parts_most(model) > 0;
    palettes->pose = pose;
    palettes->matrices = malloc(((size_t)model->joint_count + 1) * sizeof *palettes->matrices);
    palettes->parts = has_parts ? malloc(((size_t)model->joint_count + 1) * sizeof *palettes->parts) : NULL;
    palettes->is_made = calloc((size_t)model->skin_count + 1, 1);
    if (palettes->matrices == NULL || palettes->is_made == NULL || (has_parts && palettes->parts == NULL))
        return err_set(err, ERR_NO_MEMORY, "no memory for the palettes of %u joints", model->joint_count);
    return 0;
}

static void fini_palettes(struct pass_palettes *palettes)
{
    free(palettes->matrices);
    free(palettes->parts);
    free(palettes->is_made);
}

static struct skin_palette palette_of(const struct pass_palettes *palettes, const struct model *model, uint32_t skin)
{
    const uint32_t first = model->skins[skin].joint_first;
    return (struct skin_palette){.matrices = palettes->matrices + first,
                                 .parts = skin_has_parts(model, skin) ? palettes->parts + first : NULL,
                                 .method = model->skins[skin].method};
}

static int make_palette(struct pass_palettes *palettes, const struct model *model, uint32_t skin, struct err *err)
{
    struct skin_palette palette = palette_of(palettes, model, skin);
    if (palettes->is_made[skin] != 0)
        return 0;
    palettes->is_made[skin] = 1;
    return skin_palette_make(&palette, palettes->pose, model, skin, &DMAT4_IDENTITY, err);
}

int pass_surfaces_init(struct pass_surfaces *surfaces, const struct model *model, const struct posed_model *posed,
                       const struct posed_model *later, struct err *err)
{
    *surfaces = (struct pass_surfaces){.model = model, .posed = posed, .later = later};
    surfaces->surface_count = posed->draw_count > 0 ? posed->draw_count : 1;
    surfaces->surfaces = calloc(surfaces->surface_count, sizeof *surfaces->surfaces);
    if (surfaces->surfaces == NULL)
        return err_set(err, ERR_NO_MEMORY, "no memory for the surfaces of %u draws", posed->draw_count);
    if (init_palettes(&surfaces->now, model, &posed->pose, err) < 0 ||
        (later != NULL && init_palettes(&surfaces->then, model, &later->pose, err) < 0))
        return err->code;
    return 0;
}

void pass_surfaces_fini(struct pass_surfaces *surfaces)
{
    for (uint32_t s = 0; surfaces->surfaces != NULL && s < surfaces->surface_count; s++) {
        struct pass_surface *surface = &surfaces->surfaces[s];
        free(surface->positions);
        free(surface->normals);
        free(surface->later);
        free(surface->is_posed);
        free(surface->morphed_normals);
        free(surface->later_bind);
    }
    free(surfaces->surfaces);
    fini_palettes(&surfaces->now);
    fini_palettes(&surfaces->then);
    *surfaces = (struct pass_surfaces){0};
}

static bool allocate(struct pass_surface *surface, bool has_later)
{
    const size_t count = (size_t)surface->vertex_count + 1;
    surface->positions = malloc(count * sizeof *surface->positions);
    surface->normals = malloc(count * sizeof *surface->normals);
    surface->later = has_later ? malloc(count * sizeof *surface->later) : NULL;
    surface->is_posed = calloc(count, 1);
    return surface->positions != NULL && surface->normals != NULL && surface->is_posed != NULL &&
           (!has_later || surface->later != NULL);
}

/* Bones that the later pose does not have stay where they are. */
static int load_bones(struct pass_surfaces *surfaces, struct pass_surface *surface, struct err *err)
{
    const struct skeleton_mesh *now = &surfaces->posed->skeleton;
    const struct posed_model *later = surfaces->later;
    surface->vertex_count = now->vertex_count;
    if (!allocate(surface, later != NULL))
        return err_set(err, ERR_NO_MEMORY, "no memory for %u vertices of bones", surface->vertex_count);
    for (uint32_t v = 0; v < now->vertex_count; v++) {
        const bool has_later = later != NULL && later->skeleton.vertex_count == now->vertex_count;
        surface->positions[v] = now->positions[v];
        surface->normals[v] = now->normals[v];
        surface->is_posed[v] = 1;
        if (surface->later != NULL)
            surface->later[v] = has_later ? later->skeleton.positions[v] : now->positions[v];
    }
    return 0;
}

/* Morphs the bind positions and normals of all vertices where the draw has weights. */
static int load_morphed(struct pass_surfaces *surfaces, struct pass_surface *surface, struct err *err)
{
    const struct model *model = surfaces->model;
    const uint32_t primitive = surface->draw->primitive;
    const struct node *node = &model->nodes[surface->draw->node];
    const size_t size_bytes = ((size_t)surface->vertex_count + 1) * sizeof(struct vec3);
    if (model->primitives[primitive].morph_target_count == 0 || node->weight_count == 0)
        return 0;
    surface->morphed_normals = malloc(size_bytes);
    surface->later_bind = surfaces->later != NULL ? malloc(size_bytes) : NULL;
    if (surface->morphed_normals == NULL || (surfaces->later != NULL && surface->later_bind == NULL))
        return err_set(err, ERR_NO_MEMORY, "no memory for %u morphed vertices", surface->vertex_count);
    skin_morph_normals(model, primitive, surfaces->now.pose->weights + node->weight_first, node->weight_count,
                       surface->morphed_normals);
    if (surfaces->later != NULL)
        skin_morph_positions(model, primitive, surfaces->then.pose->weights + node->weight_first, node->weight_count,
                             surface->later_bind);
    return 0;
}

static int load(struct pass_surfaces *surfaces, uint32_t number, struct pass_surface *surface, struct err *err)
{
    const struct model *model = surfaces->model;
    if (surfaces->posed->draw_count == 0)
        return load_bones(surfaces, surface, err);
    const struct posed_draw *posed = &surfaces->posed->draws[number];
    surface->draw = &model->draws[posed->draw];
    const struct primitive *primitive = &model->primitives[surface->draw->primitive];
    surface->vertex_first = primitive->vertex_first;
    surface->vertex_count = primitive->vertex_count;
    surface->bind = posed_model_bind(surfaces->posed, model, posed);
    if (!allocate(surface, surfaces->later != NULL))
        return err_set(err, ERR_NO_MEMORY, "no memory for %u vertices", surface->vertex_count);
    if (load_morphed(surfaces, surface, err) < 0 || make_palette(&surfaces->now, model, surface->draw->skin, err) < 0 ||
        (surfaces->later != NULL && make_palette(&surfaces->then, model, surface->draw->skin, err) < 0))
        return err->code;
    return 0;
}

struct pass_surface *pass_surface_get(struct pass_surfaces *surfaces, uint32_t number, struct err *err)
{
    struct pass_surface *surface = &surfaces->surfaces[number];
    if (!surface->is_ready && load(surfaces, number, surface, err) < 0)
        return NULL;
    surface->is_ready = true;
    return surface;
}

void pass_surface_pose(struct pass_surfaces *surfaces, struct pass_surface *surface, uint32_t vertex)
{
    const struct model *model = surfaces->model;
    const uint32_t v = surface->vertex_first + vertex;
    if (surface->is_posed[vertex] != 0)
        return;
    surface->is_posed[vertex] = 1;
    const struct skin_palette now = palette_of(&surfaces->now, model, surface->draw->skin);
    const struct vec3 normal = surface->morphed_normals != NULL ? surface->morphed_normals[vertex] : model->normals[v];
    skin_position(model, v, &now, DOUBLE3(surface->bind[vertex]), &surface->positions[vertex]);
    skin_normal(model, v, &now, DOUBLE3(normal), &surface->normals[vertex]);
    if (surface->later == NULL)
        return;
    const struct skin_palette then = palette_of(&surfaces->then, model, surface->draw->skin);
    const struct vec3 bind = surface->later_bind != NULL ? surface->later_bind[vertex] : model->positions[v];
    skin_position(model, v, &then, DOUBLE3(bind), &surface->later[vertex]);
}
