/* flex_zone.c - the triangles that deform when a joint turns: their pieces, their boundary, and what a turn does to
 * them.
 *
 * The volume of a piece is the divergence theorem's: the sum of the signed tetrahedra between a point and its
 * triangles, and those of the fans that close its boundary. Edges that occur as often in one direction as in the other
 * are inside; the rest is the boundary, whose connected parts are closed walks. So each fan closes what it should,
 * also where more than two triangles meet. */
#include "anim/flex/flex_internal.h"

#include "base/mem.h"
#include "base/sort.h"

#include <stdlib.h>

static const float RIGID_SHARE = 0.01F; /* a vertex with less, or more than 1 - this, does not deform */
static const double FLAT = 0.01;        /* a piece of less volume than this * area^1.5 is a sheet; a ball has 0.094 */
static const double COLLAPSE = 0.1;     /* share of its area that a collapsed triangle has at most */

void flex_zone_fini(struct flex_zone *zone)
{
    free(zone->triangles);
    free(zone->pieces);
    free(zone->entries);
    free(zone->moved);
    free(zone->edges);
    free(zone->centres);
    free(zone->rest_volumes);
    free(zone->volumes);
    free(zone->areas);
    free(zone->numbers);
}

int flex_zone_reserve(struct flex *flex)
{
    struct flex_zone *zone = &flex->zone;
    const struct flex_surface *surface = &flex->surface;
    return flex_array(flex, &zone->triangles, surface->triangle_count, sizeof *zone->triangles) &&
                   flex_array(flex, &zone->pieces, surface->triangle_count, sizeof *zone->pieces) &&
                   flex_array(flex, &zone->entries, surface->entry_count, sizeof *zone->entries) &&
                   flex_array(flex, &zone->moved, surface->entry_count, sizeof *zone->moved) &&
                   flex_array(flex, &zone->numbers, surface->entry_count, sizeof *zone->numbers)
               ? 0
               : flex->err->code;
}

/* Makes room for `count` items, keeping nothing. */
static bool reserve(struct flex *flex, void *array, uint64_t *capacity, uint64_t count, size_t item_bytes)
{
    if (count < *capacity)
        return true;
    if (!flex_array(flex, array, count, item_bytes))
        return false;
    *capacity = count + 1; /* as flex_array() makes it: a zone without a boundary has an array, too */
    return true;
}

/* --- which triangles --- */

/* What a triangle does when the joint turns, and a bit of the marks of its corners. */
enum { STAYS = 0, DEFORMS = 1, MOVES = 2 };

static uint8_t deed_of(const float *shares, const uint32_t *corners)
{
    bool stays = true, moves = true;
    for (int c = 0; c < 3; c++) {
        stays = stays && shares[corners[c]] < RIGID_SHARE;
        moves = moves && shares[corners[c]] > 1 - RIGID_SHARE;
    }
    return stays ? STAYS : moves ? MOVES : DEFORMS;
}

static void find_triangles(struct flex *flex)
{
    struct flex_zone *zone = &flex->zone;
    const struct flex_surface *surface = &flex->surface;
    zone->triangle_count = zone->entry_count = zone->moved_count = 0;
    memset(flex->marks, 0, surface->entry_count);
    for (uint32_t t = 0; t < surface->triangle_count; t++) {
        const uint32_t *corners = surface->corners + (size_t)3 * t;
        const uint8_t deed = deed_of(flex->shares, corners);
        if (deed == DEFORMS)
            zone->triangles[zone->triangle_count++] = t;
        for (int c = 0; c < 3; c++)
            flex->marks[corners[c]] |= deed;
    }
    for (uint32_t e = 0; e < surface->entry_count; e++)
        if ((flex->marks[e] & DEFORMS) != 0)
            zone->entries[zone->entry_count++] = e;
        else if (flex->marks[e] == MOVES)
            zone->moved[zone->moved_count++] = e;
}

/* --- pieces and boundary --- */

static void reset_groups(struct flex *flex)
{
    for (uint32_t i = 0; i < flex->zone.entry_count; i++) {
        const uint32_t place = flex->surface.places[flex->zone.entries[i]];
        flex->groups[place] = place;
        flex->zone.numbers[place] = UINT32_MAX;
    }
}

/* Returns the number of a place's group, and counts a new one. */
static uint32_t group_number(struct flex *flex, uint32_t place, uint32_t *count)
{
    uint32_t *number = &flex->zone.numbers[flex_group(flex->groups, place)];
    if (*number == UINT32_MAX)
        *number = (*count)++;
    return *number;
}

static void find_pieces(struct flex *flex)
{
    struct flex_zone *zone = &flex->zone;
    const struct flex_surface *surface = &flex->surface;
    reset_groups(flex);
    for (uint32_t i = 0; i < zone->triangle_count; i++) {
        const uint32_t *corners = surface->corners + (size_t)3 * zone->triangles[i];
        flex_unite(flex->groups, surface->places[corners[0]], surface->places[corners[1]]);
        flex_unite(flex->groups, surface->places[corners[0]], surface->places[corners[2]]);
    }
    zone->piece_count = 0;
    for (uint32_t i = 0; i < zone->triangle_count; i++) {
        const uint32_t corner = surface->corners[(size_t)3 * zone->triangles[i]];
        zone->pieces[i] = group_number(flex, surface->places[corner], &zone->piece_count);
    }
}

static int compare_edges(const void *a, const void *b)
{
    const struct flex_edge *p = a, *q = b;
    if (p->low != q->low)
        return p->low < q->low ? -1 : 1;
    return (p->high > q->high) - (p->high < q->high);
}

static void list_edges(struct flex *flex)
{
    struct flex_zone *zone = &flex->zone;
    const struct flex_surface *surface = &flex->surface;
    zone->edge_count = 0;
    for (uint32_t i = 0; i < zone->triangle_count; i++)
        for (uint32_t c = 0; c < 3; c++) {
            const uint32_t *corners = surface->corners + (size_t)3 * zone->triangles[i];
            const uint32_t from = corners[c], to = corners[(c + 1) % 3];
            const uint32_t a = surface->places[from], b = surface->places[to];
            if (a != b)
                zone->edges[zone->edge_count++] =
                    (struct flex_edge){from, to, a < b ? a : b, a < b ? b : a, a < b ? 1 : -1, zone->pieces[i], 0};
        }
    sort_in_place(zone->edges, zone->edge_count, sizeof *zone->edges, compare_edges);
}

/* Keeps one edge of each pair of places, in the direction that prevails, with its surplus. */
static void keep_boundary(struct flex_zone *zone)
{
    uint32_t kept = 0;
    for (uint32_t i = 0, end; i < zone->edge_count; i = end) {
        int32_t sum = 0;
        for (end = i; end < zone->edge_count && compare_edges(&zone->edges[i], &zone->edges[end]) == 0; end++)
            sum += zone->edges[end].count;
        for (uint32_t k = i; k < end && sum != 0; k++)
            if ((zone->edges[k].count > 0) == (sum > 0)) {
                zone->edges[kept] = zone->edges[k];
                zone->edges[kept++].count = abs(sum);
                break;
            }
    }
    zone->edge_count = kept;
}

static int find_loops(struct flex *flex)
{
    struct flex_zone *zone = &flex->zone;
    reset_groups(flex);
    for (uint32_t i = 0; i < zone->edge_count; i++)
        flex_unite(flex->groups, zone->edges[i].low, zone->edges[i].high);
    zone->loop_count = 0;
    for (uint32_t i = 0; i < zone->edge_count; i++)
        zone->edges[i].loop = group_number(flex, zone->edges[i].low, &zone->loop_count);
    return reserve(flex, &zone->centres, &zone->loop_capacity, zone->loop_count, sizeof *zone->centres)
               ? 0
               : flex->err->code;
}

/* --- measures --- */

static void edge_between(const struct vec3 *a, const struct vec3 *b, double out[3])
{
    out[0] = (double)b->x - (double)a->x;
    out[1] = (double)b->y - (double)a->y;
    out[2] = (double)b->z - (double)a->z;
}

static void find_centres(struct flex_zone *zone, const struct vec3 *at)
{
    memset(zone->centres, 0, zone->loop_count * sizeof *zone->centres);
    for (uint32_t i = 0; i < zone->edge_count; i++) {
        double *centre = zone->centres[zone->edges[i].loop];
        const struct vec3 *ends[] = {&at[zone->edges[i].from], &at[zone->edges[i].to]};
        for (int e = 0; e < 2; e++) {
            centre[0] += (double)ends[e]->x;
            centre[1] += (double)ends[e]->y;
            centre[2] += (double)ends[e]->z;
            centre[3] += 1;
        }
    }
    for (uint32_t l = 0; l < zone->loop_count; l++)
        for (int c = 0; c < 3; c++)
            zone->centres[l][c] /= zone->centres[l][3];
}

/* Computes the signed volume of each closed piece; at: by entry. */
static void measure_volumes(struct flex *flex, const struct vec3 *at)
{
    const struct flex_zone *zone = &flex->zone;
    const struct vec3 *origin = &at[zone->entries[0]];
    memset(zone->volumes, 0, zone->piece_count * sizeof *zone->volumes);
    find_centres(&flex->zone, at);
    for (uint32_t i = 0; i < zone->triangle_count; i++) {
        const uint32_t *corners = flex->surface.corners + (size_t)3 * zone->triangles[i];
        double a[3], b[3], c[3];
        edge_between(origin, &at[corners[0]], a);
        edge_between(origin, &at[corners[1]], b);
        edge_between(origin, &at[corners[2]], c);
        zone->volumes[zone->pieces[i]] += determinant3(a, b, c) / 6;
    }
    for (uint32_t i = 0; i < zone->edge_count; i++) {
        const struct flex_edge *edge = &zone->edges[i];
        double a[3], b[3], c[3];
        edge_between(origin, &at[edge->to], a);
        edge_between(origin, &at[edge->from], b);
        for (int k = 0; k < 3; k++)
            c[k] = zone->centres[edge->loop][k] - (k == 0   ? (double)origin->x
                                                   : k == 1 ? (double)origin->y
                                                            : (double)origin->z);
        zone->volumes[edge->piece] += edge->count * determinant3(a, b, c) / 6;
    }
}

/* Returns the normal of a triangle, as long as twice its area. */
static void normal_of(const struct vec3 *at, const uint32_t *corners, const struct dmat4 *turn, double out[3])
{
    double a[3], b[3], across[2][3];
    edge_between(&at[corners[0]], &at[corners[1]], a);
    edge_between(&at[corners[0]], &at[corners[2]], b);
    dmat4_direction(turn, a, across[0]);
    dmat4_direction(turn, b, across[1]);
    cross3(across[0], across[1], out);
}

static void measure_rest(struct flex *flex)
{
    struct flex_zone *zone = &flex->zone;
    double sum = 0;
    zone->area = 0;
    memset(zone->areas, 0, zone->piece_count * sizeof *zone->areas);
    for (uint32_t i = 0; i < zone->triangle_count; i++) {
        double normal[3];
        normal_of(flex->surface.rest, flex->surface.corners + (size_t)3 * zone->triangles[i], &DMAT4_IDENTITY, normal);
        zone->areas[zone->pieces[i]] += sqrt(dot3(normal, normal)) / 2;
    }
    measure_volumes(flex, flex->surface.rest);
    for (uint32_t p = 0; p < zone->piece_count; p++) {
        const double area = zone->areas[p];
        zone->rest_volumes[p] = fabs(zone->volumes[p]) > FLAT * area * sqrt(area) ? zone->volumes[p] : 0;
        zone->area += area;
        sum += fabs(zone->rest_volumes[p]);
    }
    zone->volume = sum > 0 ? sum : (double)NAN;
}

/* What sorting so many edges costs, in vertices. */
static uint64_t sort_steps(uint64_t count)
{
    uint64_t steps = count;
    for (uint64_t left = count; left > 1; left /= 2)
        steps += count;
    return steps;
}

int flex_zone_find(struct flex *flex)
{
    struct flex_zone *zone = &flex->zone;
    find_triangles(flex);
    zone->area = 0;
    zone->volume = (double)NAN;
    if (zone->triangle_count == 0)
        return 0;
    if (!flex_spend(flex, 0, sort_steps((uint64_t)3 * zone->triangle_count)))
        return flex->err->code;
    find_pieces(flex);
    if (!reserve(flex, &zone->edges, &zone->edge_capacity, (uint64_t)3 * zone->triangle_count, sizeof *zone->edges))
        return flex->err->code;
    if (zone->piece_count > zone->piece_capacity) {
        if (!flex_array(flex, &zone->rest_volumes, zone->piece_count, sizeof *zone->rest_volumes) ||
            !flex_array(flex, &zone->volumes, zone->piece_count, sizeof *zone->volumes) ||
            !flex_array(flex, &zone->areas, zone->piece_count, sizeof *zone->areas))
            return flex->err->code;
        zone->piece_capacity = zone->piece_count;
    }
    list_edges(flex);
    keep_boundary(zone);
    const int rc = find_loops(flex);
    if (rc == 0)
        measure_rest(flex);
    return rc;
}

/* Counts the triangles that are turned over, and those that have lost their area. */
static void measure_triangles(const struct flex *flex, const struct dmat4 *scene_from_rest, struct flex_turn *turn)
{
    const struct flex_zone *zone = &flex->zone;
    for (uint32_t i = 0; i < zone->triangle_count; i++) {
        const uint32_t *corners = flex->surface.corners + (size_t)3 * zone->triangles[i];
        double rest[3], rigid[3], bent[3];
        const float share = flex->shares[corners[0]] + flex->shares[corners[1]] + flex->shares[corners[2]];
        normal_of(flex->surface.rest, corners, &DMAT4_IDENTITY, rest);
        normal_of(flex->surface.rest, corners, share >= 1.5F ? scene_from_rest : &DMAT4_IDENTITY, rigid);
        normal_of(flex->bent, corners, &DMAT4_IDENTITY, bent);
        const double area = sqrt(dot3(rest, rest)) / 2;
        if (sqrt(dot3(bent, bent)) <= COLLAPSE * sqrt(dot3(rigid, rigid))) {
            turn->collapsed += area > 0;
            turn->collapsed_share += area;
        } else if (dot3(rigid, bent) < 0) {
            turn->flipped++;
            turn->flipped_share += area;
        }
    }
    turn->flipped_share /= zone->area > 0 ? zone->area : 1;
    turn->collapsed_share /= zone->area > 0 ? zone->area : 1;
}

void flex_zone_measure(struct flex *flex, const struct dmat4 *scene_from_rest, struct flex_turn *turn)
{
    const struct flex_zone *zone = &flex->zone;
    double left = 0;
    measure_volumes(flex, flex->bent);
    for (uint32_t p = 0; p < zone->piece_count; p++)
        if (zone->rest_volumes[p] != 0)
            left += zone->rest_volumes[p] > 0 ? zone->volumes[p] : -zone->volumes[p];
    turn->volume_lost = 1 - left / zone->volume; /* NaN without a volume */
    measure_triangles(flex, scene_from_rest, turn);
}
