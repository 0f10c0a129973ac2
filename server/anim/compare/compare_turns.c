/* compare_turns.c - how joints without a bind space are placed and turned in the reference poses. Their own axes are
 * not seen; what they carry is: the origins of joints below them. A joint that carries these as the joint above it
 * carries its own turns with that joint, so a chain is turned by its first joint that differs. */
#include "anim/compare/compare_internal.h"
#include "base/mem.h"

#include <stdlib.h>
#include <string.h>

enum { LEVELS_LOOKED_AT = 6 }; /* below a joint */
#define TURN_SHARE 0.5         /* of the tolerance: smaller distances do not turn a joint */

/* Two ways from the origin of a joint to origins below it, in the reference poses. */
struct carried_ways {
    double ways[2][COMPARE_SIDES][3];
    uint32_t count;
};

static double length3(const double v[3]) { return sqrt(dot3(v, v)); }

static double apart_of(const struct dmat4 *turn, const double (*way)[3])
{
    double at[3];
    dmat4_direction(turn, way[COMPARE_OLD], at);
    const double apart[3] = {at[0] - way[COMPARE_NEW][0], at[1] - way[COMPARE_NEW][1], at[2] - way[COMPARE_NEW][2]};
    return length3(apart);
}

/* Returns the shortest rotation that takes one direction to another; the identity where there is none. */
static struct dmat4 shortest_arc(const double from[3], const double to[3])
{
    double a[3] = {from[0], from[1], from[2]}, b[3] = {to[0], to[1], to[2]}, axis[3];
    if (!(unit3(a) > 0) || !(unit3(b) > 0))
        return DMAT4_IDENTITY;
    cross3(a, b, axis);
    const double cosine = dot3(a, b), sine = unit3(axis);
    return sine > 1e-12 ? dmat4_from_axis(axis, cosine, sine) : DMAT4_IDENTITY;
}

/* Returns v without its part along a unit axis. */
static void across_axis(const double axis[3], const double v[3], double out[3])
{
    const double along = dot3(axis, v);
    for (int i = 0; i < 3; i++)
        out[i] = v[i] - along * axis[i];
}

/* Returns the rotation of what a joint carries, beginning with that of the joint above it. */
static struct dmat4 turn_of(const struct compare *compare, const struct carried_ways *carried,
                            const struct dmat4 *above)
{
    const double near = TURN_SHARE * compare->tolerance * compare->size;
    struct dmat4 turn = *above;
    double from[3], axis[3], parts[COMPARE_SIDES][3];
    bool is_with_above = true;
    for (uint32_t i = 0; i < carried->count; i++)
        is_with_above = is_with_above && apart_of(above, carried->ways[i]) <= near;
    if (is_with_above)
        return turn;
    dmat4_direction(&turn, carried->ways[0][COMPARE_OLD], from);
    const struct dmat4 arc = shortest_arc(from, carried->ways[0][COMPARE_NEW]);
    turn = dmat4_mul(&arc, &turn);
    if (carried->count < 2)
        return turn;
    memcpy(axis, carried->ways[0][COMPARE_NEW], sizeof axis);
    unit3(axis);
    dmat4_direction(&turn, carried->ways[1][COMPARE_OLD], from);
    across_axis(axis, from, parts[COMPARE_OLD]);
    across_axis(axis, carried->ways[1][COMPARE_NEW], parts[COMPARE_NEW]);
    const struct dmat4 twist = shortest_arc(parts[COMPARE_OLD], parts[COMPARE_NEW]);
    const struct dmat4 both = dmat4_mul(&twist, &turn);
    return apart_of(&both, carried->ways[1]) <= near ? both : turn; /* else what is below moves by itself */
}

/* Adds the way to an origin below, where it leads away from the one that is there. */
static void add_way(const struct compare *compare, struct carried_ways *carried, const struct joint_pair *from,
                    const struct joint_pair *to)
{
    if (carried->count >= 2)
        return;
    double(*way)[3] = carried->ways[carried->count];
    for (int s = 0; s < COMPARE_SIDES; s++)
        for (int i = 0; i < 3; i++)
            way[s][i] = compare->sides[s].reference[to->nodes[s]].m[12 + i] -
                        compare->sides[s].reference[from->nodes[s]].m[12 + i];
    const double least = 10 * compare->tolerance * compare->size;
    if (!(length3(way[COMPARE_OLD]) > least) || !(length3(way[COMPARE_NEW]) > least))
        return;
    if (carried->count == 1) {
        double axis[3], across[3];
        memcpy(axis, carried->ways[0][COMPARE_OLD], sizeof axis);
        unit3(axis);
        across_axis(axis, way[COMPARE_OLD], across);
        if (!(length3(across) > least))
            return;
    }
    carried->count++;
}

/* Lists the ways to the next joints below, then to those below these: a straight leg shows by the toe how it is turned.
 */
static struct carried_ways *list_ways(const struct compare *compare)
{
    struct carried_ways *carried = mem_zalloc((size_t)compare->pair_count + 1, sizeof *carried);
    int32_t *aboves = mem_alloc(((size_t)compare->pair_count + 1) * sizeof *aboves);
    for (uint32_t i = 0; i < compare->pair_count; i++)
        aboves[i] = compare->pairs[i].parent;
    for (int level = 0; level < LEVELS_LOOKED_AT; level++)
        for (uint32_t i = 0; i < compare->pair_count; i++) {
            if (aboves[i] < 0)
                continue;
            add_way(compare, &carried[aboves[i]], &compare->pairs[aboves[i]], &compare->pairs[i]);
            aboves[i] = compare->pairs[aboves[i]].parent;
        }
    free(aboves);
    return carried;
}

struct dmat4 *turns_find(const struct compare *compare)
{
    const struct compare_model *sides = compare->sides;
    struct dmat4 *turns = mem_alloc(((size_t)compare->pair_count + 1) * sizeof *turns);
    struct carried_ways *carried = list_ways(compare);
    const struct dmat4 none = DMAT4_IDENTITY;
    for (uint32_t i = 0; i < compare->pair_count; i++) {
        const struct joint_pair *pair = &compare->pairs[i];
        struct dmat4 above = pair->parent < 0 ? none : turns[pair->parent];
        above.m[12] = above.m[13] = above.m[14] = 0;
        turns[i] = turn_of(compare, &carried[i], &above);
        double at[3];
        dmat4_direction(&turns[i], sides[COMPARE_OLD].reference[pair->nodes[COMPARE_OLD]].m + 12, at);
        for (int k = 0; k < 3; k++)
            turns[i].m[12 + k] = sides[COMPARE_NEW].reference[pair->nodes[COMPARE_NEW]].m[12 + k] - at[k];
    }
    free(carried);
    return turns;
}
