/* compare_vertices.c - matches each drawn vertex of the old model with one of the new: by place, texture coordinates,
 * normal and the joint that it follows, in any order, split or merged. */
#include "anim/compare/compare_drawn.h"

enum {
    CANDIDATES_MOST = 512, /* tried for one vertex */
    LOOK = 4096,           /* vertices between two checks whether the request was stopped */
};
#define BIND_MAJORITY 0.9 /* share of the joints with a bind space in both models that must be at the same place */
#define FOUND_ENOUGH  0.9 /* of the vertices: with this share no better space is sought */

/* --- partners --- */

struct vertex_apart vertex_compare(const struct compare *compare, uint32_t old, uint32_t new)
{
    const struct surface *surface = compare->surface;
    const struct drawn_vertices *a = &surface->drawn[COMPARE_OLD], *b = &surface->drawn[COMPARE_NEW];
    const uint32_t both = drawn_primitive(a, old)->flags & drawn_primitive(b, new)->flags;
    const double way[3] = {(double)a->places[old].x - (double)b->places[new].x,
                           (double)a->places[old].y - (double)b->places[new].y,
                           (double)a->places[old].z - (double)b->places[new].z};
    struct vertex_apart out = {.distance = sqrt(dot3(way, way))};
    if (!(out.distance <= compare->tolerance * compare->size))
        return out;
    out.texcoord = texcoords_compare(compare, old, new, a->textures[a->draws[old]], b->textures[b->draws[new]]).seen;
    if ((both & PRIMITIVE_FILE_NORMALS) != 0)
        out.normal = directions_apart(a->normals[old], b->normals[new]);
    return out;
}

static int32_t main_pair(const struct compare *compare, enum compare_side s, uint32_t at)
{
    const struct drawn_vertices *drawn = &compare->surface->drawn[s];
    const uint32_t joint = compare->sides[s].main_joints[drawn->vertices[at]];
    return compare->sides[s].pairs[drawn_joint_node(drawn, at, joint)];
}

bool vertices_follow_others(const struct compare *compare, uint32_t old, uint32_t new)
{
    return main_pair(compare, COMPARE_OLD, old) != main_pair(compare, COMPARE_NEW, new);
}

bool vertices_are_same(const struct compare *compare, uint32_t old, uint32_t new)
{
    const struct vertex_apart apart = vertex_compare(compare, old, new);
    return apart.distance <= compare->tolerance * compare->size && apart.texcoord <= TEXCOORD_NEAR &&
           apart.normal <= NORMAL_NEAR && !vertices_follow_others(compare, old, new);
}

/* True when the vertices belong to different things at one place: to nodes of which one has another partner that draws,
 * or to meshes that rest with other weights of morph targets. */
static bool is_other_draw(const struct compare *compare, uint32_t old, uint32_t new)
{
    const struct drawn_vertices *a = &compare->surface->drawn[COMPARE_OLD], *b = &compare->surface->drawn[COMPARE_NEW];
    const uint32_t nodes[COMPARE_SIDES] = {drawn_node(a, old), drawn_node(b, new)};
    for (int s = 0; s < COMPARE_SIDES; s++) {
        const int32_t partner = compare->sides[s].partners[nodes[s]];
        if (partner >= 0 && (uint32_t)partner != nodes[1 - s] && compare->sides[1 - s].model->nodes[partner].mesh >= 0)
            return true;
    }
    const double was = a->rest_weights[a->draws[old]], is = b->rest_weights[b->draws[new]];
    return fabs(was - is) > 1e-3 * (1 + fabs(was));
}

/* Rates the candidates at one place; the lowest cost wins. */
static double cost_of(const struct compare *compare, uint32_t old, uint32_t new, double radius)
{
    const struct vertex_apart apart = vertex_compare(compare, old, new);
    if (!(apart.distance <= radius))
        return HUGE_VAL;
    const bool is_other_joint = vertices_follow_others(compare, old, new);
    const struct drawn_vertices *drawn = compare->surface->drawn;
    const bool is_other_material = drawn[COMPARE_OLD].materials[drawn[COMPARE_OLD].draws[old]] !=
                                   drawn[COMPARE_NEW].materials[drawn[COMPARE_NEW].draws[new]];
    /* tools compute normals anew, where many vertices meet: texture coordinates come first */
    const bool is_textured = drawn[COMPARE_OLD].textures[drawn[COMPARE_OLD].draws[old]] != NULL;
    const double elsewhere = is_textured && apart.texcoord > TEXCOORD_NEAR ? 4 : 0;
    return 0.02 * apart.distance / radius + elsewhere + fmin(3, 50 * apart.texcoord) + fmin(3, 10 * apart.normal) +
           0.05 * is_other_joint + 0.04 * is_other_material + 0.06 * is_other_draw(compare, old, new);
}

/* Finds the partner of vertex `at` on the other side than the grid. */
static int32_t find_partner(struct compare *compare, const struct place_grid *grid, bool is_old, uint32_t at,
                            double radius)
{
    const struct drawn_vertices *own = &compare->surface->drawn[is_old ? COMPARE_OLD : COMPARE_NEW];
    double best = HUGE_VAL;
    int32_t found = -1, firsts[GRID_CELLS];
    uint32_t looked = 0;
    place_grid_find(grid, &own->places[at], firsts);
    for (int i = 0; i < GRID_CELLS; i++) {
        for (int32_t n = firsts[i]; n >= 0 && looked++ < CANDIDATES_MOST && compare->looks_left > 0;
             n = grid->nexts[n]) {
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
    struct place_grid grid;
    uint32_t found = 0;
    place_grid_make(&grid, new->places, new->count, radius);
    for (uint32_t i = 0; i < new->count; i++)
        new->partners[i] = -1;
    for (uint32_t i = 0; i < old->count; i++)
        old->partners[i] = -1;
    for (uint32_t i = 0; i < old->count && (i % LOOK != 0 || !compare_is_stopped(compare)); i++) {
        if (!drawn_is_used(old, i))
            continue;
        const bool is_kept = old->count == new->count &&cost_of(compare, i, i, radius) < 0.05;
        const int32_t partner = is_kept ? (int32_t)i : find_partner(compare, &grid, true, i, radius);
        old->partners[i] = partner;
        if (partner < 0)
            continue;
        new->partners[partner] = (int32_t)i;
        found++;
    }
    place_grid_free(&grid);
    return found;
}

/* Finds old partners for new vertices without one: an old vertex was split. */
static void find_split(struct compare *compare, double radius)
{
    struct drawn_vertices *new = &compare->surface->drawn[COMPARE_NEW];
    struct place_grid grid;
    uint32_t first = 0;
    while (first < new->count && (new->partners[first] >= 0 || !drawn_is_used(new, first)))
        first++;
    if (first == new->count)
        return;
    const struct drawn_vertices *old = &compare->surface->drawn[COMPARE_OLD];
    place_grid_make(&grid, old->places, old->count, radius);
    for (uint32_t i = first; i < new->count && (i % LOOK != 0 || !compare_is_stopped(compare)); i++)
        if (new->partners[i] < 0 && drawn_is_used(new, i))
            new->partners[i] = find_partner(compare, &grid, false, i, radius);
    place_grid_free(&grid);
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
    return compare->rebound_count == 0 && same >= BIND_MAJORITY * all;
}

static uint32_t look_in(struct compare *compare, bool is_bind)
{
    compare->surface->is_bind = is_bind;
    for (int s = 0; s < COMPARE_SIDES; s++)
        drawn_vertices_place(compare, (enum compare_side)s);
    return find_partners(compare, compare->tolerance * compare->size);
}

void vertices_match(struct compare *compare)
{
    struct surface *surface = compare->surface;
    for (int s = 0; s < COMPARE_SIDES; s++) {
        drawn_vertices_list(compare, (enum compare_side)s);
        compare->out->vertices_left_out += surface->drawn[s].left_out;
    }
    const uint32_t count = surface->drawn[COMPARE_OLD].count;
    const bool is_bind = has_bind(compare);
    const uint32_t found = look_in(compare, is_bind);
    if (found < FOUND_ENOUGH * surface->drawn[COMPARE_OLD].used_count && look_in(compare, !is_bind) <= found)
        look_in(compare, is_bind);
    if (compare->looks_left > 0)
        moved_match(compare);
    find_split(compare, compare->tolerance * compare->size);
    surface->is_partial = compare->looks_left == 0;
    for (uint32_t i = 0; i < count && surface->is_partial; i++)
        compare->out->vertices_left_out +=
            surface->drawn[COMPARE_OLD].partners[i] < 0 && drawn_is_used(&surface->drawn[COMPARE_OLD], i);
}

void vertices_match_in_scene(struct compare *compare)
{
    compare->surface->bind_scale = 1;
    for (int s = 0; s < COMPARE_SIDES; s++)
        drawn_vertices_list(compare, (enum compare_side)s);
    look_in(compare, false);
    find_split(compare, compare->tolerance * compare->size);
}
