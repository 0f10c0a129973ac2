/* compare_morphs.c - morph targets: which is which, what they do to vertices, and their weights at rest and in clips.
 */
#include "anim/compare/compare_parts.h"
#include "anim/pose/bounds.h"
#include "base/mem.h"

#include <stdio.h>
#include <stdlib.h>

#define WEIGHT_FACTOR 10.0 /* of the tolerance: so much a weight may be off, however little its target moves */
#define REACH_SHARE   1e-2 /* of the tolerance: a target that moves less is still */

/* A primitive as both models draw it. */
struct morph_draws {
    uint32_t first, count; /* of the old list */
    uint32_t draws[COMPARE_SIDES];
    const struct primitive *primitives[COMPARE_SIDES];
};

/* --- what a target does --- */

static const struct morph_target *target_of(const struct compare *compare, const struct morph_draws *at,
                                            enum compare_side s, uint32_t t)
{
    return &compare->sides[s].model->morph_targets[at->primitives[s]->morph_target_first + t];
}

/* The way that a target moves a vertex, in the common frame: in bind space where vertices are compared there. */
static void way_of(const struct compare *compare, enum compare_side s, uint32_t vertex,
                   const struct morph_target *target, double out[3])
{
    const struct drawn_vertices *drawn = &compare->surface->drawn[s];
    const struct model *model = drawn->model;
    const struct draw *draw = &model->draws[drawn->draws[vertex]];
    const struct skin *skin = &model->skins[draw->skin];
    const uint32_t v = drawn->vertices[vertex];
    out[0] = out[1] = out[2] = 0;
    if (target == NULL || target->position_first == UINT32_MAX)
        return;
    const struct vec3 d =
        model->morph_deltas[target->position_first + (v - model->primitives[draw->primitive].vertex_first)];
    const double delta[3] = {(double)d.x, (double)d.y, (double)d.z};
    if (compare->surface->is_bind && (skin->flags & SKIN_RIGID) == 0) {
        for (int i = 0; i < 3; i++)
            out[i] = delta[i] * compare->surface->bind_scale;
        return;
    }
    const struct joint *joint = &model->joints[skin->joint_first + bounds_main_joint(model, v)];
    const struct dmat4 joint_from_bind = dmat4_from_mat4(&joint->joint_from_bind);
    const struct dmat4 m = dmat4_mul(&compare->sides[s].rest[joint->node], &joint_from_bind);
    for (int r = 0; r < 3; r++)
        out[r] = m.m[r] * delta[0] + m.m[4 + r] * delta[1] + m.m[8 + r] * delta[2];
}

/* How far apart two targets move the vertices that both models have; one of them may be NULL. */
struct target_apart {
    double most, reach; /* the farthest they are apart, and that any of them goes */
    uint32_t count;     /* of vertices that are off by more than the tolerance */
};

static struct target_apart targets_compare(const struct compare *compare, const struct morph_draws *at,
                                           const struct morph_target *old, const struct morph_target *new)
{
    const struct drawn_vertices *drawn = &compare->surface->drawn[COMPARE_OLD];
    struct target_apart out = {.most = 0};
    for (uint32_t i = at->first; i < at->first + at->count; i++) {
        double a[3], b[3];
        if (drawn->is_used[i] == 0 || drawn->partners[i] < 0)
            continue;
        way_of(compare, COMPARE_OLD, i, old, a);
        way_of(compare, COMPARE_NEW, (uint32_t)drawn->partners[i], new, b);
        const double way[3] = {a[0] - b[0], a[1] - b[1], a[2] - b[2]};
        const double apart = sqrt(dot3(way, way));
        out.most = fmax(out.most, apart);
        out.reach = fmax(out.reach, sqrt(fmax(dot3(a, a), dot3(b, b))));
        out.count += apart > compare->tolerance * compare->size;
    }
    return out;
}

static bool is_still(const struct compare *compare, const struct target_apart *apart)
{
    return apart->reach <= REACH_SHARE * compare->tolerance * compare->size;
}

/* --- which is which --- */

/* The draw that most partners of the vertices are of. False: none has most of them. */
static bool find_draw(const struct compare *compare, struct morph_draws *at)
{
    const struct drawn_vertices *old = &compare->surface->drawn[COMPARE_OLD],
                                *new = &compare->surface->drawn[COMPARE_NEW];
    uint32_t votes = 0;
    for (uint32_t i = at->first; i < at->first + at->count; i++) {
        if (old->partners[i] < 0)
            continue;
        const uint32_t draw = new->draws[old->partners[i]];
        if (votes == 0)
            at->draws[COMPARE_NEW] = draw;
        votes += draw == at->draws[COMPARE_NEW] ? 1 : -1U;
    }
    if (votes == 0)
        return false;
    const struct model *model = compare->sides[COMPARE_NEW].model;
    at->primitives[COMPARE_NEW] = &model->primitives[model->draws[at->draws[COMPARE_NEW]].primitive];
    return true;
}

static uint64_t key_of(const struct compare *compare, const struct morph_draws *at, enum compare_side s, uint32_t t)
{
    return name_key(compare->sides[s].model, target_of(compare, at, s, t)->name, NAME_REWRITTEN);
}

/* The old target that a new one is: that of its name, else the one at its place if only one of them has a name or if
 * both do the same. keys[]: of the old names. */
static int32_t find_target(const struct compare *compare, const struct morph_draws *at, uint32_t t,
                           const uint64_t *keys, uint32_t count)
{
    const uint64_t key = key_of(compare, at, COMPARE_NEW, t);
    for (uint32_t k = 0; k < count && key != 0; k++)
        if (keys[k] == key)
            return (int32_t)k;
    if (t >= count)
        return -1;
    if (key == 0 || keys[t] == 0)
        return (int32_t)t;
    const struct target_apart apart =
        targets_compare(compare, at, target_of(compare, at, COMPARE_OLD, t), target_of(compare, at, COMPARE_NEW, t));
    return apart.count == 0 && !is_still(compare, &apart) ? (int32_t)t : -1;
}

/* --- what is told --- */

static struct difference *start(struct compare *compare, const struct morph_draws *at, enum difference_kind kind)
{
    struct difference *difference = difference_add(compare, kind);
    for (int s = 0; s < COMPARE_SIDES && difference != NULL; s++)
        difference->meshes[s] = (int32_t)at->primitives[s]->mesh;
    return difference;
}

static const char *mesh_name(const struct compare *compare, uint32_t mesh, char out[THING_SIZE])
{
    const struct model *model = compare->sides[COMPARE_NEW].model;
    return compare_thing(model, "mesh", model->meshes[mesh].name, mesh, out);
}

static void tell_alone(struct compare *compare, const struct morph_draws *at, enum compare_side s, uint32_t t)
{
    const struct morph_target *target = target_of(compare, at, s, t);
    const struct target_apart apart =
        targets_compare(compare, at, s == COMPARE_OLD ? target : NULL, s == COMPARE_OLD ? NULL : target);
    char names[2][THING_SIZE];
    struct difference *difference = is_still(compare, &apart) ? NULL : start(compare, at, DIFFERENCE_MORPH_TARGETS);
    if (difference == NULL)
        return;
    difference_set_name(compare, difference, s, target->name);
    difference_say(difference, "morph %s of %s is %s",
                   compare_thing(compare->sides[s].model, "target", target->name, t, names[0]),
                   mesh_name(compare, at->primitives[COMPARE_NEW]->mesh, names[1]), s == COMPARE_OLD ? "gone" : "new");
}

static void tell_both(struct compare *compare, const struct morph_draws *at, uint32_t old, uint32_t new,
                      const struct target_apart *apart)
{
    const struct morph_target *was = target_of(compare, at, COMPARE_OLD, old),
                              *is = target_of(compare, at, COMPARE_NEW, new);
    const uint64_t key = key_of(compare, at, COMPARE_OLD, old), other = key_of(compare, at, COMPARE_NEW, new);
    char names[3][THING_SIZE];
    const char *name = compare_thing(compare->sides[COMPARE_NEW].model, "target", is->name, new, names[0]);
    const char *mesh = mesh_name(compare, at->primitives[COMPARE_NEW]->mesh, names[1]);
    if (key != 0 && other != 0 && key != other) {
        struct difference *difference = start(compare, at, DIFFERENCE_MORPH_TARGETS);
        if (difference == NULL)
            return;
        difference_set_name(compare, difference, COMPARE_OLD, was->name);
        difference_set_name(compare, difference, COMPARE_NEW, is->name);
        difference_say(difference, "morph %s of %s was %s", name, mesh,
                       compare_thing(compare->sides[COMPARE_OLD].model, "target", was->name, old, names[2]));
    }
    struct difference *difference = apart->count == 0 ? NULL : start(compare, at, DIFFERENCE_MORPH_TARGETS);
    if (difference == NULL)
        return;
    difference->distance = apart->most / compare->unit;
    difference_say(difference, "morph %s of %s moves %u %s otherwise, up to %.4g units (%.3g %% of the size)", name,
                   mesh, apart->count, apart->count == 1 ? "vertex" : "vertices", difference->distance,
                   100 * apart->most / compare->size);
}

/* --- weights --- */

/* Remembers whose weights are to be the same. The primitives of a mesh have them in common. */
static void add_weights(struct compare *compare, const struct morph_draws *at, uint32_t old, uint32_t new,
                        const struct target_apart *apart)
{
    struct morph_pair pair = {
        .reach = apart->reach, .name = target_of(compare, at, COMPARE_NEW, new)->name, .target = new};
    const uint32_t targets[COMPARE_SIDES] = {old, new};
    for (int s = 0; s < COMPARE_SIDES; s++) {
        const struct model *model = compare->sides[s].model;
        const struct node *node = &model->nodes[model->draws[at->draws[s]].node];
        pair.meshes[s] = at->primitives[s]->mesh;
        pair.weights[s] = node->weight_first + targets[s];
        if (targets[s] >= node->weight_count)
            return;
    }
    for (uint32_t i = 0; i < compare->morph_count; i++) {
        struct morph_pair *known = &compare->morphs[i];
        if (known->weights[COMPARE_OLD] != pair.weights[COMPARE_OLD])
            continue;
        known->reach = fmax(known->reach, pair.reach);
        return;
    }
    if (compare->morph_count == MORPHS_MOST)
        return;
    compare->morphs = mem_realloc(compare->morphs, (compare->morph_count + 1) * sizeof *compare->morphs);
    compare->morphs[compare->morph_count++] = pair;
}

bool morphs_measure(const struct compare *compare, double time_s, struct morph_worst *worsts)
{
    bool is_same = true;
    for (uint32_t i = 0; i < compare->morph_count; i++) {
        const struct morph_pair *pair = &compare->morphs[i];
        const double was = compare->sides[COMPARE_OLD].pose.weights[pair->weights[COMPARE_OLD]];
        const double is = compare->sides[COMPARE_NEW].pose.weights[pair->weights[COMPARE_NEW]];
        const double apart = fabs(was - is);
        const double score = fmax(apart * pair->reach / compare->size, apart / WEIGHT_FACTOR) / compare->tolerance;
        is_same = is_same && !(score > 1);
        if (score > worsts[i].score)
            worsts[i] = (struct morph_worst){.score = score, .time_s = time_s, .weights = {was, is}};
    }
    return is_same;
}

void morphs_tell(struct compare *compare, const int32_t clips[COMPARE_SIDES], const struct morph_worst *worsts)
{
    const struct model *new = compare->sides[COMPARE_NEW].model;
    const bool is_rest = clips[COMPARE_NEW] == POSE_REST;
    char names[3][THING_SIZE], when[40] = "at rest";
    for (uint32_t i = 0; i < compare->morph_count; i++) {
        const struct morph_pair *pair = &compare->morphs[i];
        struct difference *difference =
            worsts[i].score > 1 ? difference_add(compare, is_rest ? DIFFERENCE_REST : DIFFERENCE_POSE) : NULL;
        if (difference == NULL)
            continue;
        for (int s = 0; s < COMPARE_SIDES; s++) {
            difference->clips[s] = is_rest ? -1 : clips[s];
            difference->meshes[s] = (int32_t)pair->meshes[s];
            difference_set_number(difference, (enum compare_side)s, worsts[i].weights[s]);
        }
        if (!is_rest)
            difference->time_s = worsts[i].time_s;
        difference->distance =
            fabs(worsts[i].weights[COMPARE_OLD] - worsts[i].weights[COMPARE_NEW]) * pair->reach / compare->unit;
        if (!is_rest)
            snprintf(when, sizeof when, "at %.6g s", worsts[i].time_s);
        difference_say(difference, "%s%smorph %s of %s has the weight %.4g instead of %.4g %s",
                       is_rest ? ""
                               : compare_thing(new, "clip", new->clips[clips[COMPARE_NEW]].name,
                                               (uint32_t)clips[COMPARE_NEW], names[0]),
                       is_rest ? "" : ": ", compare_thing(new, "target", pair->name, pair->target, names[1]),
                       mesh_name(compare, pair->meshes[COMPARE_NEW], names[2]), worsts[i].weights[COMPARE_NEW],
                       worsts[i].weights[COMPARE_OLD], when);
    }
}

/* --- everything --- */

static uint32_t count_targets(const struct morph_draws *at, enum compare_side s)
{
    const uint32_t count = at->primitives[s]->morph_target_count;
    return count < MORPHS_MOST ? count : MORPHS_MOST;
}

static void compare_draw(struct compare *compare, const struct morph_draws *at)
{
    const struct model *old = compare->sides[COMPARE_OLD].model;
    const uint32_t old_count = count_targets(at, COMPARE_OLD), new_count = count_targets(at, COMPARE_NEW);
    const bool is_first = &old->primitives[old->meshes[at->primitives[COMPARE_OLD]->mesh].primitive_first] ==
                          at->primitives[COMPARE_OLD]; /* what the others lack it lacks, too */
    uint8_t *is_found = mem_zalloc((size_t)old_count + 1, 1);
    uint64_t *keys = mem_alloc(((size_t)old_count + 1) * sizeof *keys);
    for (uint32_t t = 0; t < old_count; t++)
        keys[t] = key_of(compare, at, COMPARE_OLD, t);
    for (uint32_t t = 0; t < new_count && !compare_is_stopped(compare); t++) {
        const int32_t partner = find_target(compare, at, t, keys, old_count);
        if (partner < 0 || is_found[partner] != 0) {
            if (is_first)
                tell_alone(compare, at, COMPARE_NEW, t);
            continue;
        }
        is_found[partner] = 1;
        const struct target_apart apart =
            targets_compare(compare, at, target_of(compare, at, COMPARE_OLD, (uint32_t)partner),
                            target_of(compare, at, COMPARE_NEW, t));
        tell_both(compare, at, (uint32_t)partner, t, &apart);
        if (!is_still(compare, &apart))
            add_weights(compare, at, (uint32_t)partner, t, &apart);
    }
    for (uint32_t t = 0; t < old_count && is_first; t++)
        if (is_found[t] == 0)
            tell_alone(compare, at, COMPARE_OLD, t);
    free(is_found);
    free(keys);
}

void morphs_compare(struct compare *compare)
{
    const struct drawn_vertices *old = &compare->surface->drawn[COMPARE_OLD];
    struct morph_draws at = {.first = 0};
    for (; at.first < old->count && !compare_is_stopped(compare); at.first += at.count) {
        at.draws[COMPARE_OLD] = old->draws[at.first];
        at.primitives[COMPARE_OLD] = &old->model->primitives[old->model->draws[at.draws[COMPARE_OLD]].primitive];
        at.count = at.primitives[COMPARE_OLD]->vertex_count;
        if (find_draw(compare, &at))
            compare_draw(compare, &at);
    }
}
