/* compare_vertices.c - matches each drawn vertex of the old model with one of the new: by place, texture coordinates,
 * normal and the joint that it follows, in any order, split or merged. */
#include "anim/compare/compare_internal.h"
#include "base/hash.h"
#include "base/mem.h"

#include <stdlib.h>

enum {
    CANDIDATES_MOST = 512, /* tried for one vertex */
    LOOK = 4096,           /* vertices between two checks whether the request was stopped */
};
#define BIND_MAJORITY 0.9 /* share of the joints with a bind space in both models that must be at the same place */
#define FOUND_ENOUGH  0.9 /* of the vertices: with this share no better space is sought */

/* --- the vertices of a side --- */

static uint32_t count_vertices(struct compare *compare, const struct model *model)
{
    uint64_t count = 0;
    for (uint32_t d = 0; d < model->draw_count; d++) {
        const uint32_t vertices = model->primitives[model->draws[d].primitive].vertex_count;
        if ((model->draws[d].flags & DRAW_IN_SCENE) == 0)
            continue;
        if (count + vertices > COMPARE_VERTICES_MOST)
            compare->out->vertices_left_out += vertices;
        else
            count += vertices;
    }
    return (uint32_t)count;
}

static void list_vertices(struct compare *compare, struct drawn_vertices *drawn, const struct model *model)
{
    drawn->model = model;
    drawn->count = count_vertices(compare, model);
    const size_t capacity = (size_t)drawn->count + 1;
    drawn->vertices = mem_alloc(capacity * sizeof *drawn->vertices);
    drawn->draws = mem_alloc(capacity * sizeof *drawn->draws);
    drawn->places = mem_alloc(capacity * sizeof *drawn->places);
    drawn->partners = mem_alloc(capacity * sizeof *drawn->partners);
    drawn->materials = mem_zalloc((size_t)model->draw_count + 1, sizeof *drawn->materials);
    uint32_t at = 0;
    for (uint32_t d = 0; d < model->draw_count; d++) {
        const int32_t material = model_material(model, model->draws[d].primitive, 0);
        drawn->materials[d] = material < 0 ? 0 : name_key(model, model->materials[material].name, NAME_BASE);
        const struct primitive *primitive = &model->primitives[model->draws[d].primitive];
        if ((model->draws[d].flags & DRAW_IN_SCENE) == 0 || primitive->vertex_count > drawn->count - at)
            continue;
        for (uint32_t v = 0; v < primitive->vertex_count; v++, at++) {
            drawn->vertices[at] = primitive->vertex_first + v;
            drawn->draws[at] = d;
        }
    }
    drawn->count = at;
}

void drawn_vertices_free(struct drawn_vertices *drawn)
{
    free(drawn->vertices);
    free(drawn->draws);
    free(drawn->places);
    free(drawn->materials);
    free(drawn->partners);
}

uint32_t drawn_joint_node(const struct drawn_vertices *drawn, uint32_t at, uint32_t place)
{
    const struct model *model = drawn->model;
    return model->joints[model->skins[model->draws[drawn->draws[at]].skin].joint_first + place].node;
}

/* Returns the place at rest that the joint which the vertex follows most gives it. */
static struct vec3 rest_place(const struct compare_model *side, const struct drawn_vertices *drawn, uint32_t at)
{
    const struct model *model = side->model;
    const struct skin *skin = &model->skins[model->draws[drawn->draws[at]].skin];
    const uint32_t v = drawn->vertices[at];
    const struct joint *joint = &model->joints[skin->joint_first + side->main_joints[v]];
    const float *m = joint->joint_from_bind.m;
    const struct vec3 p = model->positions[v];
    double in_joint[3], place[3];
    for (int r = 0; r < 3; r++)
        in_joint[r] = (double)m[r] * (double)p.x + (double)m[4 + r] * (double)p.y + (double)m[8 + r] * (double)p.z +
                      (double)m[12 + r];
    dmat4_point(&side->reference[joint->node], in_joint, place);
    return (struct vec3){(float)place[0], (float)place[1], (float)place[2]};
}

/* Places skinned vertices in bind space, in units of the scene. Without is_bind, and for unskinned meshes, in the scene
 * at rest. */
static void place_vertices(const struct compare *compare, enum compare_side s)
{
    const struct compare_model *side = &compare->sides[s];
    struct drawn_vertices *drawn = &compare->surface->drawn[s];
    const float scale = (float)compare->surface->bind_scale;
    for (uint32_t i = 0; i < drawn->count; i++) {
        const uint32_t skin = side->model->draws[drawn->draws[i]].skin;
        const struct vec3 p = side->model->positions[drawn->vertices[i]];
        if (compare->surface->is_bind && (side->model->skins[skin].flags & SKIN_RIGID) == 0)
            drawn->places[i] = (struct vec3){p.x * scale, p.y * scale, p.z * scale};
        else
            drawn->places[i] = rest_place(side, drawn, i);
    }
}

/* --- partners --- */

/* A hash table of the grid cells with new vertices. */
struct vertex_grid {
    const struct drawn_vertices *drawn;
    double cell; /* twice the search radius */
    uint32_t mask;
    int32_t *firsts; /* [mask + 1] */
    int32_t *nexts;  /* [count] */
};

static uint32_t slot_of(const struct vertex_grid *grid, const double cell[3])
{
    return (uint32_t)hash64(HASH64_SEED, cell, 3 * sizeof *cell) & grid->mask;
}

static void cell_of(const struct vertex_grid *grid, const struct vec3 *place, double shift, double out[3])
{
    const double p[3] = {(double)place->x, (double)place->y, (double)place->z};
    for (int i = 0; i < 3; i++)
        out[i] = floor(p[i] / grid->cell - shift) + 0.0; /* -0 has different bits */
}

static void grid_make(struct vertex_grid *grid, const struct drawn_vertices *drawn, double radius)
{
    *grid = (struct vertex_grid){.drawn = drawn, .cell = 2 * radius, .mask = 1};
    while (grid->mask < drawn->count)
        grid->mask = grid->mask * 2 + 1;
    grid->firsts = mem_alloc(((size_t)grid->mask + 1) * sizeof *grid->firsts);
    grid->nexts = mem_alloc(((size_t)drawn->count + 1) * sizeof *grid->nexts);
    for (uint32_t i = 0; i <= grid->mask; i++)
        grid->firsts[i] = -1;
    for (uint32_t i = drawn->count; i-- > 0;) {
        double cell[3];
        cell_of(grid, &drawn->places[i], 0, cell);
        int32_t *first = &grid->firsts[slot_of(grid, cell)];
        grid->nexts[i] = *first;
        *first = (int32_t)i;
    }
}

static void grid_free(struct vertex_grid *grid)
{
    free(grid->firsts);
    free(grid->nexts);
}

const struct primitive *drawn_primitive(const struct drawn_vertices *drawn, uint32_t at)
{
    return &drawn->model->primitives[drawn->model->draws[drawn->draws[at]].primitive];
}

struct vertex_apart vertex_compare(const struct compare *compare, uint32_t old, uint32_t new)
{
    const struct surface *surface = compare->surface;
    const struct drawn_vertices *a = &surface->drawn[COMPARE_OLD], *b = &surface->drawn[COMPARE_NEW];
    const uint32_t both = drawn_primitive(a, old)->flags & drawn_primitive(b, new)->flags;
    const uint32_t v = a->vertices[old], w = b->vertices[new];
    const double way[3] = {(double)a->places[old].x - (double)b->places[new].x,
                           (double)a->places[old].y - (double)b->places[new].y,
                           (double)a->places[old].z - (double)b->places[new].z};
    struct vertex_apart out = {.distance = sqrt(dot3(way, way))};
    if ((both & PRIMITIVE_TEXCOORDS) != 0) {
        const struct vec2 s = a->model->texcoords[v], t = b->model->texcoords[w];
        out.texcoord = fmax(fabs((double)s.x - (double)t.x), fabs((double)s.y - (double)t.y));
    }
    if ((both & PRIMITIVE_FILE_NORMALS) != 0 && surface->is_bind) {
        const struct vec3 n = a->model->normals[v], m = b->model->normals[w];
        out.normal = 1 - ((double)n.x * (double)m.x + (double)n.y * (double)m.y + (double)n.z * (double)m.z);
    }
    return out;
}

static int32_t main_pair(const struct compare *compare, enum compare_side s, uint32_t at)
{
    const struct drawn_vertices *drawn = &compare->surface->drawn[s];
    const uint32_t joint = compare->sides[s].main_joints[drawn->vertices[at]];
    return compare->sides[s].pairs[drawn_joint_node(drawn, at, joint)];
}

/* Rates the candidates at one place; the lowest cost wins. */
static double cost_of(const struct compare *compare, uint32_t old, uint32_t new, double radius)
{
    const struct vertex_apart apart = vertex_compare(compare, old, new);
    if (!(apart.distance <= radius))
        return HUGE_VAL;
    const bool is_other_joint = main_pair(compare, COMPARE_OLD, old) != main_pair(compare, COMPARE_NEW, new);
    const struct drawn_vertices *drawn = compare->surface->drawn;
    const bool is_other_material = drawn[COMPARE_OLD].materials[drawn[COMPARE_OLD].draws[old]] !=
                                   drawn[COMPARE_NEW].materials[drawn[COMPARE_NEW].draws[new]];
    return 0.02 * apart.distance / radius + fmin(3, 50 * apart.texcoord) + fmin(3, 10 * apart.normal) +
           0.05 * is_other_joint + 0.04 * is_other_material;
}

/* Finds the partner of vertex `at` on the other side than the grid. */
static int32_t find_partner(struct compare *compare, const struct vertex_grid *grid, uint32_t at, double radius)
{
    const bool is_old = grid->drawn == &compare->surface->drawn[COMPARE_NEW];
    const struct drawn_vertices *own = &compare->surface->drawn[is_old ? COMPARE_OLD : COMPARE_NEW];
    double low[3], best = HUGE_VAL;
    int32_t found = -1;
    uint32_t looked = 0;
    cell_of(grid, &own->places[at], 0.5, low);
    for (int i = 0; i < 8; i++) {
        const double cell[3] = {low[0] + (i & 1) + 0.0, low[1] + (i >> 1 & 1) + 0.0, low[2] + (i >> 2) + 0.0};
        for (int32_t n = grid->firsts[slot_of(grid, cell)];
             n >= 0 && looked++ < CANDIDATES_MOST && compare->looks_left > 0; n = grid->nexts[n]) {
            compare->looks_left--;
            const double cost =
                is_old ? cost_of(compare, at, (uint32_t)n, radius) : cost_of(compare, (uint32_t)n, at, radius);
            if (cost < best) {
                best = cost;
                found = n;
            }
        }
    }
    return found;
}

/* Tries the vertex at the same index first, which is the partner in a file that keeps the order. */
static uint32_t find_partners(struct compare *compare, double radius)
{
    struct drawn_vertices *old = &compare->surface->drawn[COMPARE_OLD], *new = &compare->surface->drawn[COMPARE_NEW];
    struct vertex_grid grid;
    uint32_t found = 0;
    grid_make(&grid, new, radius);
    for (uint32_t i = 0; i < new->count; i++)
        new->partners[i] = -1;
    for (uint32_t i = 0; i < old->count; i++)
        old->partners[i] = -1;
    for (uint32_t i = 0; i < old->count && (i % LOOK != 0 || !compare_is_stopped(compare)); i++) {
        const bool is_kept = old->count == new->count &&cost_of(compare, i, i, radius) < 0.05;
        const int32_t partner = is_kept ? (int32_t)i : find_partner(compare, &grid, i, radius);
        old->partners[i] = partner;
        if (partner < 0)
            continue;
        new->partners[partner] = (int32_t)i;
        found++;
    }
    grid_free(&grid);
    return found;
}

/* Finds old partners for new vertices without one: an old vertex was split. */
static void find_split(struct compare *compare, double radius)
{
    struct drawn_vertices *new = &compare->surface->drawn[COMPARE_NEW];
    struct vertex_grid grid;
    uint32_t first = 0;
    while (first < new->count &&new->partners[first] >= 0)
        first++;
    if (first == new->count)
        return;
    grid_make(&grid, &compare->surface->drawn[COMPARE_OLD], radius);
    for (uint32_t i = first; i < new->count && (i % LOOK != 0 || !compare_is_stopped(compare)); i++)
        if (new->partners[i] < 0)
            new->partners[i] = find_partner(compare, &grid, i, radius);
    grid_free(&grid);
}

/* True when most joints are at the same place in bind space. */
static bool has_bind(struct compare *compare)
{
    uint32_t same = 0, all = 0;
    double scale = 0;
    for (uint32_t i = 0; i < compare->pair_count; i++) {
        const struct joint_pair *pair = &compare->pairs[i];
        all += compare->sides[COMPARE_OLD].bind_joints[pair->nodes[COMPARE_OLD]] >= 0 &&
               compare->sides[COMPARE_NEW].bind_joints[pair->nodes[COMPARE_NEW]] >= 0;
        same += pair->is_bind;
        scale += pair->is_bind ? pair->scale : 0;
    }
    compare->surface->bind_scale = same > 0 ? scale / same : 1;
    return same >= BIND_MAJORITY * all;
}

static uint32_t look_in(struct compare *compare, bool is_bind)
{
    compare->surface->is_bind = is_bind;
    for (int s = 0; s < COMPARE_SIDES; s++)
        place_vertices(compare, (enum compare_side)s);
    return find_partners(compare, compare->tolerance * compare->size);
}

void vertices_match(struct compare *compare)
{
    struct surface *surface = compare->surface;
    for (int s = 0; s < COMPARE_SIDES; s++)
        list_vertices(compare, &surface->drawn[s], compare->sides[s].model);
    const uint32_t count = surface->drawn[COMPARE_OLD].count;
    const bool is_bind = has_bind(compare);
    const uint32_t found = look_in(compare, is_bind);
    if (found < FOUND_ENOUGH * count && look_in(compare, !is_bind) <= found)
        look_in(compare, is_bind);
    find_split(compare, compare->tolerance * compare->size);
    surface->is_partial = compare->looks_left == 0;
    for (uint32_t i = 0; i < count && surface->is_partial; i++)
        compare->out->vertices_left_out += surface->drawn[COMPARE_OLD].partners[i] < 0;
}
