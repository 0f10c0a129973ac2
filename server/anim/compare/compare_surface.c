/* compare_surface.c - compares drawn surfaces: vertices that come, go and change, and the number of triangles. */
#include "anim/compare/compare_internal.h"
#include "anim/model/material_layers.h"
#include "base/mem.h"

#include <stdlib.h>

#define TEXCOORD_NEAR 2e-3 /* one texel of a texture of 512 */
#define NORMAL_NEAR   0.02 /* 1 - the cosine of 11 degrees */
#define AREA_NEAR     1e-2 /* share of the total */

uint32_t drawn_mesh(const struct drawn_vertices *drawn, uint32_t at) { return drawn_primitive(drawn, at)->mesh; }

/* The differences of one mesh of one side. */
struct mesh_vertices {
    uint32_t alone, texcoords, normals; /* vertices without a partner, and with different values */
    uint32_t vertex;                    /* the first one in the list */
};

/* True when the vertex moved with a joint that was reported. */
static bool is_moved(const struct compare *compare, enum compare_side s, uint32_t at)
{
    const struct drawn_vertices *drawn = &compare->surface->drawn[s];
    const uint32_t joint = compare->sides[s].main_joints[drawn->vertices[at]];
    const int32_t pair = compare->sides[s].pairs[drawn_joint_node(drawn, at, joint)];
    return pair >= 0 && compare->pairs[pair].is_elsewhere;
}

/* Texture coordinates count only where there is a texture. */
static bool has_texture(const struct drawn_vertices *drawn, uint32_t at)
{
    const int32_t index = model_material(drawn->model, drawn->model->draws[drawn->draws[at]].primitive, 0);
    bool has_any = false;
    for (uint32_t slot = 0; slot < TEXTURE_ALL_COUNT && index >= 0; slot++)
        has_any = has_any || material_texture_at(drawn->model, &drawn->model->materials[index], slot)->texture >= 0;
    return has_any;
}

static void tell_mesh(struct compare *compare, enum compare_side s, uint32_t mesh, uint32_t count, const char *what)
{
    const struct model *model = compare->sides[s].model;
    char name[THING_SIZE];
    struct difference *difference = count > 0 ? difference_add(compare, DIFFERENCE_MESH) : NULL;
    if (difference == NULL)
        return;
    difference->meshes[s] = (int32_t)mesh;
    difference_set_number(difference, s, count);
    difference_say(difference, "%s: %u %s %s", compare_thing(model, "mesh", model->meshes[mesh].name, mesh, name),
                   count, count == 1 ? "vertex is" : "vertices are", what);
}

static void look_at_old(struct compare *compare, struct mesh_vertices *meshes)
{
    const struct drawn_vertices *old = &compare->surface->drawn[COMPARE_OLD];
    for (uint32_t i = 0; i < old->count; i++) {
        struct mesh_vertices *mesh = &meshes[drawn_mesh(old, i)];
        if (old->partners[i] < 0) {
            mesh->alone += !is_moved(compare, COMPARE_OLD, i);
            continue;
        }
        const struct vertex_apart apart = vertex_compare(compare, i, (uint32_t)old->partners[i]);
        mesh->texcoords += apart.texcoord > TEXCOORD_NEAR && has_texture(old, i);
        mesh->normals += apart.normal > NORMAL_NEAR;
    }
}

static void vertices_compare(struct compare *compare)
{
    const struct model *old = compare->sides[COMPARE_OLD].model, *new = compare->sides[COMPARE_NEW].model;
    const struct drawn_vertices *drawn = &compare->surface->drawn[COMPARE_NEW];
    struct mesh_vertices *meshes = mem_zalloc((size_t)old->mesh_count + 1, sizeof *meshes);
    look_at_old(compare, meshes);
    for (uint32_t m = 0; m < old->mesh_count; m++) {
        tell_mesh(compare, COMPARE_OLD, m, meshes[m].alone, "gone, or elsewhere");
        tell_mesh(compare, COMPARE_OLD, m, meshes[m].texcoords, "somewhere else on the textures");
        tell_mesh(compare, COMPARE_OLD, m, meshes[m].normals, "lit by another normal");
    }
    free(meshes);
    meshes = mem_zalloc((size_t) new->mesh_count + 1, sizeof *meshes);
    for (uint32_t i = 0; i < drawn->count; i++)
        meshes[drawn_mesh(drawn, i)].alone += drawn->partners[i] < 0 && !is_moved(compare, COMPARE_NEW, i);
    for (uint32_t m = 0; m < new->mesh_count; m++)
        tell_mesh(compare, COMPARE_NEW, m, meshes[m].alone, "new, or elsewhere");
    free(meshes);
}

/* --- triangles --- */

struct amount {
    uint64_t counts[TOPOLOGY_POINTS + 1];
    double area; /* of the triangles whose vertices were compared */
};

static double area_of(const struct drawn_vertices *drawn, const uint32_t *corners, uint32_t first)
{
    const struct vec3 *p = &drawn->places[first + corners[0]], *q = &drawn->places[first + corners[1]],
                      *r = &drawn->places[first + corners[2]];
    const double a[3] = {(double)q->x - (double)p->x, (double)q->y - (double)p->y, (double)q->z - (double)p->z};
    const double b[3] = {(double)r->x - (double)p->x, (double)r->y - (double)p->y, (double)r->z - (double)p->z};
    double across[3];
    cross3(a, b, across);
    return sqrt(dot3(across, across)) / 2;
}

/* Leaves out triangles without an area, because tools drop them. False: too many triangles to compare. */
static bool count_side(const struct compare *compare, enum compare_side s, struct amount *out)
{
    enum { INDICES_MOST = 100000000 };
    uint64_t left = INDICES_MOST;
    const struct drawn_vertices *drawn = &compare->surface->drawn[s];
    const struct model *model = drawn->model;
    const double least = 1e-14 * compare->size * compare->size;
    struct amount amount = {.area = 0};
    for (uint32_t first = 0, count; first < drawn->count; first += count) {
        const struct primitive *primitive = &model->primitives[model->draws[drawn->draws[first]].primitive];
        const uint32_t corners = primitive_corner_count(primitive);
        const uint32_t *indices = model->indices + primitive->index_first;
        count = primitive->vertex_count;
        if (primitive->index_count > left || compare_is_stopped(compare))
            return false;
        left -= primitive->index_count;
        for (uint32_t i = 0; i + corners <= primitive->index_count; i += corners) {
            const double area = corners == 3 ? area_of(drawn, indices + i, first) : HUGE_VAL;
            amount.counts[primitive->topology] += area > least;
            amount.area += corners == 3 && isfinite(area) ? area : 0;
        }
    }
    *out = amount;
    return true;
}

/* Counts the triangles of each mesh of a side. */
static uint64_t *count_meshes(const struct compare *compare, enum compare_side s)
{
    const struct drawn_vertices *drawn = &compare->surface->drawn[s];
    uint64_t *counts = mem_zalloc((size_t)drawn->model->mesh_count + 1, sizeof *counts);
    for (uint32_t first = 0; first < drawn->count; first += drawn_primitive(drawn, first)->vertex_count)
        counts[drawn_mesh(drawn, first)] += drawn_primitive(drawn, first)->index_count;
    return counts;
}

/* Names the mesh with more or fewer triangles: of the pairs of meshes that share vertices, the one that differs most.
 */
static void name_mesh(const struct compare *compare, struct difference *difference)
{
    uint64_t *counts[COMPARE_SIDES] = {count_meshes(compare, COMPARE_OLD), count_meshes(compare, COMPARE_NEW)};
    const struct drawn_vertices *old = &compare->surface->drawn[COMPARE_OLD];
    uint64_t most = 0;
    for (uint32_t first = 0; first < old->count; first += drawn_primitive(old, first)->vertex_count) {
        if (old->partners[first] < 0)
            continue;
        const uint32_t a = drawn_mesh(old, first);
        const uint32_t b = drawn_mesh(&compare->surface->drawn[COMPARE_NEW], (uint32_t)old->partners[first]);
        const uint64_t apart = counts[COMPARE_OLD][a] > counts[COMPARE_NEW][b]
                                   ? counts[COMPARE_OLD][a] - counts[COMPARE_NEW][b]
                                   : counts[COMPARE_NEW][b] - counts[COMPARE_OLD][a];
        if (apart <= most)
            continue;
        most = apart;
        difference->meshes[COMPARE_OLD] = (int32_t)a;
        difference->meshes[COMPARE_NEW] = (int32_t)b;
    }
    free(counts[COMPARE_OLD]);
    free(counts[COMPARE_NEW]);
}

static void triangles_compare(struct compare *compare)
{
    static const char *const WORDS[] = {
        [TOPOLOGY_TRIANGLES] = "triangles", [TOPOLOGY_LINES] = "lines", [TOPOLOGY_POINTS] = "points"};
    struct amount old, new;
    bool is_told = false;
    if (!count_side(compare, COMPARE_OLD, &old) || !count_side(compare, COMPARE_NEW, &new)) {
        compare->out->vertices_left_out += compare->surface->drawn[COMPARE_OLD].count;
        return;
    }
    for (int t = 0; t <= TOPOLOGY_POINTS; t++) {
        struct difference *difference =
            old.counts[t] != new.counts[t] ? difference_add(compare, DIFFERENCE_TRIANGLES) : NULL;
        if (difference == NULL)
            continue;
        is_told = true;
        difference_set_number(difference, COMPARE_OLD, (double)old.counts[t]);
        difference_set_number(difference, COMPARE_NEW, (double)new.counts[t]);
        name_mesh(compare, difference);
        difference_say(difference, "there are %llu %s and were %llu", (unsigned long long)new.counts[t], WORDS[t],
                       (unsigned long long)old.counts[t]);
    }
    const double most = fmax(old.area, new.area);
    struct difference *difference =
        !is_told && compare->counts[DIFFERENCE_MESH] == 0 && fabs(old.area - new.area) > AREA_NEAR * most
            ? difference_add(compare, DIFFERENCE_TRIANGLES)
            : NULL;
    if (difference != NULL)
        difference_say(difference, "the triangles have %.3g times the area they had",
                       new.area / (old.area > 0 ? old.area : 1));
}

int surfaces_compare(struct compare *compare)
{
    struct surface surface = {.bind_scale = 1};
    compare->surface = &surface;
    vertices_match(compare);
    if (!surface.is_partial)
        vertices_compare(compare);
    triangles_compare(compare);
    weights_compare(compare);
    /* a reported change of weights moves vertices as well */
    if (!compare->has_bind_rest && compare->counts[DIFFERENCE_WEIGHTS] == 0)
        skinned_compare(compare);
    morphs_compare(compare);
    materials_compare(compare);
    compare->surface = NULL;
    for (int s = 0; s < COMPARE_SIDES; s++)
        drawn_vertices_free(&surface.drawn[s]);
    return compare_is_stopped(compare) ? err_set(compare->err, ERR_REQUEST_TIMEOUT, "the comparison was stopped") : 0;
}
