/* compare_morphs.c - compares morph targets: their names, and where they move vertices. */
#include "anim/compare/compare_drawn.h"
#include "base/mem.h"

#include <stdio.h>
#include <stdlib.h>

enum {
    STEPS_MOST = 20000000, /* at targets of vertices */
    MOMENTS_MOST = 8,      /* targets for which a moment is sought */
};

/* Finds a target of a primitive by its name, or by index when it has none. Returns -1 when there is none. */
static int32_t find_target(const struct model *models[COMPARE_SIDES], const struct primitive *primitives[COMPARE_SIDES],
                           uint32_t target)
{
    const struct primitive *old = primitives[COMPARE_OLD], *new = primitives[COMPARE_NEW];
    const uint64_t key = name_key(
        models[COMPARE_OLD], models[COMPARE_OLD]->morph_targets[old->morph_target_first + target].name, NAME_REWRITTEN);
    bool has_names = false;
    for (uint32_t i = 0; i < new->morph_target_count &&key != 0; i++) {
        const uint64_t other = name_key(
            models[COMPARE_NEW], models[COMPARE_NEW]->morph_targets[new->morph_target_first + i].name, NAME_REWRITTEN);
        if (other == key)
            return (int32_t)i;
        has_names = has_names || other != 0;
    }
    return !has_names && target < new->morph_target_count ? (int32_t)target : -1;
}

static struct vec3 delta_of(const struct model *model, const struct primitive *primitive, uint32_t target,
                            uint32_t vertex)
{
    const uint32_t first = model->morph_targets[primitive->morph_target_first + target].position_first;
    return first == UINT32_MAX ? (struct vec3){0, 0, 0} : model->morph_deltas[first + vertex - primitive->vertex_first];
}

/* Returns the offset of a vertex by a target in the space of the places. */
static void offset_of(const struct compare *compare, enum compare_side s, uint32_t at,
                      const struct primitive *primitive, uint32_t target, double out[3])
{
    const struct drawn_vertices *drawn = &compare->surface->drawn[s];
    const struct dmat4 matrix = drawn_matrix(compare, s, at);
    const struct vec3 delta = delta_of(drawn->model, primitive, target, drawn->vertices[at]);
    dmat4_direction(&matrix, DOUBLE3(delta), out);
}

/* Returns the normal of a vertex with a target at full weight, as a unit vector in the space of the places; 0: the file
 * has none. */
static struct vec3 normal_of(const struct compare *compare, enum compare_side s, uint32_t at,
                             const struct primitive *primitive, uint32_t target)
{
    const struct drawn_vertices *drawn = &compare->surface->drawn[s];
    const struct model *model = drawn->model;
    const uint32_t first = model->morph_targets[primitive->morph_target_first + target].normal_first;
    const uint32_t v = drawn->vertices[at];
    if (first == UINT32_MAX || (primitive->flags & PRIMITIVE_FILE_NORMALS) == 0)
        return (struct vec3){0, 0, 0};
    const struct vec3 rest = model->normals[v], delta = model->morph_deltas[first + v - primitive->vertex_first];
    const struct dmat4 matrix = drawn_matrix(compare, s, at);
    return turned_normal(&matrix, (struct vec3){rest.x + delta.x, rest.y + delta.y, rest.z + delta.z});
}

/* Finds when a weight of the new model is greatest in a clip that both have, among a few moments of a few clips. */
static void set_moment(struct compare *compare, uint32_t weight, struct difference *difference)
{
    enum { CLIPS_LOOKED_AT = 8, MOMENTS = 9 };
    struct compare_model *side = &compare->sides[COMPARE_NEW];
    const uint64_t steps = pose_step_count(side->model);
    int32_t *partners[COMPARE_SIDES];
    double most = 0;
    clips_match_names(compare, partners);
    for (uint32_t c = 0; c < side->model->clip_count && c < CLIPS_LOOKED_AT; c++)
        for (int i = 0;
             i < MOMENTS && partners[COMPARE_NEW][c] >= 0 && compare->steps_left > compare->options->steps / 2; i++) {
            const double time_s = side->model->clips[c].duration_s * i / (MOMENTS - 1);
            pose_evaluate(&side->pose, side->model, (int32_t)c, time_s);
            compare_charge(compare, steps);
            compare->out->step_count += steps;
            if (!(fabs(side->pose.weights[weight]) > most))
                continue;
            most = fabs(side->pose.weights[weight]);
            difference->time_s = time_s;
            difference->clips[COMPARE_OLD] = partners[COMPARE_NEW][c];
            difference->clips[COMPARE_NEW] = (int32_t)c;
        }
    for (int s = 0; s < COMPARE_SIDES; s++)
        free(partners[s]);
}

/* Reports target `target` of that side's primitive. `at`: a vertex of the old list. */
static struct difference *tell(struct compare *compare, enum compare_side s, uint32_t at, uint32_t target,
                               const char *said, double distance)
{
    const struct drawn_vertices *drawn = compare->surface->drawn;
    const uint32_t ats[COMPARE_SIDES] = {at, (uint32_t)drawn[COMPARE_OLD].partners[at]};
    const struct model *model = compare->sides[s].model;
    const struct primitive *primitive = drawn_primitive(&drawn[s], ats[s]);
    char names[2][THING_SIZE];
    struct difference *difference = difference_add(compare, DIFFERENCE_MORPH_TARGETS);
    if (difference == NULL)
        return NULL;
    for (int i = 0; i < COMPARE_SIDES; i++)
        difference->meshes[i] = (int32_t)drawn_mesh(&drawn[i], ats[i]);
    difference->distance = distance / compare->unit;
    difference_say(difference, "%s: %s %s",
                   compare_thing(model, "mesh", model->meshes[primitive->mesh].name, primitive->mesh, names[0]),
                   compare_thing(model, "target", model->morph_targets[primitive->morph_target_first + target].name,
                                 target, names[1]),
                   said);
    return difference;
}

/* Reports how far a target moves vertices otherwise. is_noted: it is the last of compare->morphs. */
static void tell_otherwise(struct compare *compare, uint32_t vertex, uint32_t target, double most, bool is_noted)
{
    char said[96];
    snprintf(said, sizeof said, "moves vertices otherwise, up to %.4g units (%.3g %% of the size)",
             most / compare->unit, 100 * most / compare->size);
    struct difference *difference = tell(compare, COMPARE_OLD, vertex, target, said, most);
    if (difference != NULL && is_noted && compare->counts[DIFFERENCE_MORPH_TARGETS] <= MOMENTS_MOST)
        set_moment(compare, compare->morphs[compare->morph_count - 1].weights[COMPARE_NEW], difference);
}

/* Lists a target that both models have. `at`: a vertex of the old list. */
static void note_pair(struct compare *compare, uint32_t at, uint32_t target, uint32_t match)
{
    enum { PAIRS_MOST = 65536 };
    const struct drawn_vertices *drawn = compare->surface->drawn;
    const uint32_t ats[COMPARE_SIDES] = {at, (uint32_t)drawn[COMPARE_OLD].partners[at]};
    const uint32_t targets[COMPARE_SIDES] = {target, match};
    struct morph_pair pair = {.target = target};
    for (int s = 0; s < COMPARE_SIDES; s++) {
        const struct model *model = drawn[s].model;
        const struct node *node = &model->nodes[model->draws[drawn[s].draws[ats[s]]].node];
        if (targets[s] >= node->weight_count || compare->morph_count == PAIRS_MOST)
            return;
        pair.weights[s] = node->weight_first + targets[s];
        pair.meshes[s] = drawn_mesh(&drawn[s], ats[s]);
    }
    const struct model *old = drawn[COMPARE_OLD].model;
    pair.name = old->morph_targets[drawn_primitive(&drawn[COMPARE_OLD], at)->morph_target_first + target].name;
    compare->morphs =
        mem_grow(compare->morphs, &compare->morph_capacity, compare->morph_count + 1, sizeof *compare->morphs);
    compare->morphs[compare->morph_count++] = pair;
}

/* Compares one target of a primitive, whose `count` vertices begin at `first` in the old list. */
static void compare_target(struct compare *compare, uint32_t first, uint32_t count, uint32_t target, uint64_t *steps)
{
    const struct drawn_vertices *old = &compare->surface->drawn[COMPARE_OLD];
    const struct drawn_vertices *new = &compare->surface->drawn[COMPARE_NEW];
    const struct model *models[COMPARE_SIDES] = {old->model, new->model};
    const struct primitive *primitives[COMPARE_SIDES] = {drawn_primitive(old, first), NULL};
    double most = 0, reach = 0;
    const size_t noted = compare->morph_count;
    uint32_t vertex = first;
    int32_t match = -1, lit = -1;
    for (uint32_t i = first; i < first + count; i++) {
        if (old->partners[i] < 0)
            continue;
        const uint32_t partner = (uint32_t)old->partners[i];
        if (drawn_primitive(new, partner) != primitives[COMPARE_NEW]) {
            primitives[COMPARE_NEW] = drawn_primitive(new, partner);
            match = find_target(models, primitives, target);
            *steps += primitives[COMPARE_NEW]->morph_target_count;
            if (*steps > STEPS_MOST)
                return;
        }
        if (match < 0) {
            tell(compare, COMPARE_OLD, i, target, "is gone, or has another name", (double)NAN);
            return;
        }
        double was[3], is[3];
        offset_of(compare, COMPARE_OLD, i, primitives[COMPARE_OLD], target, was);
        offset_of(compare, COMPARE_NEW, partner, primitives[COMPARE_NEW], (uint32_t)match, is);
        const double way[3] = {is[0] - was[0], is[1] - was[1], is[2] - was[2]}, distance = sqrt(dot3(way, way));
        const struct vec3 normals[COMPARE_SIDES] = {
            normal_of(compare, COMPARE_OLD, i, primitives[COMPARE_OLD], target),
            normal_of(compare, COMPARE_NEW, partner, primitives[COMPARE_NEW], (uint32_t)match)};
        if (directions_apart(normals[COMPARE_OLD], normals[COMPARE_NEW]) > NORMAL_NEAR &&
            !(vertex_compare(compare, i, partner).normal > NORMAL_NEAR))
            lit = (int32_t)i;
        if (compare->morph_count == noted)
            note_pair(compare, i, target, (uint32_t)match);
        reach = fmax(reach, sqrt(dot3(was, was)));
        if (distance > most) {
            most = distance;
            vertex = i;
        }
    }
    if (compare->morph_count > noted)
        compare->morphs[noted].reach = reach;
    if (most > compare->tolerance * compare->size)
        tell_otherwise(compare, vertex, target, most, compare->morph_count > noted);
    else if (lit >= 0)
        tell(compare, COMPARE_OLD, (uint32_t)lit, target, "turns normals otherwise", (double)NAN);
}

/* Reports that the new file has more targets than the old one. */
static void compare_counts(struct compare *compare, uint32_t first)
{
    const struct drawn_vertices *drawn = compare->surface->drawn;
    const int32_t matched = drawn_first_matched(&drawn[COMPARE_OLD], first);
    if (matched < 0)
        return;
    const uint32_t partner = (uint32_t)drawn[COMPARE_OLD].partners[matched];
    const uint32_t old = drawn_primitive(&drawn[COMPARE_OLD], first)->morph_target_count;
    const uint32_t new = drawn_primitive(&drawn[COMPARE_NEW], partner)->morph_target_count;
    if (new > old)
        tell(compare, COMPARE_NEW, (uint32_t)matched, new - 1, "is new", (double)NAN);
}

void morphs_compare(struct compare *compare)
{
    enum { TARGETS_MOST = 1024 };
    const struct drawn_vertices *old = &compare->surface->drawn[COMPARE_OLD];
    uint64_t steps = 0;
    for (uint32_t first = 0, count; first < old->count; first += count) {
        const struct primitive *primitive = drawn_primitive(old, first);
        const uint32_t targets = primitive->morph_target_count;
        count = primitive->vertex_count;
        compare_counts(compare, first);
        for (uint32_t t = 0; t < targets && t < TARGETS_MOST && !compare_is_stopped(compare); t++) {
            steps += (uint64_t)count * (1 + targets);
            if (steps > STEPS_MOST)
                return;
            compare_target(compare, first, count, t, &steps);
        }
    }
}

/* --- weights of a clip --- */

void morphs_begin(struct compare *compare, enum clip_mapping mapping)
{
    for (size_t i = 0; i < compare->morph_count; i++)
        compare->morphs[i].worsts[mapping].apart = -1;
}

void morphs_measure(struct compare *compare, enum clip_mapping mapping, double time_s)
{
    const double *old = compare->sides[COMPARE_OLD].pose.weights, *new = compare->sides[COMPARE_NEW].pose.weights;
    compare_charge(compare, compare->morph_count);
    for (size_t i = 0; i < compare->morph_count; i++) {
        struct morph_pair *morph = &compare->morphs[i];
        struct morph_worst *worst = &morph->worsts[mapping];
        const double apart = fabs(old[morph->weights[COMPARE_OLD]] - new[morph->weights[COMPARE_NEW]]) * morph->reach;
        if (apart > worst->apart)
            *worst = (struct morph_worst){apart, time_s};
    }
}

double morphs_worst(const struct compare *compare, enum clip_mapping mapping)
{
    double most = 0;
    for (size_t i = 0; i < compare->morph_count; i++)
        most = fmax(most, compare->morphs[i].worsts[mapping].apart);
    return most / (compare->tolerance * compare->size);
}

void morphs_tell(struct compare *compare, enum clip_mapping mapping, const int32_t clips[COMPARE_SIDES])
{
    const struct model *old = compare->sides[COMPARE_OLD].model, *new = compare->sides[COMPARE_NEW].model;
    for (size_t i = 0; i < compare->morph_count; i++) {
        const struct morph_pair *morph = &compare->morphs[i];
        const struct morph_worst *worst = &morph->worsts[mapping];
        char names[3][THING_SIZE];
        if (!(worst->apart > compare->tolerance * compare->size))
            continue;
        struct difference *difference = difference_add(compare, DIFFERENCE_POSE);
        if (difference == NULL)
            continue;
        for (int s = 0; s < COMPARE_SIDES; s++) {
            difference->clips[s] = clips[s];
            difference->meshes[s] = (int32_t)morph->meshes[s];
        }
        difference->time_s = worst->time_s;
        difference->distance = difference->vertex_distance = worst->apart / compare->unit;
        difference_say(
            difference, "%s: %s of %s moves vertices by %.4g units (%.3g %% of the size) more or less at %.6g s",
            compare_thing(new, "clip", new->clips[clips[COMPARE_NEW]].name, (uint32_t)clips[COMPARE_NEW], names[0]),
            compare_thing(old, "target", morph->name, morph->target, names[1]),
            compare_thing(old, "mesh", old->meshes[morph->meshes[COMPARE_OLD]].name, morph->meshes[COMPARE_OLD],
                          names[2]),
            difference->distance, 100 * worst->apart / compare->size, worst->time_s);
    }
}
