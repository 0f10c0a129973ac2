/* compare_triangles.c - matches the triangles, lines and points that both models draw, by the places of their corners.
 */
#include "anim/compare/compare_drawn.h"
#include "base/hash.h"
#include "base/mem.h"

#include <stdlib.h>
#include <string.h>

enum {
    ELEMENTS_MOST = 2000000, /* of a model; those beyond have no partner */
    CANDIDATES_MOST = 512,   /* tried for one element */
    LOOK = 4096,             /* elements between two checks whether the request was stopped */
    ALIKE_SLOTS = 8192,      /* twice the most pairs of materials that are compared */
};

/* --- walking --- */

double element_area(const struct drawn_vertices *drawn, const struct drawn_element *element)
{
    const struct vec3 *p = &drawn->places[element->corners[0]], *q = &drawn->places[element->corners[1]],
                      *r = &drawn->places[element->corners[2]];
    const double a[3] = {(double)q->x - (double)p->x, (double)q->y - (double)p->y, (double)q->z - (double)p->z};
    const double b[3] = {(double)r->x - (double)p->x, (double)r->y - (double)p->y, (double)r->z - (double)p->z};
    double across[3];
    cross3(a, b, across);
    return sqrt(dot3(across, across)) / 2;
}

struct element_walk element_walk_start(const struct compare *compare, enum compare_side side)
{
    enum { INDICES_MOST = 100000000 };
    return (struct element_walk){.drawn = &compare->surface->drawn[side],
                                 .least = 1e-14 * compare->size * compare->size,
                                 .indices_left = INDICES_MOST};
}

bool element_next(struct element_walk *walk, struct drawn_element *out)
{
    const struct drawn_vertices *drawn = walk->drawn;
    while (walk->first < drawn->count) {
        const struct primitive *primitive = drawn_primitive(drawn, walk->first);
        walk->is_cut = walk->next == 0 && primitive->index_count > walk->indices_left;
        if (walk->is_cut)
            return false;
        walk->indices_left -= walk->next == 0 ? primitive->index_count : 0;
        out->corner_count = primitive_corner_count(primitive);
        if (walk->next + out->corner_count > primitive->index_count) {
            walk->first += primitive->vertex_count;
            walk->next = 0;
            continue;
        }
        const uint32_t *indices = drawn->model->indices + primitive->index_first + walk->next;
        for (uint32_t c = 0; c < 3; c++)
            out->corners[c] = walk->first + indices[c < out->corner_count ? c : 0];
        walk->next += out->corner_count;
        if (out->corner_count < 3 || element_area(drawn, out) > walk->least)
            return true;
    }
    return false;
}

/* --- matching --- */

static const double COST_NEAR = 0.05; /* of a candidate that needs no better one: alike, not turned, at the place */

struct alike {
    int32_t materials[COMPARE_SIDES];
    bool is_known, is_alike;
};

struct element_match {
    struct compare *compare;
    double radius;
    struct drawn_element *elements; /* [count]: of the new model */
    struct vec3 *middles;           /* [count] */
    uint32_t count;
    uint64_t looks_left;
    struct alike *alikes; /* [ALIKE_SLOTS] */
    uint32_t alike_count;
    struct place_grid grid;
    bool has_grid;
};

static struct vec3 middle_of(const struct drawn_vertices *drawn, const struct drawn_element *element)
{
    struct vec3 out = {0, 0, 0};
    for (uint32_t c = 0; c < element->corner_count; c++) {
        const struct vec3 *p = &drawn->places[element->corners[c]];
        out = (struct vec3){out.x + p->x, out.y + p->y, out.z + p->z};
    }
    const float share = 1 / (float)element->corner_count;
    return (struct vec3){out.x * share, out.y * share, out.z * share};
}

static void list_new(struct element_match *match)
{
    struct element_walk walk = element_walk_start(match->compare, COMPARE_NEW);
    struct drawn_element element;
    size_t capacity = 0, middle_capacity = 0;
    while (match->count < ELEMENTS_MOST && element_next(&walk, &element)) {
        match->elements = mem_grow(match->elements, &capacity, (size_t)match->count + 1, sizeof *match->elements);
        match->middles = mem_grow(match->middles, &middle_capacity, (size_t)match->count + 1, sizeof *match->middles);
        match->elements[match->count] = element;
        match->middles[match->count++] = middle_of(walk.drawn, &element);
    }
}

/* Compares each pair of materials once. Those beyond the limit count as alike. */
static bool is_alike(struct element_match *match, uint32_t old, uint32_t new)
{
    const struct drawn_vertices *drawn = match->compare->surface->drawn;
    const int32_t both[COMPARE_SIDES] = {drawn_material(&drawn[COMPARE_OLD], old),
                                         drawn_material(&drawn[COMPARE_NEW], new)};
    uint32_t at = (uint32_t)hash64(HASH64_SEED, both, sizeof both) % ALIKE_SLOTS;
    while (match->alikes[at].is_known && memcmp(match->alikes[at].materials, both, sizeof both) != 0)
        at = (at + 1) % ALIKE_SLOTS;
    struct alike *known = &match->alikes[at];
    if (!known->is_known && (match->alike_count == ALIKE_SLOTS / 2 || compare_is_stopped(match->compare)))
        return true;
    if (!known->is_known) {
        match->alike_count++;
        *known = (struct alike){.materials = {both[COMPARE_OLD], both[COMPARE_NEW]},
                                .is_known = true,
                                .is_alike = materials_are_alike(match->compare, both[COMPARE_OLD], both[COMPARE_NEW])};
    }
    return known->is_alike;
}

static double places_apart(struct vec3 a, struct vec3 b)
{
    const double way[3] = {(double)a.x - (double)b.x, (double)a.y - (double)b.y, (double)a.z - (double)b.z};
    return sqrt(dot3(way, way));
}

/* Returns the greatest distance of the corners, in the given order of the new ones. */
static double corners_apart(const struct element_match *match, const struct drawn_element *old,
                            const struct drawn_element *new, const uint8_t order[3])
{
    const struct drawn_vertices *drawn = match->compare->surface->drawn;
    double most = 0;
    for (uint32_t c = 0; c < old->corner_count; c++)
        most = fmax(most, places_apart(drawn[COMPARE_OLD].places[old->corners[c]],
                                       drawn[COMPARE_NEW].places[new->corners[order[c]]]));
    return most;
}

/* Returns the cost of a candidate, HUGE_VAL for one elsewhere, and orders its corners as those of the old element. */
static double cost_of(struct element_match *match, const struct drawn_element *old, uint32_t index,
                      struct drawn_element *out)
{
    static const uint8_t ORDERS[][3] = {{0, 1, 2}, {1, 2, 0}, {2, 0, 1}, {0, 2, 1}, {1, 0, 2}, {2, 1, 0}};
    static const uint8_t LINES[][3] = {{0, 1, 1}, {1, 0, 0}};
    const struct drawn_element *new = &match->elements[index];
    const uint32_t orders = old->corner_count == 3 ? 6 : old->corner_count;
    double best = match->radius;
    bool is_found = false, is_turned = false;
    if (new->corner_count != old->corner_count)
        return HUGE_VAL;
    for (uint32_t i = 0; i < orders; i++) {
        const uint8_t *order = old->corner_count == 3 ? ORDERS[i] : LINES[i];
        const double apart = corners_apart(match, old, new, order);
        if (!(apart <= best) || (is_found && apart == best))
            continue;
        best = apart;
        is_found = true;
        is_turned = old->corner_count == 3 && i >= 3;
        for (uint32_t c = 0; c < 3; c++)
            out->corners[c] = new->corners[c < old->corner_count ? order[c] : 0];
    }
    if (!is_found)
        return HUGE_VAL;
    out->corner_count = old->corner_count;
    return 2 * best / match->radius + is_turned + 0.5 * !is_alike(match, old->corners[0], new->corners[0]);
}

/* Finds the partner of the old element of this index. False: there is none. */
static bool find_partner(struct element_match *match, const struct drawn_element *old, uint32_t index,
                         struct drawn_element *out)
{
    struct drawn_element element;
    double best = HUGE_VAL;
    int32_t firsts[GRID_CELLS];
    uint32_t looked = 0;
    if (index < match->count && cost_of(match, old, index, out) < COST_NEAR)
        return true;
    if (!match->has_grid)
        place_grid_make(&match->grid, match->middles, match->count, match->radius);
    match->has_grid = true;
    const struct vec3 middle = middle_of(&match->compare->surface->drawn[COMPARE_OLD], old);
    place_grid_find(&match->grid, &middle, firsts);
    for (int i = 0; i < GRID_CELLS; i++)
        for (int32_t n = firsts[i]; n >= 0 && looked++ < CANDIDATES_MOST && match->looks_left > 0;
             n = match->grid.nexts[n]) {
            match->looks_left--;
            const double cost = places_apart(match->middles[n], middle) > match->radius
                                    ? HUGE_VAL
                                    : cost_of(match, old, (uint32_t)n, &element);
            if (cost < best) {
                best = cost;
                *out = element;
            }
            if (best < COST_NEAR)
                return true;
        }
    return best < HUGE_VAL;
}

void elements_match(struct compare *compare,
                    void (*match)(void *context, const struct drawn_element *old, const struct drawn_element *new),
                    void *context)
{
    enum { LOOKS_MOST = 100000000 };
    struct element_match all = {.compare = compare,
                                .radius = compare->tolerance * compare->size,
                                .looks_left = LOOKS_MOST,
                                .alikes = mem_zalloc(ALIKE_SLOTS, sizeof(struct alike))};
    struct element_walk walk = element_walk_start(compare, COMPARE_OLD);
    struct drawn_element old, new;
    list_new(&all);
    for (uint32_t i = 0; i < ELEMENTS_MOST && element_next(&walk, &old) && all.looks_left > 0; i++) {
        if (i % LOOK == 0 && compare_is_stopped(compare))
            break;
        if (find_partner(&all, &old, i, &new))
            match(context, &old, &new);
    }
    if (all.has_grid)
        place_grid_free(&all.grid);
    free(all.elements);
    free(all.middles);
    free(all.alikes);
}
