#include "anim/given/given_looks.h"

#include "anim/given/given_materials.h"
#include "base/sort.h"

#include <string.h>

uint32_t given_looks_binds(const struct given_weights *weights)
{
    uint32_t count = 0;
    for (int i = 0; i < GAZE_LOOKS; i++)
        count += weights->looks[i] >= 0 ? weights->model->expressions[weights->looks[i]].bind_count : 0;
    return count;
}

static int compare_binds(const void *a, const void *b)
{
    const struct look_bind *one = a, *other = b;
    if (one->material != other->material)
        return one->material < other->material ? -1 : 1;
    if (one->weight != other->weight)
        return one->weight < other->weight ? -1 : 1;
    return (one->look > other->look) - (one->look < other->look);
}

/* Makes a bind of the look of one of the file. Returns false when it changes nothing that is seen. */
static bool make_bind(const struct given_weights *weights, const struct expression_bind *bind, uint32_t look,
                      struct look_bind *out)
{
    *out = (struct look_bind){.material = LOOK_NO_MATERIAL, .look = look};
    if (bind->kind != BIND_MORPH) {
        out->material = given_materials_place(weights, bind);
        memcpy(out->values, bind->values, sizeof out->values);
        return out->material >= 0;
    }
    out->weight = weights->model->nodes[bind->target].weight_first + bind->index;
    out->node = bind->target;
    out->values[0] = bind->weight;
    const uint32_t place = LOWER_BOUND(weights->items, weights->count, weight, out->weight);
    return weights->items[place].asked < 0;
}

void given_looks_find(struct given_look *out, const struct given_weights *weights, uint32_t kind,
                      const double target[3])
{
    const struct model *model = weights->model;
    if (out->gaze.kind == GAZE_EXPRESSION && kind == LOOK_ANGLES) {
        *out = (struct given_look){.binds = out->binds};
        return;
    }
    out->kind = kind;
    memcpy(out->target, target, sizeof out->target);
    for (uint32_t i = 0; i < GAZE_LOOKS; i++) {
        const struct expression *at = weights->looks[i] < 0 ? NULL : &model->expressions[weights->looks[i]];
        for (uint32_t b = 0; at != NULL && b < at->bind_count; b++)
            out->bind_count +=
                make_bind(weights, &model->expression_binds[at->bind_first + b], i, &out->binds[out->bind_count]);
        if (at != NULL && (at->flags & EXPRESSION_BINARY) != 0)
            out->binary_looks |= 1U << i;
    }
    sort_in_place(out->binds, out->bind_count, sizeof *out->binds, compare_binds);
}
