/* blend.c - mixes the local transforms of layers, node by node. */
#include "anim/pose/blend.h"

#include "anim/given/trs_mix.h"
#include "anim/model/trig.h"
#include "anim/pose/give.h"
#include "base/mem.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Steps to a mean of rotations. Each step multiplies the error by the square of the spread, so widely spread ones need
 * several. */
enum { MEAN_STEPS_MAX = 64 };
static const double MEAN_STEP_MIN = 1e-15;

void blend_init(struct blend *blend) { *blend = (struct blend){0}; }

void blend_fini(struct blend *blend)
{
    for (int i = 0; i < BLEND_LAYERS_MAX; i++)
        pose_fini(&blend->poses[i]);
    pose_fini(&blend->reference);
    free(blend->marks);
    blend_init(blend);
}

static bool reserve_marks(struct blend *blend, const struct model *model)
{
    if (model->node_count <= blend->node_capacity && blend->marks != NULL)
        return true;
    uint8_t *marks = realloc(blend->marks, (size_t)BLEND_LAYERS_MAX * model->node_count + 1);
    if (marks == NULL)
        return false;
    blend->marks = marks;
    blend->node_capacity = model->node_count;
    return true;
}

bool blend_reserve(struct blend *blend, const struct model *model, uint32_t layer_count)
{
    for (uint32_t i = 0; i < layer_count; i++)
        if (!pose_reserve(&blend->poses[i], model))
            return false;
    return pose_reserve(&blend->reference, model) && reserve_marks(blend, model);
}

/* --- masks --- */

enum { MARK_MOVES = 1, MARK_SUBTREE = 2, MARK_EXCEPT = 4 };

/* Sets MARK_MOVES in marks[n] where the layer may move node n. */
static void mark_nodes(const struct model *model, const struct node_list *list, const struct blend_layer *layer,
                       uint8_t *marks)
{
    static const uint8_t MARK_OF[] = {
        [BLEND_NODE] = MARK_MOVES, [BLEND_SUBTREE] = MARK_SUBTREE, [BLEND_EXCEPT] = MARK_EXCEPT};
    bool is_all = true;
    for (uint32_t i = 0; i < list->count; i++)
        marks[list->nodes[i]] = 0;
    for (uint32_t i = 0; i < layer->mask_count; i++) {
        const struct blend_mask *mask = &layer->masks[i];
        if (list->is_in == NULL || list->is_in[mask->node] != 0)
            marks[mask->node] |= MARK_OF[mask->scope];
        is_all = is_all && mask->scope == BLEND_EXCEPT;
    }
    for (uint32_t i = 0; i < list->count; i++) {
        const uint32_t node = list->nodes[i];
        const int32_t parent = model->nodes[node].parent;
        if (parent >= 0)
            marks[node] |= marks[parent] & (MARK_SUBTREE | MARK_EXCEPT);
    }
    for (uint32_t i = 0; i < list->count; i++) {
        uint8_t *mark = &marks[list->nodes[i]];
        const bool is_named = is_all || (*mark & (MARK_MOVES | MARK_SUBTREE)) != 0;
        *mark = is_named && (*mark & MARK_EXCEPT) == 0 ? MARK_MOVES : 0;
    }
}

static uint8_t *marks_of(const struct blend *blend, uint32_t layer)
{
    return blend->marks + (size_t)layer * blend->node_capacity;
}

/* --- rotations --- */

static bool are_equal(const double (*rotations)[4], uint32_t count)
{
    for (uint32_t i = 1; i < count; i++)
        for (int k = 0; k < 4; k++)
            if (rotations[i][k] != rotations[0][k])
                return false;
    return true;
}

/* Computes the normalised sum, with all signs on the side of the heaviest rotation, as a starting point. */
static void first_mean(const double (*rotations)[4], const double *weights, uint32_t count, double mean[4])
{
    uint32_t heaviest = 0;
    double sum[4] = {0, 0, 0, 0};
    for (uint32_t i = 1; i < count; i++)
        heaviest = weights[i] > weights[heaviest] ? i : heaviest;
    for (uint32_t i = 0; i < count; i++) {
        const double w = dot4(rotations[i], rotations[heaviest]) < 0 ? -weights[i] : weights[i];
        for (int k = 0; k < 4; k++)
            sum[k] += w * rotations[i][k];
    }
    quat_normalize(sum); /* not 0: no term points away from the heaviest rotation */
    memcpy(mean, sum, sizeof sum);
}

/* Adds the arc from `mean` to the nearer of q and -q, times w, to `step`, as a vector perpendicular to `mean`. */
static void add_arc(const double mean[4], const double q[4], double w, double step[4])
{
    const double side = dot4(mean, q) < 0 ? -1 : 1;
    const double angle = quat_angle(mean, q, side), sine = trig_sin(angle), cosine = dot4(mean, q) * side;
    const double scale = sine < 1e-8 ? w : w * angle / sine;
    for (int k = 0; k < 4; k++)
        step[k] += scale * (side * q[k] - cosine * mean[k]);
}

void blend_rotations(const double (*rotations)[4], const double *weights, uint32_t count, double out[4])
{
    double sum = 0, mean[4];
    if (are_equal(rotations, count)) {
        memcpy(out, rotations[0], 4 * sizeof *out);
        return;
    }
    for (uint32_t i = 0; i < count; i++)
        sum += weights[i];
    if (count == 2) {
        quat_slerp(rotations[0], rotations[1], weights[1] / sum, out);
        return;
    }
    first_mean(rotations, weights, count, mean);
    for (int n = 0; n < MEAN_STEPS_MAX; n++) {
        double step[4] = {0, 0, 0, 0};
        for (uint32_t i = 0; i < count; i++)
            add_arc(mean, rotations[i], weights[i] / sum, step);
        const double length = sqrt(dot4(step, step));
        if (!(length > MEAN_STEP_MIN))
            break;
        for (int k = 0; k < 4; k++)
            mean[k] = trig_cos(length) * mean[k] + trig_sin(length) / length * step[k];
        quat_normalize(mean);
    }
    memcpy(out, mean, sizeof mean);
}

/* --- override layers --- */

/* The layers that share one node. */
struct shares {
    uint32_t layers[BLEND_LAYERS_MAX];
    double weights[BLEND_LAYERS_MAX];
    double sum;
    uint32_t count;
};

static void find_shares(const struct blend *blend, const struct blend_layer *layers, uint32_t layer_count,
                        uint32_t node, struct shares *shares)
{
    shares->count = 0;
    shares->sum = 0;
    for (uint32_t i = 0; i < layer_count; i++) {
        if (!blend_is_override(&layers[i]) || !(layers[i].weight > 0) || marks_of(blend, i)[node] == 0)
            continue;
        shares->layers[shares->count] = i;
        shares->weights[shares->count++] = layers[i].weight;
        shares->sum += layers[i].weight;
    }
}

/* Mixes relative to the first value, so that equal values give exactly themselves. */
static double mix(const struct shares *shares, const double *values)
{
    double value = values[0];
    for (uint32_t i = 1; i < shares->count; i++)
        value += shares->weights[i] / shares->sum * (values[i] - values[0]);
    return value;
}

static void mix_local(const struct blend *blend, const struct shares *shares, uint32_t node, struct pose *pose)
{
    double translations[3][BLEND_LAYERS_MAX], scales[3][BLEND_LAYERS_MAX], rotations[BLEND_LAYERS_MAX][4];
    for (uint32_t i = 0; i < shares->count; i++) {
        const struct pose *layer = &blend->poses[shares->layers[i]];
        const struct trs *local = &layer->local[node];
        for (int k = 0; k < 3; k++) {
            translations[k][i] = local->translation[k];
            scales[k][i] = local->scale[k];
        }
        memcpy(rotations[i], local->rotation, sizeof rotations[i]);
        pose->is_animated[node] = pose->is_animated[node] || layer->is_animated[node];
    }
    struct trs *out = &pose->local[node];
    for (int k = 0; k < 3; k++) {
        out->translation[k] = mix(shares, translations[k]);
        out->scale[k] = mix(shares, scales[k]);
    }
    blend_rotations((const double(*)[4])rotations, shares->weights, shares->count, out->rotation);
}

static void mix_node(const struct blend *blend, const struct shares *shares, const struct model *model, uint32_t node,
                     bool has_weights, struct pose *pose)
{
    const struct node *shape = &model->nodes[node];
    double values[BLEND_LAYERS_MAX];
    mix_local(blend, shares, node, pose);
    if (!has_weights)
        return;
    for (uint32_t w = shape->weight_first; w < shape->weight_first + shape->weight_count; w++) {
        for (uint32_t i = 0; i < shares->count; i++)
            values[i] = blend->poses[shares->layers[i]].weights[w];
        pose->weights[w] = mix(shares, values);
    }
}

/* --- additive layers --- */

static void add_layer(struct blend *blend, struct pose *pose, const struct model *model, const struct node_list *list,
                      const struct blend_layer *layer, uint32_t index)
{
    const struct pose *added = &blend->poses[index], *reference = &blend->reference;
    const uint8_t *marks = marks_of(blend, index);
    pose_sample_nodes(&blend->reference, layer->reference_source != NULL ? layer->reference_source : model, list,
                      layer->reference_clip, layer->reference_time_s);
    for (uint32_t i = 0; i < list->count; i++) {
        const uint32_t n = list->nodes[i];
        const struct node *node = &model->nodes[n];
        if (marks[n] == 0)
            continue;
        if (added->is_animated[n] || reference->is_animated[n]) {
            trs_add(&added->local[n], &reference->local[n], GIVEN_WHOLE, layer->weight, &pose->local[n]);
            pose->is_animated[n] = true;
        }
        for (uint32_t w = node->weight_first; w < node->weight_first + node->weight_count && list->is_in == NULL; w++)
            pose->weights[w] += layer->weight * (added->weights[w] - reference->weights[w]);
    }
}

/* --- given poses --- */

static struct give give_of(const struct blend *blend, const struct blend_layer *layers, uint32_t index)
{
    return (struct give){.given = layers[index].given,
                         .time_s = layers[index].clip_time_s,
                         .weight = layers[index].weight,
                         .is_additive = layers[index].is_additive,
                         .is_moved = marks_of(blend, index)};
}

/* Looks come last: they may depend on where the head is. */
static void give_looks(const struct blend *blend, struct pose *pose, const struct model *model,
                       const struct node_list *list, const struct blend_layer *layers, uint32_t layer_count)
{
    for (uint32_t i = 0; i < layer_count && list->is_in == NULL; i++)
        if (layers[i].given != NULL && layers[i].weight > 0) {
            const struct give give = give_of(blend, layers, i);
            pose_give_look(pose, model, &give);
        }
}

/* --- both --- */

void blend_evaluate_nodes(struct blend *blend, struct pose *pose, const struct model *model,
                          const struct node_list *nodes, const struct blend_layer *layers, uint32_t layer_count)
{
    const struct node_list blended = pose_list(model, nodes), *list = &blended;
    if (!reserve_marks(blend, model))
        mem_exhausted();
    pose_sample_nodes(pose, model, list, POSE_REST, 0);
    for (uint32_t i = 0; i < layer_count; i++) {
        if (!(layers[i].weight > 0))
            continue;
        mark_nodes(model, list, &layers[i], marks_of(blend, i));
        if (layers[i].given == NULL)
            pose_sample_nodes(&blend->poses[i], layers[i].source != NULL ? layers[i].source : model, list,
                              layers[i].clip, layers[i].clip_time_s);
    }
    for (uint32_t i = 0; i < list->count; i++) {
        struct shares shares;
        find_shares(blend, layers, layer_count, list->nodes[i], &shares);
        if (shares.count > 0)
            mix_node(blend, &shares, model, list->nodes[i], list->is_in == NULL, pose);
    }
    for (uint32_t i = 0; i < layer_count; i++) {
        const struct give give = give_of(blend, layers, i);
        if (layers[i].given != NULL && layers[i].weight > 0)
            pose_give(pose, model, list, &give);
        else if (layers[i].is_additive && layers[i].weight > 0)
            add_layer(blend, pose, model, list, &layers[i], i);
    }
    give_looks(blend, pose, model, list, layers, layer_count);
    pose_compose_nodes(pose, model, list);
}

void blend_evaluate(struct blend *blend, struct pose *pose, const struct model *model, const struct blend_layer *layers,
                    uint32_t layer_count)
{
    const struct node_list all = node_list_all(model);
    blend_evaluate_nodes(blend, pose, model, &all, layers, layer_count);
}
