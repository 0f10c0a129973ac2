#include "anim/given/given_weights.h"

#include "anim/given/given_materials.h"
#include "anim/humanoid/expression.h"
#include "base/sort.h"

#include <math.h>
#include <string.h>

/* Returns the expression of an entry, or NULL. */
static const struct expression *expression_of(const struct given_weights *weights, uint32_t entry)
{
    const int32_t found = weights->expressions[entry];
    return found < 0 ? NULL : &weights->model->expressions[found];
}

/* --- the look --- */

static bool is_entered(const struct given_weights *weights, int32_t expression)
{
    bool is = false;
    for (uint32_t i = 0; i < weights->number_count && !is; i++)
        is = weights->expressions[i] == expression;
    return is;
}

uint32_t given_weights_look(struct given_weights *weights, uint32_t kind, const double target[3])
{
    const struct model *model = weights->model;
    const bool is_set = kind != LOOK_NONE && model->gaze_count > 0 && model->gazes[0].kind == GAZE_EXPRESSION;
    uint32_t bind_count = 0;
    weights->entry_count = weights->number_count + GAZE_LOOKS;
    for (uint32_t i = 0; i < GAZE_LOOKS; i++) {
        const int32_t look = is_set ? expression_find(model, GAZE_LOOK_WORDS[i], strlen(GAZE_LOOK_WORDS[i])) : -1;
        weights->looks[i] = look;
        weights->look_weights[i] = 0;
        weights->expressions[weights->number_count + i] = is_entered(weights, look) ? -1 : look;
    }
    if (is_set && kind == LOOK_ANGLES)
        gaze_weigh_looks(&model->gazes[0], target[0], target[1], weights->look_weights);
    for (uint32_t i = 0; i < weights->entry_count; i++)
        bind_count += weights->expressions[i] < 0 ? 0 : expression_of(weights, i)->bind_count;
    return bind_count;
}

/* --- what expressions move --- */

static uint32_t weight_of(const struct model *model, const struct expression_bind *bind)
{
    return model->nodes[bind->target].weight_first + bind->index;
}

static void add_targets(struct given_weights *weights)
{
    const struct model *model = weights->model;
    for (uint32_t i = 0; i < weights->entry_count; i++) {
        const struct expression *at = expression_of(weights, i);
        for (uint32_t b = 0; at != NULL && b < at->bind_count; b++) {
            const struct expression_bind *bind = &model->expression_binds[at->bind_first + b];
            if (bind->kind == BIND_MORPH)
                weights->items[weights->count++] =
                    (struct given_target){weight_of(model, bind), bind->target, .asked = -1};
        }
    }
}

/* Finds the place of each bind among the targets. A target that is given itself is not moved by expressions. */
static void add_binds(struct given_weights *weights)
{
    const struct model *model = weights->model;
    for (uint32_t i = 0; i < weights->entry_count; i++) {
        const struct expression *at = expression_of(weights, i);
        for (uint32_t b = 0; at != NULL && b < at->bind_count; b++) {
            const struct expression_bind *bind = &model->expression_binds[at->bind_first + b];
            if (bind->kind != BIND_MORPH)
                continue;
            const uint32_t place = LOWER_BOUND(weights->items, weights->count, weight, weight_of(model, bind));
            if (weights->items[place].asked < 0)
                weights->binds[weights->bind_count++] =
                    (struct given_bind){place, (uint32_t)weights->expressions[i], bind->weight};
        }
    }
}

static int compare_targets(const void *a, const void *b)
{
    const struct given_target *one = a, *other = b;
    if (one->weight != other->weight)
        return one->weight < other->weight ? -1 : 1;
    return (one->asked < other->asked) - (one->asked > other->asked); /* the target that is given comes first */
}

/* Sorts the targets, each once. Returns -1, or the given number of one that is given twice. */
static int32_t order_targets(struct given_weights *weights)
{
    uint32_t kept = 0, sorted = 1;
    while (sorted < weights->count && compare_targets(&weights->items[sorted - 1], &weights->items[sorted]) < 0)
        sorted++;
    if (sorted < weights->count) /* those of one target in all meshes are in order */
        sort_in_place(weights->items, weights->count, sizeof *weights->items, compare_targets);
    for (uint32_t i = 0; i < weights->count; i++) {
        const struct given_target *item = &weights->items[i], *last = kept > 0 ? &weights->items[kept - 1] : NULL;
        if (last == NULL || last->weight != item->weight)
            weights->items[kept++] = *item;
        else if (item->asked >= 0 && last->asked >= 0)
            return item->asked;
    }
    weights->count = kept;
    return -1;
}

int32_t given_weights_bind(struct given_weights *weights)
{
    add_targets(weights);
    const int32_t twice = order_targets(weights);
    if (twice >= 0)
        return twice;
    add_binds(weights);
    given_materials_add(weights);
    return -1;
}

/* --- numbers --- */

double given_weights_put(struct given_weights *weights, const double *numbers, double *out)
{
    const struct model *model = weights->model;
    for (uint32_t w = 0; w < weights->count; w++)
        out[w] = weights->items[w].asked >= 0 ? numbers[weights->items[w].asked] : 0;
    if (weights->entry_count == 0)
        return 1;
    memset(weights->shown, 0, model->expression_count * sizeof *weights->shown);
    for (uint32_t i = 0; i < weights->number_count; i++)
        if (weights->expressions[i] >= 0)
            weights->shown[weights->expressions[i]] = (float)fmin(1, fmax(0, numbers[i]));
    for (int i = 0; i < GAZE_LOOKS; i++)
        if (weights->looks[i] >= 0)
            weights->shown[weights->looks[i]] = (float)weights->look_weights[i];
    expressions_show(model, weights->parts, weights->shown);
    for (uint32_t b = 0; b < weights->bind_count; b++)
        out[weights->binds[b].target] +=
            (double)(weights->shown[weights->binds[b].expression] * weights->binds[b].weight);
    given_materials_put(weights, out + weights->count);
    return fmax(0, expressions_left(model, weights->parts, weights->shown, EXPRESSION_GAZE));
}
