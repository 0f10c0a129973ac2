#include "import/source/model_limits.h"

#include <stdlib.h>

static int over(const struct limits *limits, enum limit limit, uint64_t count, struct err *err)
{
    return err_set(err, ERR_MODEL_LIMIT, "the model has %llu %s, more than %s", (unsigned long long)count,
                   LIMIT_INFO[limit].unit, LIMIT_TEXT(limits, limit));
}

/* Nodes one below another. Parents come before their children in node_order. */
static int check_depth(const struct bake_builder *builder, const struct limits *limits, struct err *err)
{
    uint32_t *depths = calloc((size_t)builder->node_count + 1, sizeof *depths);
    if (depths == NULL)
        return err_set(err, ERR_IMPORT_MEMORY, "no memory to measure the depth of %u nodes", builder->node_count);
    int rc = 0;
    for (uint32_t i = 0; i < builder->order_count && rc == 0; i++) {
        const uint32_t n = builder->node_order[i];
        const int32_t parent = builder->nodes[n].parent;
        depths[n] = parent < 0 ? 1 : depths[parent] + 1;
        if (depths[n] > limits->value[LIMIT_DEPTH])
            rc = err_set(err, ERR_MODEL_LIMIT, "node %u lies %u levels deep, more than %s", n, depths[n],
                         LIMIT_TEXT(limits, LIMIT_DEPTH));
    }
    free(depths);
    return rc;
}

static uint64_t drawn_vertices(const struct bake_builder *builder)
{
    uint64_t count = 0;
    for (uint32_t d = 0; d < builder->draw_count; d++)
        count += builder->primitives[builder->draws[d].primitive].vertex_count;
    return count;
}

int model_limits_check(const struct bake_builder *builder, const struct limits *limits, struct err *err)
{
    const struct {
        enum limit limit;
        uint64_t count;
    } rows[] = {
        {LIMIT_NODES, builder->node_count},
        {LIMIT_JOINTS, builder->joint_count},
        {LIMIT_CLIPS, builder->clip_count},
        {LIMIT_VERTICES, builder->position_count},
        {LIMIT_INDICES, builder->index_count},
        {LIMIT_WEIGHTS, builder->weight_count},
        {LIMIT_KEYS, builder->key_value_count},
        {LIMIT_TEXTURES, builder->texture_count},
        {LIMIT_DRAWN_VERTICES, drawn_vertices(builder)},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (rows[i].count > limits->value[rows[i].limit])
            return over(limits, rows[i].limit, rows[i].count, err);
    return check_depth(builder, limits, err);
}
