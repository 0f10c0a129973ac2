/* bake_check_meshes.c - checks vertices, meshes, primitives, morph targets and draws. */
#include "anim/bake/bake_check.h"

#include <math.h>
#include <stdlib.h>

static int check_vertices(const struct model *model, struct err *err)
{
    const uint32_t count = model->position_count;
    const struct {
        const char *section;
        const float *values;
        uint32_t count, width;
        bool is_optional;
    } arrays[] = {
        {"positions", (const float *)model->positions, model->position_count, 3, false},
        {"normals", (const float *)model->normals, model->normal_count, 3, false},
        {"texcoords", (const float *)model->texcoords, model->texcoord_count, 2, true},
        {"second_texcoords", (const float *)model->second_texcoords, model->second_texcoord_count, 2, true},
        {"tangents", (const float *)model->tangents, model->tangent_count, 4, true},
        {"dual_weights", model->dual_weights, model->dual_weight_count, 1, true},
        {"colors", NULL, model->color_count, 0, true},
    };
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++) {
        if (arrays[i].count != count && !(arrays[i].is_optional && arrays[i].count == 0))
            return err_set(err, ERR_BAD_BAKE, "%s has not one element per vertex", arrays[i].section);
        if (!floats_are_finite(arrays[i].values, (uint64_t)arrays[i].width * arrays[i].count))
            return err_set(err, ERR_BAD_BAKE, "%s has a value that is not finite", arrays[i].section);
    }
    for (uint32_t v = 0; v < model->dual_weight_count; v++)
        if (!(model->dual_weights[v] >= 0 && model->dual_weights[v] <= 1))
            return bake_check_fail(err, "dual_weights", v, "weight");
    if (model->influence_first_count != (uint64_t)count + 1)
        return err_set(err, ERR_BAD_BAKE, "influence_firsts has not one element per vertex");
    if (!floats_are_finite((const float *)model->morph_deltas, 3 * (uint64_t)model->morph_delta_count))
        return err_set(err, ERR_BAD_BAKE, "morph_deltas has a value that is not finite");
    return 0;
}

static int check_influences(const struct model *model, struct err *err)
{
    const uint32_t *firsts = model->influence_firsts;
    if (firsts[0] != 0)
        return bake_check_fail(err, "influence_firsts", 0, "first");
    for (uint64_t v = 0; v < model->position_count; v++)
        if (firsts[v + 1] < firsts[v])
            return bake_check_fail(err, "influence_firsts", v + 1, "first");
    if (firsts[model->position_count] != model->influence_count)
        return bake_check_fail(err, "influence_firsts", model->position_count, "first");
    for (uint32_t i = 0; i < model->influence_count; i++)
        if (!(isfinite(model->influences[i].weight) && model->influences[i].weight > 0))
            return bake_check_fail(err, "influences", i, "weight");
    return 0;
}

static int check_mesh_ranges(const struct model *model, struct err *err)
{
    uint64_t primitives = 0;
    for (uint32_t m = 0; m < model->mesh_count; m++) {
        const struct mesh *mesh = &model->meshes[m];
        primitives += mesh->primitive_count;
        if (!bake_is_str(model, mesh->name))
            return bake_check_fail(err, "meshes", m, "name");
        if (!bake_is_range(mesh->primitive_first, mesh->primitive_count, model->primitive_count))
            return bake_check_fail(err, "meshes", m, "primitives");
    }
    /* Each primitive lies in the range of its own mesh, so with this sum no two ranges overlap. */
    if (primitives != model->primitive_count)
        return err_set(err, ERR_BAD_BAKE, "meshes have %llu primitives of %u", (unsigned long long)primitives,
                       model->primitive_count);
    return 0;
}

/* The sums over all primitives. They may not exceed the arrays, so overlapping ranges cannot cost extra time. */
struct totals {
    uint64_t vertices, influences, indices, targets;
};

static bool are_indices(const struct model *model, const struct primitive *p)
{
    if (!bake_is_range(p->index_first, p->index_count, model->index_count) ||
        p->index_count % primitive_corner_count(p) != 0)
        return false;
    for (uint32_t i = 0; i < p->index_count; i++)
        if (model->indices[p->index_first + i] >= p->vertex_count)
            return false;
    return true;
}

static bool are_deltas(const struct model *model, uint32_t first, uint32_t vertex_count)
{
    return first == UINT32_MAX || bake_is_range(first, vertex_count, model->morph_delta_count);
}

static bool are_targets(const struct model *model, const struct primitive *p)
{
    if (!bake_is_range(p->morph_target_first, p->morph_target_count, model->morph_target_count))
        return false;
    for (uint32_t t = 0; t < p->morph_target_count; t++) {
        const struct morph_target *target = &model->morph_targets[p->morph_target_first + t];
        if (!are_deltas(model, target->position_first, p->vertex_count) ||
            !are_deltas(model, target->normal_first, p->vertex_count))
            return false;
    }
    return true;
}

static uint32_t influences_of(const struct model *model, const struct primitive *p)
{
    return model->influence_firsts[p->vertex_first + p->vertex_count] - model->influence_firsts[p->vertex_first];
}

static bool are_vertices(const struct model *model, const struct primitive *p, struct totals *totals)
{
    if (totals->vertices > model->position_count ||
        !bake_is_range(p->vertex_first, p->vertex_count, model->position_count))
        return false;
    totals->influences += influences_of(model, p);
    return totals->influences <= model->influence_count;
}

static bool is_of_mesh(const struct model *model, uint32_t primitive)
{
    const uint32_t m = model->primitives[primitive].mesh;
    return m < model->mesh_count && primitive >= model->meshes[m].primitive_first &&
           primitive - model->meshes[m].primitive_first < model->meshes[m].primitive_count;
}

static bool are_flags(const struct model *model, uint32_t flags)
{
    const uint32_t known = PRIMITIVE_FILE_NORMALS | PRIMITIVE_TEXCOORDS | PRIMITIVE_COLORS | PRIMITIVE_FLAT |
                           PRIMITIVE_SECOND_TEXCOORDS | PRIMITIVE_TANGENTS;
    return (flags & ~known) == 0 && ((flags & PRIMITIVE_FLAT) == 0 || (flags & PRIMITIVE_FILE_NORMALS) == 0) &&
           ((flags & PRIMITIVE_TEXCOORDS) == 0 || model->texcoord_count == model->position_count) &&
           ((flags & PRIMITIVE_SECOND_TEXCOORDS) == 0 || model->second_texcoord_count == model->position_count) &&
           ((flags & PRIMITIVE_TANGENTS) == 0 || model->tangent_count == model->position_count) &&
           ((flags & PRIMITIVE_COLORS) == 0 || model->color_count == model->position_count);
}

static int check_primitive(const struct model *model, uint32_t i, struct totals *totals, struct err *err)
{
    const struct primitive *p = &model->primitives[i];
    totals->vertices += p->vertex_count;
    totals->indices += p->index_count;
    totals->targets += p->morph_target_count;
    const char *field = !is_of_mesh(model, i)                                                   ? "mesh"
                        : p->topology > TOPOLOGY_POINTS                                         ? "topology"
                        : !are_vertices(model, p, totals)                                       ? "vertices"
                        : totals->indices > model->index_count || !are_indices(model, p)        ? "indices"
                        : totals->targets > model->morph_target_count || !are_targets(model, p) ? "morph_targets"
                        : !bake_is_index(p->material, model->material_count)                    ? "material"
                        : !are_flags(model, p->flags)                                           ? "flags"
                                                                                                : NULL;
    return field == NULL ? 0 : bake_check_fail(err, "primitives", i, field);
}

static const char *variant_fault(const struct model *model, uint32_t i)
{
    const struct str name = model->variants[i].name;
    return i >= VARIANTS_MAX ? "count" : !bake_is_str(model, name) || name.offset == STR_NONE ? "name" : NULL;
}

static const char *variant_material_fault(const struct model *model, uint32_t i)
{
    const struct variant_material *at = &model->variant_materials[i];
    const bool is_behind = i == 0 || at[-1].primitive < at->primitive ||
                           (at[-1].primitive == at->primitive && at[-1].variant < at->variant);
    return at->primitive >= model->primitive_count               ? "primitive"
           : at->variant >= model->variant_count                 ? "variant"
           : !is_behind                                          ? "primitive"
           : !bake_is_index(at->material, model->material_count) ? "material"
           : at->reserved != 0                                   ? "reserved"
                                                                 : NULL;
}

int bake_check_meshes(const struct model *model, struct err *err)
{
    int rc = check_vertices(model, err);
    if (rc == 0)
        rc = check_influences(model, err);
    if (rc == 0)
        rc = check_mesh_ranges(model, err);
    struct totals totals = {0};
    for (uint32_t p = 0; p < model->primitive_count && rc == 0; p++)
        rc = check_primitive(model, p, &totals, err);
    for (uint32_t t = 0; t < model->morph_target_count && rc == 0; t++)
        if (!bake_is_str(model, model->morph_targets[t].name))
            rc = bake_check_fail(err, "morph_targets", t, "name");
    if (rc == 0)
        rc = bake_check_each(model, "variants", model->variant_count, variant_fault, err);
    if (rc == 0)
        rc = bake_check_each(model, "variant_materials", model->variant_material_count, variant_material_fault, err);
    return rc;
}

/* --- draws --- */

/* Counts the joints that a skin needs to draw each primitive. */
static void joints_needed(const struct model *model, uint32_t *needed)
{
    for (uint32_t p = 0; p < model->primitive_count; p++) {
        const struct primitive *primitive = &model->primitives[p];
        const uint32_t *firsts = model->influence_firsts + primitive->vertex_first;
        needed[p] = 0;
        for (uint32_t i = firsts[0]; i < firsts[primitive->vertex_count]; i++)
            if (model->influences[i].joint >= needed[p])
                needed[p] = model->influences[i].joint == UINT32_MAX ? UINT32_MAX : model->influences[i].joint + 1;
    }
}

/* The nodes and meshes determine the list of draws completely. */
static int check_draw_list(const struct model *model, const uint32_t *needed, struct err *err)
{
    uint32_t d = 0, rigid = 0;
    while (rigid < model->skin_count && model->skins[rigid].flags == 0)
        rigid++;
    for (uint32_t n = 0; n < model->node_count; n++) {
        const struct node *node = &model->nodes[n];
        if (node->mesh < 0)
            continue;
        const uint32_t skin = node->skin >= 0 ? (uint32_t)node->skin : rigid++;
        const struct mesh *mesh = &model->meshes[node->mesh];
        const uint32_t flags = (node->flags & (NODE_IN_SCENE | NODE_HIDDEN)) == NODE_IN_SCENE ? DRAW_IN_SCENE : 0;
        for (uint32_t p = 0; p < mesh->primitive_count; p++, d++) {
            const uint32_t primitive = mesh->primitive_first + p;
            const struct draw *draw = d < model->draw_count ? &model->draws[d] : NULL;
            if (draw == NULL || draw->node != n || draw->primitive != primitive || draw->skin != skin ||
                draw->flags != flags)
                return bake_check_fail(err, "draws", d, "node");
            if (needed[primitive] > model->skins[skin].joint_count)
                return err_set(err, ERR_BAD_BAKE,
                               "mesh %d primitive %u refers to joint %u, but skin %u of its node %u has %u joints",
                               (int)node->mesh, p, needed[primitive] - 1, skin, n, model->skins[skin].joint_count);
        }
    }
    return d == model->draw_count ? 0 : bake_check_fail(err, "draws", d, "node");
}

/* The greatest average number of influences and morph deltas for each drawn vertex; real models have about ten. */
enum { STEPS_PER_VERTEX = 64 };

/* Drawing one mesh under many nodes costs no bytes, so the work of deforming a frame has a limit of its own. */
static int check_work(const struct model *model, struct err *err)
{
    const uint64_t limit = LIMIT_INFO[LIMIT_DRAWN_VERTICES].initial;
    uint64_t vertices = 0, steps = 0;
    for (uint32_t d = 0; d < model->draw_count; d++) {
        const struct primitive *p = &model->primitives[model->draws[d].primitive];
        const uint32_t *firsts = model->influence_firsts + p->vertex_first;
        vertices += p->vertex_count;
        steps += (uint64_t)p->vertex_count * p->morph_target_count + (firsts[p->vertex_count] - firsts[0]);
        if (vertices > limit || steps > STEPS_PER_VERTEX * limit)
            return err_set(
                err, ERR_MODEL_LIMIT,
                "the mesh nodes up to node %u draw %llu vertices with %llu influences and morph deltas, more "
                "than %llu and %llu",
                model->draws[d].node, (unsigned long long)vertices, (unsigned long long)steps,
                (unsigned long long)limit, (unsigned long long)(STEPS_PER_VERTEX * limit));
    }
    return 0;
}

int bake_check_draws(const struct model *model, struct err *err)
{
    uint32_t *needed = malloc(((size_t)model->primitive_count + 1) * sizeof *needed);
    if (needed == NULL)
        return err_set(err, ERR_NO_MEMORY, "no memory to check %u primitives", model->primitive_count);
    joints_needed(model, needed);
    const int rc = check_draw_list(model, needed, err);
    free(needed);
    return rc < 0 ? rc : check_work(model, err);
}
