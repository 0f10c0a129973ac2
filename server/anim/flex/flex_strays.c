/* flex_strays.c - finds vertices whose weights miss: they stay behind when the joint beside them turns, or a joint far
 * away drags them.
 *
 * Of a mesh, most of what moves with a joint is one connected part, and so is most of what stays. A stray is a vertex
 * of a part that is an island in the other kind, much smaller than the sea around it and than the mainland of its own
 * kind, and that is much nearer to the bones of the sea than to its own. */
#include "anim/flex/flex_internal.h"

#include <stdlib.h>

static const double SMALL = 0.25;   /* times the places of the sea and of the mainland */
static const double FARTHER = 2;    /* times the distance from the bone beside it, */
static const double MARGIN = 0.03;  /* and this share of the size */
static const double VISIBLE = 0.04; /* share of the size by which it is out of place at least, to be seen as a spike */

enum kind { STAYS, MOVES, KIND_COUNT };

struct search {
    struct flex *flex;
    struct flex_joint *joint;
    const struct dmat4 *turns;
    uint32_t turn_count;
    uint32_t mainland[KIND_COUNT]; /* places of the greatest part */
    struct flex_finding worst[KIND_COUNT];
};

static enum kind kind_of(const struct flex *flex, uint32_t place) { return flex->shares[place] < 0.5F ? STAYS : MOVES; }

/* --- parts --- */

static void join_parts(struct flex *flex)
{
    const struct flex_surface *surface = &flex->surface;
    for (uint32_t e = 0; e < surface->entry_count; e++) {
        flex->groups[e] = e;
        flex->counts[e] = flex->beside[e] = 0;
    }
    for (uint32_t i = 0; i < 3 * surface->triangle_count; i++) {
        const uint32_t a = surface->places[surface->corners[i]];
        const uint32_t b = surface->places[surface->corners[i % 3 == 2 ? i - 2 : i + 1]];
        if (kind_of(flex, a) == kind_of(flex, b))
            flex_unite(flex->groups, a, b);
    }
}

/* Counts the places of each part, and finds the greatest part of the other kind beside it. */
static void count_parts(struct search *search)
{
    struct flex *flex = search->flex;
    const struct flex_surface *surface = &flex->surface;
    for (uint32_t e = 0; e < surface->entry_count; e++)
        if (surface->places[e] == e) {
            const uint32_t group = flex_group(flex->groups, e);
            uint32_t *mainland = &search->mainland[kind_of(flex, e)];
            flex->counts[group]++;
            *mainland = flex->counts[group] > *mainland ? flex->counts[group] : *mainland;
        }
    for (uint32_t i = 0; i < 3 * surface->triangle_count; i++) {
        const uint32_t a = surface->places[surface->corners[i]];
        const uint32_t b = surface->places[surface->corners[i % 3 == 2 ? i - 2 : i + 1]];
        if (kind_of(flex, a) == kind_of(flex, b))
            continue;
        const uint32_t groups[2] = {flex_group(flex->groups, a), flex_group(flex->groups, b)};
        for (int s = 0; s < 2; s++)
            if (flex->counts[groups[1 - s]] > flex->beside[groups[s]])
                flex->beside[groups[s]] = flex->counts[groups[1 - s]];
    }
}

static bool is_island(const struct search *search, uint32_t group)
{
    const struct flex *flex = search->flex;
    const double count = flex->counts[group];
    return count <= SMALL * flex->beside[group] && count <= SMALL * search->mainland[kind_of(flex, group)];
}

/* --- bones --- */

/* Returns the distance of a point from a joint's bone: the lines to the joints below it. */
static double bone_distance(const struct flex *flex, const double point[3], uint32_t node)
{
    const double *place = flex->pose.scene_from_node[node].m + 12;
    double least = segment_distance(point, place, place);
    for (uint32_t i = flex->child_firsts[node]; i < flex->child_firsts[node + 1]; i++)
        least = fmin(least, segment_distance(point, place, flex->pose.scene_from_node[flex->children[i]].m + 12));
    return least;
}

/* Returns the joint of one kind whose bone is nearest, or -1, and the distance. */
static int32_t nearest_joint(const struct flex *flex, const double point[3], enum kind kind, double *distance)
{
    int32_t nearest = -1;
    *distance = (double)INFINITY;
    for (uint32_t n = 0; n < flex->model->node_count; n++) {
        if (flex->has_weights[n] == 0 || (flex->is_below[n] != 0) != (kind == MOVES))
            continue;
        const double own = bone_distance(flex, point, n);
        if (own < *distance) {
            *distance = own;
            nearest = (int32_t)n;
        }
    }
    return nearest;
}

/* --- strays --- */

/* Returns how far the vertex is at most from where it should be, in units of the scene. */
static double out_of_place(const struct search *search, uint32_t entry)
{
    const struct flex *flex = search->flex;
    const double *rest = DOUBLE3(flex->surface.rest[entry]);
    const double share = (double)flex->shares[entry];
    double most = 0;
    for (uint32_t t = 0; t < search->turn_count; t++) {
        double turned[3];
        dmat4_point(&search->turns[t], rest, turned);
        const double way[3] = {turned[0] - rest[0], turned[1] - rest[1], turned[2] - rest[2]};
        most = fmax(most, sqrt(dot3(way, way)));
    }
    return most * (kind_of(flex, entry) == STAYS ? 1 - share : share);
}

/* Notes a vertex of an island, if it is a stray. */
static void try_stray(struct search *search, uint32_t entry)
{
    const struct flex *flex = search->flex;
    const enum kind kind = kind_of(flex, entry);
    const uint32_t own = flex->surface.strongest[entry], node = search->joint->node;
    const double *point = DOUBLE3(flex->surface.rest[entry]);
    const double size = flex->report->size, distance = out_of_place(search, entry) / size;
    double near;
    if (!(distance > VISIBLE) || (kind == MOVES) != (flex->is_below[own] != 0) || (kind == MOVES && own != node))
        return;
    const int32_t beside = nearest_joint(flex, point, kind == STAYS ? MOVES : STAYS, &near);
    if (beside < 0 || (kind == STAYS && beside != (int32_t)node) ||
        bone_distance(flex, point, own) <= FARTHER * near + MARGIN * size)
        return;
    struct flex_finding *worst = &search->worst[kind];
    worst->vertex_count++;
    if (distance <= worst->value)
        return;
    worst->value = distance;
    worst->vertex = entry;
    worst->other = kind == STAYS ? (int32_t)own : beside;
}

/* Replaces the entry by its mesh and its vertex there. */
static void name_vertex(const struct flex *flex, struct flex_finding *finding)
{
    const struct model *model = flex->model;
    const struct flex_part *part = flex->surface.parts;
    while (finding->vertex - part->entry_first >= part->entry_count)
        part++;
    const struct mesh *mesh = &model->meshes[model->primitives[part->primitive].mesh];
    finding->mesh = (int32_t)model->primitives[part->primitive].mesh;
    finding->vertex -= part->entry_first;
    for (uint32_t p = mesh->primitive_first; p < part->primitive; p++)
        finding->vertex += model->primitives[p].vertex_count;
}

static void report(struct search *search, enum kind kind)
{
    struct flex *flex = search->flex;
    struct flex_finding *finding = &search->worst[kind];
    char mesh[SHORT_NAME_SIZE], joint[SHORT_NAME_SIZE], other[SHORT_NAME_SIZE];
    struct err text;
    if (finding->vertex_count == 0)
        return;
    name_vertex(flex, finding);
    *finding = (struct flex_finding){.rule = kind == STAYS ? FLEX_LEFT_BEHIND : FLEX_DRAGGED,
                                     .node = search->joint->node,
                                     .axis = -1,
                                     .angle_deg = (double)NAN,
                                     .value = finding->value,
                                     .limit = VISIBLE,
                                     .mesh = finding->mesh,
                                     .vertex = finding->vertex,
                                     .vertex_count = finding->vertex_count,
                                     .other = finding->other};
    short_name(flex->model, flex->model->meshes[finding->mesh].name, mesh);
    short_name(flex->model, flex->model->nodes[finding->node].name, joint);
    short_name(flex->model, flex->model->nodes[finding->other].name, other);
    if (kind == STAYS)
        err_set(&text, ERR_INTERNAL,
                "%u vertices at '%s' stay behind when it turns, because they follow others such as '%s': "
                "vertex %u of mesh '%s' by %.0f %% of the size",
                finding->vertex_count, joint, other, finding->vertex, mesh, 100 * finding->value);
    else
        err_set(&text, ERR_INTERNAL,
                "'%s' drags %u vertices along that are far away from it, at others such as '%s': "
                "vertex %u of mesh '%s' by %.0f %% of the size",
                joint, finding->vertex_count, other, finding->vertex, mesh, 100 * finding->value);
    memcpy(finding->message, text.message, sizeof finding->message);
    flex_add_finding(flex, finding);
}

int flex_find_strays(struct flex *flex, struct flex_joint *joint, const struct dmat4 *turns, uint32_t turn_count)
{
    struct search search = {.flex = flex, .joint = joint, .turns = turns, .turn_count = turn_count};
    const struct flex_surface *surface = &flex->surface;
    if (flex->zone.triangle_count == 0 || turn_count == 0 || !(flex->report->size > 0))
        return 0; /* nothing connected both moves and stays */
    join_parts(flex);
    count_parts(&search);
    for (uint32_t e = 0; e < surface->entry_count; e++) {
        if (surface->places[e] != e || !is_island(&search, flex_group(flex->groups, e)))
            continue;
        if (!flex_spend(flex, 0, flex->model->node_count))
            return flex->err->code;
        try_stray(&search, e);
    }
    joint->left_behind = search.worst[STAYS].vertex_count;
    joint->dragged = search.worst[MOVES].vertex_count;
    report(&search, STAYS);
    report(&search, MOVES);
    return 0;
}
