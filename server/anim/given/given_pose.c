/* given_pose.c - checks a given pose against its model, and interpolates it. */
#include "anim/given/given_pose.h"

#include "anim/given/given_rotation.h"

#include <float.h>
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* How far numbers of a modest pose go: translations and scales relative to the model's at rest. */
static const double TRANSLATION_MOST = 4, SCALE_MOST = 4;

void given_pose_fini(struct given_pose *given)
{
    free(given->nodes);
    free(given->weights);
    free(given->materials);
    free(given->look.binds);
    free(given->times_s);
    free(given->values);
    *given = (struct given_pose){0};
}

/* --- checks --- */

static int fail_at(const struct model *model, uint32_t frame, uint32_t node, const char *part, struct err *err)
{
    char name[SHORT_NAME_SIZE];
    return err_prefix(err, "frame %u: %s of node %u '%s'", frame, part, node,
                      short_name(model, model->nodes[node].name, name));
}

static bool are_floats(const double *values, uint32_t count, uint32_t *bad)
{
    for (uint32_t i = 0; i < count; i++)
        if (!(fabs(values[i]) <= (double)FLT_MAX)) { /* also for NaN */
            *bad = i;
            return false;
        }
    return true;
}

/* Returns the largest distance of a rest vertex from the origin, or that of a joint where there is no mesh. */
static double size_of(const struct model *model)
{
    const struct model_info *info = &model->infos[0];
    const float ends[] = {info->rest_min.x, info->rest_min.y, info->rest_min.z,
                          info->rest_max.x, info->rest_max.y, info->rest_max.z};
    double size = 0;
    for (int i = 0; i < 6 && info->rest_min.x <= info->rest_max.x; i++)
        size = larger_of(size, fabs((double)ends[i]));
    return size;
}

/* A part of a transform: its name, and where its numbers are. */
struct part {
    const char *name;
    uint32_t count, first;
    bool is_given;
};

static void list_parts(const struct given_node *node, struct part parts[3])
{
    static const char *const NAMES[] = {"the translation", "the rotation", "the scale"};
    uint32_t first = node->first;
    for (int p = 0; p < 3; p++) {
        parts[p] = (struct part){NAMES[p], p == 1 ? 4 : 3, first, (node->parts >> p & 1) != 0};
        first += parts[p].is_given ? parts[p].count : 0;
    }
}

/* True when compiled evaluation keeps its bound with these numbers. */
static bool is_modest(const struct model *model, const struct given_node *node, const struct part parts[3],
                      const double *values, double size)
{
    const struct node *rest = &model->nodes[node->node];
    bool is = true;
    for (uint32_t i = 0; i < 3 && parts[0].is_given; i++)
        is = is &&
             fabs(values[parts[0].first + i]) <= TRANSLATION_MOST * larger_of(size, fabs((double)rest->translation[i]));
    for (uint32_t i = 0; i < 3 && parts[2].is_given; i++) {
        const double ratio = values[parts[2].first + i] / (double)rest->scale[i];
        is = is && ratio <= SCALE_MOST && ratio >= 1 / SCALE_MOST;
    }
    return is;
}

static const double SHORTEST = 1e-30; /* the square of a rotation's length, by which compiled evaluation divides */

/* Floats side by side, and their bits. Bits of positive floats compare as integers do, and NaN is above all. */
typedef float four __attribute__((vector_size(16)));
typedef uint32_t four_bits __attribute__((vector_size(16)));
typedef double four_doubles __attribute__((vector_size(32)));

static inline four load_four(const double *values)
{
    four_doubles doubles;
    memcpy(&doubles, values, sizeof doubles);
    return __builtin_convertvector(doubles, four);
}

static inline four_bits size_bits(four values) { return (four_bits)values & (uint32_t)INT32_MAX; }

/* Returns bits of which some sign is set unless all ten numbers of a node, translation, rotation and scale, are modest
 * floats and the rotation has a length. limits: of the translation. Its own bounds are narrower than those of
 * is_modest(), so that rounding does not matter. Differences in place of comparisons, which gcc takes apart. */
static inline four_bits usual_faults(const double *values, const struct node *at_rest, four limits)
{
    _Static_assert(offsetof(struct node, scale) == offsetof(struct node, rotation[4]),
                   "a rotation ends before the scale");
    const float scale_most = 0.99f * (float)SCALE_MOST, longest = 1e14f, shortest = 1e-28f;
    const four_bits is_scale = {0, UINT32_MAX, UINT32_MAX, UINT32_MAX};
    four rest;
    memcpy(&rest, (const char *)at_rest + offsetof(struct node, rotation[3]), sizeof rest);
    const four rotation = load_four(values + 3),
               scale = load_four(values + 6); /* the first number is of the rotation */
    const four squares = rotation * rotation, halves = squares + (four){squares[2], squares[3], squares[0], squares[1]};
    const four sums = halves + (four){halves[1], halves[0], halves[3], halves[2]};
    const four_bits low = (four_bits)(scale * scale_most) - (four_bits)rest;
    const four_bits high = (four_bits)(rest * scale_most) - (four_bits)scale;
    const four_bits finite = (four_bits)(four){FLT_MAX, FLT_MAX, FLT_MAX, FLT_MAX} - (four_bits)(rest * scale_most);
    four_bits faults = ((four_bits)rest | low | high | finite) & is_scale; /* finite: else `high` bounds nothing */
    faults |= (four_bits)limits - size_bits(load_four(values));
    faults |= (four_bits)(four){longest, longest, longest, longest} - size_bits(rotation);
    return faults | ((four_bits)sums - (four_bits)(four){shortest, shortest, shortest, shortest});
}

/* True when all is given of all nodes of a frame, in modest numbers. False says nothing. Game servers give all joints
 * of a crowd anew in each frame, so this takes no branch for a number. rig_nodes: how many nodes are of the rig. */
static bool is_usual(const struct given_pose *given, const struct model *model, uint32_t frame, double size,
                     uint32_t *rig_nodes)
{
    const double *values = given->values + (size_t)frame * given->frame_values;
    const double near = 0.99 * TRANSLATION_MOST * size;
    const float limit = near < (double)FLT_MAX ? (float)near : FLT_MAX;
    const four limits = {limit, limit, limit, FLT_MAX}; /* the last number is of the rotation */
    const uint32_t *places = model->rig_places;
    uint32_t others = 0;
    four_bits faults = {0};
    for (uint32_t i = 0; i < given->node_count; i++) {
        const struct given_node *node = &given->nodes[i];
        if (node->parts != GIVEN_WHOLE)
            return false;
        others += places[node->node] == UINT32_MAX;
        faults |= usual_faults(values + node->first, &model->nodes[node->node], limits);
    }
    *rig_nodes = given->node_count - others;
    return ((faults[0] | faults[1] | faults[2] | faults[3]) >> 31) == 0;
}

/* Checks that a rotation of finite floats has a length. */
static int finish_rotation(struct given_pose *given, const double *rotation, struct err *err)
{
    double copy[4];
    if (dot4(rotation, rotation) >= SHORTEST)
        return 0;
    given->flags &= ~(uint32_t)GIVEN_MODEST;
    memcpy(copy, rotation, sizeof copy);
    return rotation_repair(copy) ? 0 : err_set(err, ERR_BAD_PARAMETER, "a quaternion of length 0 is no rotation");
}

static int finish_node(struct given_pose *given, const struct model *model, uint32_t index, uint32_t frame, double size,
                       struct err *err)
{
    const struct given_node *node = &given->nodes[index];
    const double *values = given->values + (size_t)frame * given->frame_values;
    struct part parts[3];
    list_parts(node, parts);
    for (int p = 0; p < 3; p++) {
        uint32_t bad;
        if (!parts[p].is_given)
            continue;
        if (!are_floats(values + parts[p].first, parts[p].count, &bad)) {
            err_set(err, ERR_BAD_PARAMETER, "number %u is not finite as a float", bad);
            return fail_at(model, frame, node->node, parts[p].name, err);
        }
        if (p == 1 && finish_rotation(given, values + parts[p].first, err) < 0)
            return fail_at(model, frame, node->node, parts[p].name, err);
    }
    if (!is_modest(model, node, parts, values, size))
        given->flags &= ~(uint32_t)GIVEN_MODEST;
    return 0;
}

static int finish_weight(const struct given_pose *given, const struct model *model, uint32_t index, uint32_t frame,
                         struct err *err)
{
    const struct given_weight *weight = &given->weights[index];
    uint32_t bad;
    if (are_floats(given->values + (size_t)frame * given->frame_values + weight->first, 1, &bad))
        return 0;
    char part[48];
    snprintf(part, sizeof part, "morph weight %u", weight->weight - model->nodes[weight->node].weight_first);
    err_set(err, ERR_BAD_PARAMETER, "it is not finite as a float");
    return fail_at(model, frame, weight->node, part, err);
}

static int finish_material(const struct given_pose *given, uint32_t index, uint32_t frame, struct err *err)
{
    const struct given_material *at = &given->materials[index];
    uint32_t bad;
    if (are_floats(given->values + (size_t)frame * given->frame_values + at->first, GIVEN_MATERIAL_VALUES, &bad))
        return 0;
    return err_set(err, ERR_BAD_PARAMETER, "frame %u: what expressions do to material %u is not finite as a float",
                   frame, at->material);
}

/* Checks indices and numbers of a look. */
static bool is_look(const struct given_pose *given, const struct model *model)
{
    const struct given_look *look = &given->look;
    bool is = look->kind == LOOK_NONE ||
              (look->kind <= LOOK_POINT && look->head < model->node_count && look->share < given->frame_values);
    for (int i = 0; i < 2; i++)
        is = is && (look->kind == LOOK_NONE || look->eyes[i] < (int32_t)model->node_count);
    for (int i = 0; i < 3; i++)
        is = is && isfinite(look->target[i]);
    for (uint32_t b = 0; b < look->bind_count && is; b++)
        is = look->binds[b].look < GAZE_LOOKS && look->binds[b].material < (int32_t)given->material_count &&
             (look->binds[b].material >= 0 ||
              (look->binds[b].weight < model->weight_count && look->binds[b].node < model->node_count)) &&
             (b == 0 || look->binds[b].material >= look->binds[b - 1].material);
    return is;
}

static int check_places(const struct given_pose *given, const struct model *model, struct err *err)
{
    bool is_good = given->frame_count >= 1;
    for (uint32_t i = 0; i < given->node_count && is_good; i++) {
        const struct given_node *node = &given->nodes[i];
        const uint32_t count = given_part_values(node->parts);
        is_good = node->node < model->node_count && (i == 0 || node->node > given->nodes[i - 1].node) &&
                  node->parts >= 1 && node->parts <= GIVEN_WHOLE && count <= given->frame_values &&
                  node->first <= given->frame_values - count;
    }
    for (uint32_t i = 0; i < given->weight_count && is_good; i++)
        is_good = given->weights[i].node < model->node_count && given->weights[i].weight < model->weight_count &&
                  (i == 0 || given->weights[i].weight > given->weights[i - 1].weight) &&
                  given->weights[i].first < given->frame_values;
    for (uint32_t i = 0; i < given->material_count && is_good; i++) {
        const struct given_material *at = &given->materials[i], *last = i > 0 ? at - 1 : NULL;
        is_good = at->material < model->material_count && at->part < GIVEN_MATERIAL_PARTS &&
                  (last == NULL || at->material > last->material ||
                   (at->material == last->material && at->part > last->part)) &&
                  given->frame_values >= GIVEN_MATERIAL_VALUES &&
                  at->first <= given->frame_values - GIVEN_MATERIAL_VALUES;
    }
    is_good = is_good && is_look(given, model);
    for (uint32_t f = 0; f < given->frame_count && is_good; f++)
        is_good = isfinite(given->times_s[f]) && given->times_s[f] >= (f == 0 ? 0 : given->times_s[f - 1]);
    return is_good ? 0 : err_set(err, ERR_BAD_PARAMETER, "the given pose is not one of this model");
}

static uint32_t count_rig_nodes(const struct given_pose *given, const struct model *model)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < given->node_count; i++)
        count += given->nodes[i].parts == GIVEN_WHOLE && model->rig_places[given->nodes[i].node] != UINT32_MAX;
    return count;
}

int given_pose_finish(struct given_pose *given, const struct model *model, struct err *err)
{
    return check_places(given, model, err) < 0 ? err->code : given_pose_finish_values(given, model, err);
}

int given_pose_finish_values(struct given_pose *given, const struct model *model, struct err *err)
{
    const double size = size_of(model);
    const bool has_rig = model->rig_place_count > 0;
    uint32_t rig_nodes;
    const bool is_first_usual = has_rig && given->frame_count > 0 && is_usual(given, model, 0, size, &rig_nodes);
    if (!is_first_usual && has_rig)
        rig_nodes = count_rig_nodes(given, model);
    given->flags = has_rig && rig_nodes == model->rig_node_count ? GIVEN_COVERS : 0;
    if ((model->infos[0].flags & MODEL_OWN_SCALES) == 0 &&
        given->look.kind == LOOK_NONE) /* else a scale may act on what is below it in another way */
        given->flags |= GIVEN_MODEST;
    for (uint32_t f = 0; f < given->frame_count; f++) {
        const bool is_done = f == 0 ? is_first_usual : has_rig && is_usual(given, model, f, size, &rig_nodes);
        for (uint32_t i = 0; i < given->node_count && !is_done; i++)
            if (finish_node(given, model, i, f, size, err) < 0)
                return err->code;
        for (uint32_t i = 0; i < given->weight_count; i++)
            if (finish_weight(given, model, i, f, err) < 0)
                return err->code;
        for (uint32_t i = 0; i < given->material_count; i++)
            if (finish_material(given, i, f, err) < 0)
                return err->code;
    }
    return 0;
}

/* --- values --- */

struct given_moment given_pose_moment(const struct given_pose *given, double time_s)
{
    uint32_t low = 0, high = given->frame_count; /* [low, high) has the last frame that is not later */
    while (high - low > 1) {
        const uint32_t middle = low + (high - low) / 2;
        if (given->times_s[middle] <= time_s)
            low = middle;
        else
            high = middle;
    }
    struct given_moment moment = {.from = low, .to = low};
    if (low + 1 < given->frame_count && time_s > given->times_s[low]) {
        moment.to = low + 1;
        moment.u = (time_s - given->times_s[low]) / (given->times_s[low + 1] - given->times_s[low]);
    }
    return moment;
}

static void mix(const double *from, const double *to, uint32_t count, double u, double *out)
{
    for (uint32_t i = 0; i < count; i++)
        out[i] = u > 0 ? from[i] * (1 - u) + to[i] * u : from[i];
}

void given_pose_local(const struct given_pose *given, const struct given_node *node, const struct given_moment *moment,
                      struct trs *local)
{
    const double *from = given->values + (size_t)moment->from * given->frame_values;
    const double *to = given->values + (size_t)moment->to * given->frame_values;
    struct part parts[3];
    list_parts(node, parts);
    if (parts[0].is_given)
        mix(from + parts[0].first, to + parts[0].first, 3, moment->u, local->translation);
    if (parts[1].is_given) {
        memcpy(local->rotation, from + parts[1].first, sizeof local->rotation);
        rotation_repair(local->rotation);
    }
    if (parts[1].is_given && moment->u > 0) {
        double next[4];
        memcpy(next, to + parts[1].first, sizeof next);
        rotation_repair(next);
        quat_slerp(local->rotation, next, moment->u, local->rotation);
    }
    if (parts[2].is_given)
        mix(from + parts[2].first, to + parts[2].first, 3, moment->u, local->scale);
}

void given_pose_material(const struct given_pose *given, const struct given_material *material,
                         const struct given_moment *moment, double out[GIVEN_MATERIAL_VALUES])
{
    mix(given->values + (size_t)moment->from * given->frame_values + material->first,
        given->values + (size_t)moment->to * given->frame_values + material->first, GIVEN_MATERIAL_VALUES, moment->u,
        out);
}

double given_pose_look_share(const struct given_pose *given, const struct given_moment *moment)
{
    double value;
    mix(given->values + (size_t)moment->from * given->frame_values + given->look.share,
        given->values + (size_t)moment->to * given->frame_values + given->look.share, 1, moment->u, &value);
    return value;
}

double given_pose_weight(const struct given_pose *given, const struct given_weight *weight,
                         const struct given_moment *moment)
{
    double value;
    mix(given->values + (size_t)moment->from * given->frame_values + weight->first,
        given->values + (size_t)moment->to * given->frame_values + weight->first, 1, moment->u, &value);
    return value;
}
