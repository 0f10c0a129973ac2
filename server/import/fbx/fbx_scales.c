/* fbx_scales.c - converts nodes that do not inherit scales as a matrix product to ordinary nodes, where possible.
 *
 * A uniform scale commutes with rotations, so a node can inherit it through its parent's matrix instead of axis by
 * axis. The child's own scale can undo a scale that never changes. Both cases are common: before 7.0, files declare
 * that every node inherits scales by axis. Maya compensates for the scale of every joint above, which is mostly 1 or a
 * conversion from centimetres to metres. */
#include "import/fbx/fbx.h"

#include "base/mem.h"

#include <stdlib.h>

/* A node's own scale as in the file, and its inherited scale, at rest and at all times of all clips. */
struct scaling {
    float fixed;   /* the constant value of its uniform own scale; 0 if it varies or is 0 */
    bool is_alike; /* its own scale is always uniform */
    bool inherits_alike;
    double undone; /* the factor by which the scale of a child that ignores its parent's scale became too large when
                      this node started to inherit all scales above it */
    double factor; /* the factor to apply to its own scale */
};

static bool is_alike(const float v[3]) { return v[0] == v[1] && v[1] == v[2]; }

static void add_value(struct scaling *scaling, const float value[3])
{
    scaling->is_alike = scaling->is_alike && is_alike(value);
    if (!scaling->is_alike || value[0] != scaling->fixed)
        scaling->fixed = 0;
}

static void add_channel(const struct bake_builder *builder, const struct channel *channel, struct scaling *scaling)
{
    const bool is_cubic = channel->interpolation == INTERPOLATION_CUBICSPLINE;
    const float *values = builder->key_values + channel->value_first;
    for (uint32_t k = 0; k < channel->key_count; k++, values += is_cubic ? 9 : 3) {
        add_value(scaling, is_cubic ? values + 3 : values);
        if (!is_cubic)
            continue;
        scaling->is_alike = scaling->is_alike && is_alike(values) && is_alike(values + 6);
        if (!scaling->is_alike || values[0] != 0 || values[6] != 0)
            scaling->fixed = 0;
    }
}

static struct scaling *find_scalings(const struct bake_builder *builder)
{
    struct scaling *scalings = mem_alloc(builder->node_count * sizeof *scalings);
    for (uint32_t n = 0; n < builder->node_count; n++) {
        const float *scale = builder->nodes[n].scale;
        scalings[n] =
            (struct scaling){.fixed = scale[0], .is_alike = true, .inherits_alike = true, .undone = 1, .factor = 1};
        add_value(&scalings[n], scale);
    }
    for (uint32_t c = 0; c < builder->channel_count; c++)
        if (builder->channels[c].path == PATH_SCALE)
            add_channel(builder, &builder->channels[c], &scalings[builder->channels[c].node]);
    return scalings;
}

/* Parents first. Nodes are in no cycle; each is walked over once. */
static uint32_t *order_of(const struct bake_builder *builder)
{
    uint32_t *order = mem_alloc(builder->node_count * sizeof *order), count = 0;
    uint32_t *path = mem_alloc(builder->node_count * sizeof *path);
    bool *is_done = mem_zalloc((size_t)builder->node_count + 1, sizeof *is_done);
    for (uint32_t n = 0; n < builder->node_count; n++) {
        uint32_t length = 0;
        for (int32_t at = (int32_t)n; at >= 0 && !is_done[at]; at = builder->nodes[at].parent) {
            is_done[at] = true;
            path[length++] = (uint32_t)at;
        }
        while (length > 0)
            order[count++] = path[--length];
    }
    free(path);
    free(is_done);
    return order;
}

/* Converts a node whose parent is done. U is the scene matrix without a node's `scale`, and B the inherited scale. A
 * prime marks both for a node that was converted (scale_frame.h). U' = g U, so scale' = scale / g. A child should
 * inherit B / g through it but inherits 1; `undone` is B / g. */
static void simplify_node(struct node *node, struct scaling *scaling, const struct scaling *above)
{
    const bool is_above_alike = above->is_alike && above->inherits_alike;
    if ((node->flags & NODE_SCALE_BY_AXIS) != 0) {
        scaling->inherits_alike = is_above_alike;
        if (is_above_alike)
            node->flags &= ~(uint32_t)NODE_SCALES;
    } else if ((node->flags & NODE_SCALE_OWN) != 0) {
        scaling->inherits_alike = above->inherits_alike;
        const bool is_plain = above->fixed != 0 && above->inherits_alike;
        scaling->undone = is_plain ? 1 / (double)above->fixed : above->undone;
        scaling->factor = scaling->undone;
        if (is_plain)
            node->flags &= ~(uint32_t)NODE_SCALES;
    }
}

/* Each channel has values of its own. */
static void store(struct bake_builder *builder, const struct scaling *scalings)
{
    for (uint32_t n = 0; n < builder->node_count; n++)
        for (int i = 0; i < 3; i++)
            builder->nodes[n].scale[i] = (float)((double)builder->nodes[n].scale[i] * scalings[n].factor);
    for (uint32_t c = 0; c < builder->channel_count; c++) {
        const struct channel *channel = &builder->channels[c];
        const double factor = scalings[channel->node].factor;
        const size_t parts = channel->interpolation == INTERPOLATION_CUBICSPLINE ? 9 : 3;
        for (size_t i = 0; i < parts * channel->key_count && channel->path == PATH_SCALE && factor != 1; i++) {
            float *value = &builder->key_values[channel->value_first + i];
            *value = (float)((double)*value * factor);
        }
    }
}

void fbx_simplify_scales(struct fbx *fbx)
{
    struct bake_builder *builder = fbx->builder;
    uint32_t flags = 0;
    for (uint32_t n = 0; n < builder->node_count; n++)
        flags |= builder->nodes[n].flags & NODE_SCALES;
    if (flags == 0)
        return;
    static const struct scaling NOTHING = {.fixed = 1, .is_alike = true, .inherits_alike = true, .undone = 1};
    struct scaling *scalings = find_scalings(builder);
    uint32_t *order = order_of(builder);
    for (uint32_t i = 0; i < builder->node_count; i++) {
        struct node *node = &builder->nodes[order[i]];
        simplify_node(node, &scalings[order[i]], node->parent < 0 ? &NOTHING : &scalings[node->parent]);
    }
    store(builder, scalings);
    free(scalings);
    free(order);
}
