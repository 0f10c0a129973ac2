/* compare_weights.c - compares the weights with which vertices follow joints. */
#include "anim/compare/compare_drawn.h"
#include "base/mem.h"

#include <stdlib.h>

/* Tools keep four influences, drop tiny ones, and round to bytes, so that one weight takes the rounding of the others.
 * The comparison ignores these changes. */
enum { KEPT = 4 };
#define TINY        1e-3F
#define DUST_FACTOR 5                  /* of the tolerance: allowed difference of a weight; 1/255 is less than 0.005 */
#define ROUNDED     (3 / 255.0 + 1e-4) /* up to this a difference counts only where it moves the vertex */

struct followed {
    int32_t pairs[KEPT];
    double weights[KEPT];
    uint32_t count;
};

/* The differences of one joint. */
struct joint_weights {
    uint32_t count;  /* vertices */
    uint32_t vertex; /* with the greatest difference, in the old list */
    double most, weights[COMPARE_SIDES];
};

/* Vertices of a mesh of the old model that follow joints in another way. */
struct mesh_methods {
    uint32_t skinned; /* with a skin in one of the models */
    uint32_t methods; /* with two joints, blended by another method */
    uint32_t vertex;  /* one of them, in the old list */
};

static void keep(struct followed *followed, int32_t pair, double weight)
{
    uint32_t at = 0, least = 0;
    while (at < followed->count && followed->pairs[at] != pair)
        at++;
    if (at < followed->count) {
        followed->weights[at] += weight;
        return;
    }
    if (followed->count < KEPT) {
        followed->pairs[followed->count] = pair;
        followed->weights[followed->count++] = weight;
        return;
    }
    for (uint32_t i = 1; i < KEPT; i++)
        least = followed->weights[i] < followed->weights[least] ? i : least;
    if (weight <= followed->weights[least])
        return;
    followed->pairs[least] = pair;
    followed->weights[least] = weight;
}

static struct followed followed_of(const struct compare *compare, enum compare_side s, uint32_t at)
{
    const struct drawn_vertices *drawn = &compare->surface->drawn[s];
    const struct model *model = drawn->model;
    const uint32_t v = drawn->vertices[at];
    struct followed followed = {.count = 0};
    double sum = 0;
    for (uint32_t i = model->influence_firsts[v]; i < model->influence_firsts[v + 1]; i++)
        if (model->influences[i].weight >= TINY)
            keep(&followed, compare->sides[s].pairs[drawn_joint_node(drawn, at, model->influences[i].joint)],
                 (double)model->influences[i].weight);
    if (followed.count == 0)
        keep(&followed, compare->sides[s].pairs[drawn_joint_node(drawn, at, 0)], 1);
    for (uint32_t i = 0; i < followed.count; i++)
        sum += followed.weights[i];
    for (uint32_t i = 0; i < followed.count; i++)
        followed.weights[i] /= sum;
    return followed;
}

bool compare_takes_influences(struct compare *compare, uint32_t at)
{
    const struct drawn_vertices *drawn = compare->surface->drawn;
    const uint32_t ats[COMPARE_SIDES] = {at, (uint32_t)drawn[COMPARE_OLD].partners[at]};
    uint64_t count = 0;
    for (int s = 0; s < COMPARE_SIDES; s++) {
        const uint32_t *firsts = drawn[s].model->influence_firsts + drawn[s].vertices[ats[s]];
        count += firsts[1] - firsts[0];
    }
    compare->influences_left -= count < compare->influences_left ? count : compare->influences_left;
    return compare->influences_left > 0;
}

static double weight_of(const struct followed *followed, int32_t pair)
{
    for (uint32_t i = 0; i < followed->count; i++)
        if (followed->pairs[i] == pair)
            return followed->weights[i];
    return 0;
}

/* Notes the joint of `of` if its weight differs in the other model. */
static void note(struct joint_weights *joints, const struct followed followed[COMPARE_SIDES], int32_t pair,
                 uint32_t vertex, double near)
{
    const double weights[COMPARE_SIDES] = {weight_of(&followed[COMPARE_OLD], pair),
                                           weight_of(&followed[COMPARE_NEW], pair)};
    const double apart = fabs(weights[COMPARE_OLD] - weights[COMPARE_NEW]);
    if (pair < 0 || !(apart > near))
        return;
    struct joint_weights *joint = &joints[pair];
    joint->count++;
    if (!(apart > joint->most))
        return;
    joint->most = apart;
    joint->vertex = vertex;
    joint->weights[COMPARE_OLD] = weights[COMPARE_OLD];
    joint->weights[COMPARE_NEW] = weights[COMPARE_NEW];
}

/* What a vertex follows in both models. */
static void follow(const struct compare *compare, uint32_t old, struct followed followed[COMPARE_SIDES])
{
    followed[COMPARE_OLD] = followed_of(compare, COMPARE_OLD, old);
    followed[COMPARE_NEW] =
        followed_of(compare, COMPARE_NEW, (uint32_t)compare->surface->drawn[COMPARE_OLD].partners[old]);
}

/* Returns the greatest difference of a weight. */
static double weights_apart(const struct followed followed[COMPARE_SIDES])
{
    double most = 0;
    for (int s = 0; s < COMPARE_SIDES; s++)
        for (uint32_t i = 0; i < followed[s].count; i++)
            if (followed[s].pairs[i] >= 0)
                most = fmax(most, fabs(weight_of(&followed[COMPARE_OLD], followed[s].pairs[i]) -
                                       weight_of(&followed[COMPARE_NEW], followed[s].pairs[i])));
    return most;
}

static void note_all(const struct compare *compare, uint32_t old, const struct followed followed[COMPARE_SIDES],
                     struct joint_weights *joints)
{
    const double near = DUST_FACTOR * compare->tolerance;
    for (uint32_t i = 0; i < followed[COMPARE_OLD].count; i++)
        note(joints, followed, followed[COMPARE_OLD].pairs[i], old, near);
    for (uint32_t i = 0; i < followed[COMPARE_NEW].count; i++)
        if (!(weight_of(&followed[COMPARE_OLD], followed[COMPARE_NEW].pairs[i]) > 0))
            note(joints, followed, followed[COMPARE_NEW].pairs[i], old, near);
}

/* --- small differences --- */

enum { SUSPECTS_MOST = 1024, CLIPS_LOOKED_AT = 16, MOMENTS = 5 };

/* Vertices whose weights may be rounded, in the old list. */
struct suspects {
    uint32_t vertices[SUSPECTS_MOST];
    struct followed followed[SUSPECTS_MOST][COMPARE_SIDES];
    bool is_moved[SUSPECTS_MOST];
    uint32_t count;
};

/* Adds to out what a weight of a pair contributes to the place of an old vertex, in the current pose of the old model.
 */
static void add_share(const struct compare *compare, uint32_t vertex, int32_t pair, double weight, double out[3])
{
    const struct compare_model *side = &compare->sides[COMPARE_OLD];
    const struct drawn_vertices *drawn = &compare->surface->drawn[COMPARE_OLD];
    const int32_t joint = pair < 0 ? -1 : side->bind_joints[compare->pairs[pair].nodes[COMPARE_OLD]];
    const struct vec3 p = drawn->model->positions[drawn->vertices[vertex]];
    double in_joint[3], place[3];
    if (joint < 0)
        return;
    const struct dmat4 joint_from_bind = dmat4_from_mat4(&side->model->joints[joint].joint_from_bind);
    const struct dmat4 common_from_joint = compare_node_matrix(side, side->model->joints[joint].node);
    dmat4_point(&joint_from_bind, DOUBLE3(p), in_joint);
    dmat4_point(&common_from_joint, in_joint, place);
    for (int k = 0; k < 3; k++)
        out[k] += weight * place[k];
}

/* Marks the vertices that the difference of weights moves in the current pose of the old model. */
static void look_at_pose(const struct compare *compare, struct suspects *suspects)
{
    for (uint32_t i = 0; i < suspects->count; i++) {
        const struct followed *followed = suspects->followed[i];
        double way[3] = {0};
        for (int s = 0; s < COMPARE_SIDES; s++)
            for (uint32_t k = 0; k < followed[s].count; k++)
                add_share(compare, suspects->vertices[i], followed[s].pairs[k],
                          s == COMPARE_OLD ? -followed[s].weights[k] : followed[s].weights[k], way);
        suspects->is_moved[i] = suspects->is_moved[i] || sqrt(dot3(way, way)) > compare->tolerance * compare->size;
    }
}

/* Looks at the rest pose and at a few poses of each clip. */
static void look_at_poses(struct compare *compare, struct suspects *suspects)
{
    struct compare_model *side = &compare->sides[COMPARE_OLD];
    const uint64_t steps = pose_step_count(side->model);
    pose_evaluate(&side->pose, side->model, POSE_REST, 0);
    look_at_pose(compare, suspects);
    for (uint32_t c = 0; c < side->model->clip_count && c < CLIPS_LOOKED_AT; c++)
        for (int i = 0; i < MOMENTS && compare->steps_left > compare->options->steps / 2; i++) {
            pose_evaluate(&side->pose, side->model, (int32_t)c, side->model->clips[c].duration_s * i / (MOMENTS - 1));
            compare_charge(compare, steps);
            compare->out->step_count += steps;
            look_at_pose(compare, suspects);
        }
}

static const struct skin *skin_of(const struct compare *compare, enum compare_side s, uint32_t at)
{
    const struct drawn_vertices *drawn = &compare->surface->drawn[s];
    return &drawn->model->skins[drawn->model->draws[drawn->draws[at]].skin];
}

/* Returns the share of dual quaternions in how a vertex is blended; the rest is linear. */
static double dual_share(const struct compare *compare, enum compare_side s, uint32_t at)
{
    const struct drawn_vertices *drawn = &compare->surface->drawn[s];
    const uint32_t method = skin_of(compare, s, at)->method;
    if (method != METHOD_BLENDED || drawn->model->dual_weight_count == 0)
        return method == METHOD_DUAL_QUATERNION;
    return (double)drawn->model->dual_weights[drawn->vertices[at]];
}

/* Counts a vertex that is blended otherwise: with a skin in one model only, or by another method. True: the vertex is
 * not compared weight by weight. */
static bool note_method(const struct compare *compare, uint32_t old, const struct followed followed[COMPARE_SIDES],
                        double apart, struct mesh_methods *meshes)
{
    const struct skin *was = skin_of(compare, COMPARE_OLD, old);
    const struct skin *is = skin_of(compare, COMPARE_NEW, (uint32_t)compare->surface->drawn[COMPARE_OLD].partners[old]);
    struct mesh_methods *mesh = &meshes[drawn_mesh(&compare->surface->drawn[COMPARE_OLD], old)];
    if (((was->flags ^ is->flags) & SKIN_RIGID) != 0 && apart > ROUNDED) {
        mesh->vertex = old;
        mesh->skinned++;
        return true;
    }
    if (fabs(dual_share(compare, COMPARE_OLD, old) -
             dual_share(compare, COMPARE_NEW, (uint32_t)compare->surface->drawn[COMPARE_OLD].partners[old])) <=
            ROUNDED ||
        (followed[COMPARE_OLD].count < 2 && followed[COMPARE_NEW].count < 2))
        return false;
    mesh->vertex = mesh->skinned > 0 ? mesh->vertex : old;
    mesh->methods++;
    return false;
}

static void look_at(const struct compare *compare, uint32_t old, struct suspects *suspects,
                    struct joint_weights *joints, struct mesh_methods *meshes)
{
    struct followed followed[COMPARE_SIDES];
    follow(compare, old, followed);
    const double apart = weights_apart(followed);
    if (note_method(compare, old, followed, apart, meshes) || !(apart > DUST_FACTOR * compare->tolerance))
        return;
    if (apart > ROUNDED || suspects->count == SUSPECTS_MOST) {
        note_all(compare, old, followed, joints);
        return;
    }
    suspects->vertices[suspects->count] = old;
    suspects->followed[suspects->count][COMPARE_OLD] = followed[COMPARE_OLD];
    suspects->followed[suspects->count++][COMPARE_NEW] = followed[COMPARE_NEW];
}

static void tell(struct compare *compare, uint32_t index, const struct joint_weights *joint)
{
    const struct surface *surface = compare->surface;
    const struct joint_pair *pair = &compare->pairs[index];
    const struct drawn_vertices *drawn = &surface->drawn[COMPARE_OLD];
    const uint32_t ats[COMPARE_SIDES] = {joint->vertex, (uint32_t)drawn->partners[joint->vertex]};
    const struct model *new = compare->sides[COMPARE_NEW].model;
    const uint32_t node = pair->nodes[COMPARE_NEW];
    char names[2][THING_SIZE];
    struct difference *difference = difference_add(compare, DIFFERENCE_WEIGHTS);
    if (difference == NULL)
        return;
    for (int s = 0; s < COMPARE_SIDES; s++) {
        difference->nodes[s] = (int32_t)pair->nodes[s];
        difference->meshes[s] = (int32_t)drawn_mesh(&surface->drawn[s], ats[s]);
        difference_set_number(difference, (enum compare_side)s, joint->weights[s]);
    }
    const uint32_t mesh = (uint32_t)difference->meshes[COMPARE_NEW];
    difference_say(
        difference, "%u %s of %s %s %s by another weight, up to %.3g instead of %.3g", joint->count,
        joint->count == 1 ? "vertex" : "vertices", compare_thing(new, "mesh", new->meshes[mesh].name, mesh, names[0]),
        joint->count == 1 ? "follows" : "follow", compare_thing(new, "joint", new->nodes[node].name, node, names[1]),
        joint->weights[COMPARE_NEW], joint->weights[COMPARE_OLD]);
}

static void tell_method(struct compare *compare, uint32_t index, const struct mesh_methods *mesh)
{
    static const char *const METHODS[] = {[METHOD_RIGID] = "one joint each",
                                          [METHOD_LINEAR] = "linear blending",
                                          [METHOD_DUAL_QUATERNION] = "dual quaternions",
                                          [METHOD_BLENDED] = "a mixture of both"};
    const struct surface *surface = compare->surface;
    const struct model *old = surface->drawn[COMPARE_OLD].model, *new = surface->drawn[COMPARE_NEW].model;
    const uint32_t ats[COMPARE_SIDES] = {mesh->vertex, (uint32_t)surface->drawn[COMPARE_OLD].partners[mesh->vertex]};
    const struct skin *was = skin_of(compare, COMPARE_OLD, ats[COMPARE_OLD]);
    const struct skin *is = skin_of(compare, COMPARE_NEW, ats[COMPARE_NEW]);
    const uint32_t node = drawn_node(&surface->drawn[COMPARE_NEW], ats[COMPARE_NEW]);
    char names[2][THING_SIZE];
    struct difference *difference = difference_add(compare, DIFFERENCE_WEIGHTS);
    if (difference == NULL)
        return;
    for (int s = 0; s < COMPARE_SIDES; s++)
        difference->meshes[s] = (int32_t)drawn_mesh(&surface->drawn[s], ats[s]);
    compare_thing(old, "mesh", old->meshes[index].name, index, names[0]);
    if (mesh->skinned == 0 && is->method == METHOD_BLENDED && was->method == METHOD_BLENDED)
        difference_say(difference, "the vertices of %s mix linear blending and dual quaternions in other shares",
                       names[0]);
    else if (mesh->skinned == 0)
        difference_say(difference, "the vertices of %s follow joints by %s, and did by %s", names[0],
                       METHODS[is->method], METHODS[was->method]);
    else if ((is->flags & SKIN_RIGID) != 0)
        difference_say(difference, "%s has no skin any more: %u %s only %s", names[0], mesh->skinned,
                       mesh->skinned == 1 ? "vertex follows" : "vertices follow",
                       compare_thing(new, "node", new->nodes[node].name, node, names[1]));
    else
        difference_say(difference, "%s has a skin now: %u %s its joints", names[0], mesh->skinned,
                       mesh->skinned == 1 ? "vertex follows" : "vertices follow");
}

void weights_compare(struct compare *compare)
{
    const struct drawn_vertices *old = &compare->surface->drawn[COMPARE_OLD];
    struct joint_weights *joints = mem_zalloc((size_t)compare->pair_count + 1, sizeof *joints);
    struct suspects *suspects = mem_zalloc(1, sizeof *suspects);
    struct mesh_methods *meshes = mem_zalloc((size_t)old->model->mesh_count + 1, sizeof *meshes);
    for (uint32_t i = 0; i < old->count; i++) {
        if (old->partners[i] >= 0 && compare_takes_influences(compare, i))
            look_at(compare, i, suspects, joints, meshes);
        else if (old->partners[i] >= 0)
            compare->out->vertices_left_out++;
    }
    for (uint32_t m = 0; m < old->model->mesh_count; m++)
        if (meshes[m].skinned > 0 || meshes[m].methods > 0)
            tell_method(compare, m, &meshes[m]);
    free(meshes);
    if (suspects->count > 0)
        look_at_poses(compare, suspects);
    for (uint32_t i = 0; i < suspects->count; i++)
        if (suspects->is_moved[i])
            note_all(compare, suspects->vertices[i], suspects->followed[i], joints);
    for (uint32_t p = 0; p < compare->pair_count; p++)
        if (joints[p].count > 0)
            tell(compare, p, &joints[p]);
    free(suspects);
    free(joints);
}
