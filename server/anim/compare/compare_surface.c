/* compare_surface.c - compares drawn surfaces: vertices that come, go and change, and the number of triangles. */
#include "anim/compare/compare_drawn.h"
#include "anim/model/material_layers.h"
#include "base/mem.h"

#include <stdio.h>
#include <stdlib.h>

#define TANGENT_NEAR 0.07 /* of 21 degrees: tools compute tangents anew */
#define AREA_NEAR    1e-2 /* share of the total */

/* The differences of one mesh of one side. */
struct mesh_vertices {
    uint32_t alone, texcoords, normals, tangents; /* vertices without a partner, and with different values */
    uint32_t moved, farthest; /* vertices that are elsewhere, and the one of them that is farthest, in the old list */
    double distance;
};

/* True when the vertex moved with a joint that was reported. */
static bool is_moved(const struct compare *compare, enum compare_side s, uint32_t at)
{
    const struct drawn_vertices *drawn = &compare->surface->drawn[s];
    const uint32_t joint = compare->sides[s].main_joints[drawn->vertices[at]];
    const int32_t pair = compare->sides[s].pairs[drawn_joint_node(drawn, at, joint)];
    return pair >= 0 && compare->pairs[pair].is_elsewhere;
}

/* Texture coordinates count only where there is a texture. Where only the transform of a texture differs, its material
 * is reported. Sets *is_wrapped where whole numbers were left out. */
static bool lies_elsewhere(const struct compare *compare, uint32_t old, uint32_t new, bool *is_wrapped)
{
    const struct drawn_vertices *drawn = compare->surface->drawn;
    const int32_t a = drawn_material(&drawn[COMPARE_OLD], old), b = drawn_material(&drawn[COMPARE_NEW], new);
    bool is_elsewhere = false;
    for (uint32_t slot = 0; slot < TEXTURE_ALL_COUNT && a >= 0 && b >= 0 && !is_elsewhere; slot++) {
        const struct model *models[COMPARE_SIDES] = {drawn[COMPARE_OLD].model, drawn[COMPARE_NEW].model};
        const struct material_texture *was =
            material_texture_at(models[COMPARE_OLD], &models[COMPARE_OLD]->materials[a], slot);
        const struct material_texture *is =
            material_texture_at(models[COMPARE_NEW], &models[COMPARE_NEW]->materials[b], slot);
        if (was->texture < 0 || is->texture < 0)
            continue;
        const struct texcoord_apart apart = texcoords_compare(compare, old, new, was, is);
        *is_wrapped = *is_wrapped || apart.whole[0] != 0 || apart.whole[1] != 0;
        is_elsewhere =
            apart.seen > TEXCOORD_NEAR && (apart.stored > TEXCOORD_NEAR || !texture_transforms_differ(was, is));
    }
    return is_elsewhere;
}

/* Compares directions along the surface, where both models have them and both materials use them. */
static bool has_other_tangent(const struct compare *compare, uint32_t old, uint32_t new)
{
    const struct drawn_vertices *drawn = compare->surface->drawn;
    const uint32_t ats[COMPARE_SIDES] = {old, new};
    struct vec3 tangents[COMPARE_SIDES];
    double sides[COMPARE_SIDES];
    for (int s = 0; s < COMPARE_SIDES; s++) {
        const int32_t material = drawn_material(&drawn[s], ats[s]);
        if ((drawn_primitive(&drawn[s], ats[s])->flags & PRIMITIVE_TANGENTS) == 0 || material < 0 ||
            !material_needs_tangents(drawn[s].model, &drawn[s].model->materials[material]))
            return false;
        const struct dmat4 matrix = drawn_matrix(compare, (enum compare_side)s, ats[s]);
        const struct vec4 stored = drawn[s].model->tangents[drawn[s].vertices[ats[s]]];
        double out[3];
        dmat4_direction(&matrix, DOUBLE3(stored), out);
        unit3(out);
        tangents[s] = (struct vec3){(float)out[0], (float)out[1], (float)out[2]};
        sides[s] = determinant3(matrix.m, matrix.m + 4, matrix.m + 8) < 0 ? -(double)stored.w : (double)stored.w;
    }
    return directions_apart(tangents[COMPARE_OLD], tangents[COMPARE_NEW]) > TANGENT_NEAR ||
           sides[COMPARE_OLD] * sides[COMPARE_NEW] < 0;
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

/* Notes a vertex that is elsewhere while its joint is not. */
static void note_moved(const struct compare *compare, uint32_t at, struct mesh_vertices *mesh)
{
    const struct drawn_vertices *old = &compare->surface->drawn[COMPARE_OLD];
    if (is_moved(compare, COMPARE_OLD, at))
        return;
    const double distance = vertex_compare(compare, at, (uint32_t)old->partners[at]).distance;
    if (mesh->moved++ == 0 || distance > mesh->distance) {
        mesh->distance = distance;
        mesh->farthest = at;
    }
}

/* Says how far vertices of a mesh of the old model are elsewhere, and which joint the farthest follows. */
static void tell_moved(struct compare *compare, uint32_t index, const struct mesh_vertices *mesh)
{
    const struct drawn_vertices *drawn = compare->surface->drawn;
    const struct model *old = drawn[COMPARE_OLD].model;
    const uint32_t ats[COMPARE_SIDES] = {mesh->farthest, (uint32_t)drawn[COMPARE_OLD].partners[mesh->farthest]};
    const uint32_t joint = compare->sides[COMPARE_OLD].main_joints[drawn[COMPARE_OLD].vertices[mesh->farthest]];
    const uint32_t node = drawn_joint_node(&drawn[COMPARE_OLD], mesh->farthest, joint);
    char names[2][THING_SIZE];
    struct difference *difference = difference_add(compare, DIFFERENCE_MESH);
    if (difference == NULL)
        return;
    for (int s = 0; s < COMPARE_SIDES; s++)
        difference->meshes[s] = (int32_t)drawn_mesh(&drawn[s], ats[s]);
    difference->distance = difference->vertex_distance = mesh->distance / compare->unit;
    difference_say(difference, "%s: %u %s elsewhere, %s%.4g units (%.3g %% of the size) at %s",
                   compare_thing(old, "mesh", old->meshes[index].name, index, names[0]), mesh->moved,
                   mesh->moved == 1 ? "vertex is" : "vertices are", mesh->moved == 1 ? "" : "up to ",
                   difference->distance, 100 * mesh->distance / compare->size,
                   compare_thing(old, compare->sides[COMPARE_OLD].is_joint[node] ? "joint" : "node",
                                 old->nodes[node].name, node, names[1]));
}

static void look_at_old(struct compare *compare, struct mesh_vertices *meshes)
{
    const struct drawn_vertices *old = &compare->surface->drawn[COMPARE_OLD];
    uint8_t *is_told = mem_zalloc((size_t)old->count + 1, 1);
    bool is_wrapped = false;
    for (uint32_t i = 0; i < old->count; i++) {
        struct mesh_vertices *mesh = &meshes[drawn_mesh(old, i)];
        if (old->partners[i] < 0) {
            mesh->alone += drawn_is_used(old, i) && !is_moved(compare, COMPARE_OLD, i);
            continue;
        }
        const uint32_t new = (uint32_t)old->partners[i];
        if (old->is_moved[i] != 0)
            note_moved(compare, i, mesh);
        const bool has_other_normal = vertex_compare(compare, i, new).normal > NORMAL_NEAR;
        const bool is_elsewhere = lies_elsewhere(compare, i, new, &is_wrapped);
        mesh->texcoords += is_elsewhere;
        is_told[i] = is_elsewhere;
        mesh->normals += has_other_normal;
        /* tangents follow both */
        mesh->tangents +=
            !has_other_normal && !is_elsewhere && old->is_moved[i] == 0 && has_other_tangent(compare, i, new);
    }
    uint8_t *is_stretched = is_wrapped ? wraps_find(compare) : NULL;
    for (uint32_t i = 0; i < old->count && is_wrapped; i++)
        meshes[drawn_mesh(old, i)].texcoords += is_stretched[i] != 0 && is_told[i] == 0;
    free(is_stretched);
    free(is_told);
    uint8_t *is_flat = flats_find(compare, COMPARE_OLD);
    for (uint32_t i = 0; i < old->count; i++)
        meshes[drawn_mesh(old, i)].normals += is_flat[i];
    free(is_flat);
    is_flat = flats_find(compare, COMPARE_NEW);
    for (uint32_t i = 0; i < compare->surface->drawn[COMPARE_NEW].count; i++)
        if (is_flat[i] != 0)
            meshes[drawn_mesh(old, (uint32_t)compare->surface->drawn[COMPARE_NEW].partners[i])].normals++;
    free(is_flat);
}

static void vertices_compare(struct compare *compare)
{
    const struct model *old = compare->sides[COMPARE_OLD].model, *new = compare->sides[COMPARE_NEW].model;
    const struct drawn_vertices *drawn = &compare->surface->drawn[COMPARE_NEW];
    struct mesh_vertices *meshes = mem_zalloc((size_t)old->mesh_count + 1, sizeof *meshes);
    look_at_old(compare, meshes);
    for (uint32_t m = 0; m < old->mesh_count; m++) {
        if (meshes[m].moved > 0)
            tell_moved(compare, m, &meshes[m]);
        tell_mesh(compare, COMPARE_OLD, m, meshes[m].alone, "gone, or elsewhere");
        tell_mesh(compare, COMPARE_OLD, m, meshes[m].texcoords, "somewhere else on the textures");
        tell_mesh(compare, COMPARE_OLD, m, meshes[m].normals, "lit by another normal");
        tell_mesh(compare, COMPARE_OLD, m, meshes[m].tangents, "lit by another tangent");
    }
    free(meshes);
    meshes = mem_zalloc((size_t) new->mesh_count + 1, sizeof *meshes);
    for (uint32_t i = 0; i < drawn->count; i++)
        meshes[drawn_mesh(drawn, i)].alone +=
            drawn->partners[i] < 0 && drawn_is_used(drawn, i) && !is_moved(compare, COMPARE_NEW, i);
    for (uint32_t m = 0; m < new->mesh_count; m++)
        tell_mesh(compare, COMPARE_NEW, m, meshes[m].alone, "new, or elsewhere");
    free(meshes);
}

/* --- triangles --- */

struct amount {
    uint64_t counts[TOPOLOGY_POINTS + 1];
    uint64_t slivers; /* those of the triangles that rounding may give or take an area */
    double area;      /* of the triangles whose vertices were compared */
};

/* True for a triangle that is not higher than what the rounding of its corners may be. */
static bool is_sliver(const struct compare *compare, const struct drawn_vertices *drawn,
                      const struct drawn_element *element, double area)
{
    const double rounding = 1e-6 * compare->size;
    double longest = 0;
    for (uint32_t c = 0; c < 3; c++) {
        const struct vec3 *p = &drawn->places[element->corners[c]], *q = &drawn->places[element->corners[(c + 1) % 3]];
        const double edge[3] = {(double)q->x - (double)p->x, (double)q->y - (double)p->y, (double)q->z - (double)p->z};
        longest = fmax(longest, dot3(edge, edge));
    }
    return !(2 * area > rounding * sqrt(longest));
}

/* False: too many triangles to compare. */
static bool count_side(const struct compare *compare, enum compare_side s, struct amount *out)
{
    enum { LOOK = 65536 }; /* elements between two checks whether the request was stopped */
    struct element_walk walk = element_walk_start(compare, s);
    struct drawn_element element;
    struct amount amount = {.area = 0};
    for (uint32_t i = 0; element_next(&walk, &element); i++) {
        if (i % LOOK == 0 && compare_is_stopped(compare))
            return false;
        const double area = element.corner_count == 3 ? element_area(walk.drawn, &element) : 0;
        amount.counts[drawn_primitive(walk.drawn, element.corners[0])->topology]++;
        amount.area += isfinite(area) ? area : 0;
        amount.slivers += element.corner_count == 3 && is_sliver(compare, walk.drawn, &element, area);
    }
    *out = amount;
    return !walk.is_cut;
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
 * Returns ", fewer in mesh 'arm'", or "". */
static const char *name_mesh(const struct compare *compare, struct difference *difference, char out[THING_SIZE + 16])
{
    uint64_t *counts[COMPARE_SIDES] = {count_meshes(compare, COMPARE_OLD), count_meshes(compare, COMPARE_NEW)};
    const struct drawn_vertices *old = &compare->surface->drawn[COMPARE_OLD];
    uint64_t most = 0;
    out[0] = '\0';
    for (uint32_t first = 0; first < old->count; first += drawn_primitive(old, first)->vertex_count) {
        const int32_t matched = drawn_first_matched(old, first);
        if (matched < 0)
            continue;
        const uint32_t a = drawn_mesh(old, first);
        const uint32_t b = drawn_mesh(&compare->surface->drawn[COMPARE_NEW], (uint32_t)old->partners[matched]);
        const uint64_t apart = counts[COMPARE_OLD][a] > counts[COMPARE_NEW][b]
                                   ? counts[COMPARE_OLD][a] - counts[COMPARE_NEW][b]
                                   : counts[COMPARE_NEW][b] - counts[COMPARE_OLD][a];
        if (apart <= most)
            continue;
        most = apart;
        const struct model *new = compare->sides[COMPARE_NEW].model;
        char name[THING_SIZE];
        snprintf(out, THING_SIZE + 16, ", %s in %s", counts[COMPARE_NEW][b] > counts[COMPARE_OLD][a] ? "more" : "fewer",
                 compare_thing(new, "mesh", new->meshes[b].name, b, name));
        difference->meshes[COMPARE_OLD] = (int32_t)a;
        difference->meshes[COMPARE_NEW] = (int32_t)b;
    }
    free(counts[COMPARE_OLD]);
    free(counts[COMPARE_NEW]);
    return out;
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
        const uint64_t slivers = t == TOPOLOGY_TRIANGLES ? old.slivers + new.slivers : 0;
        const uint64_t apart =
            old.counts[t] > new.counts[t] ? old.counts[t] - new.counts[t] : new.counts[t] - old.counts[t];
        struct difference *difference = apart > slivers ? difference_add(compare, DIFFERENCE_TRIANGLES) : NULL;
        if (difference == NULL)
            continue;
        is_told = true;
        difference_set_number(difference, COMPARE_OLD, (double)old.counts[t]);
        difference_set_number(difference, COMPARE_NEW, (double)new.counts[t]);
        char in_mesh[THING_SIZE + 16];
        difference_say(difference, "there are %llu %s and were %llu%s", (unsigned long long)new.counts[t], WORDS[t],
                       (unsigned long long)old.counts[t], name_mesh(compare, difference, in_mesh));
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
    watched_choose(compare);
    if (!surface.is_partial)
        vertices_compare(compare);
    triangles_compare(compare);
    weights_compare(compare);
    /* a reported change of weights moves vertices as well */
    if (!(compare->has_bind_rest && surface.is_bind) && compare->counts[DIFFERENCE_WEIGHTS] == 0)
        skinned_compare(compare);
    morphs_compare(compare);
    looks_make(compare);
    materials_compare(compare);
    compare->surface = NULL;
    for (int s = 0; s < COMPARE_SIDES; s++)
        drawn_vertices_free(&surface.drawn[s]);
    return compare_is_stopped(compare) ? err_set(compare->err, ERR_REQUEST_TIMEOUT, "the comparison was stopped") : 0;
}
