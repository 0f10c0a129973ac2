/* bake_check_constraints.c - checks the constraints of nodes, and that each stands after those that it depends on. */
#include "anim/bake/bake_check.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char *constraint_fault(const struct model *model, uint32_t i)
{
    const struct node_constraint *at = &model->constraints[i];
    return at->node >= model->node_count                               ? "node"
           : at->source >= model->node_count || at->source == at->node ? "source"
           : at->kind >= CONSTRAINT_KIND_COUNT                         ? "kind"
           : at->axis >= constraint_axis_count(at->kind)               ? "axis"
           : !(at->weight >= 0 && at->weight <= 1)                     ? "weight"
                                                                       : NULL;
}

/* For each node, 1 + the index of its constraint, and the greatest such number of the node and its ancestors. */
struct places {
    uint32_t *of_node, *of_chain;
};

static uint32_t above(const struct model *model, const struct places *places, uint32_t node)
{
    const int32_t parent = model->nodes[node].parent;
    return parent < 0 ? 0 : places->of_chain[parent];
}

static int check_order(const struct model *model, const struct places *places, struct err *err)
{
    for (uint32_t i = 0; i < model->constraint_count; i++) {
        uint32_t *place = &places->of_node[model->constraints[i].node];
        if (*place != 0)
            return bake_check_fail(err, "constraints", i, "node");
        *place = i + 1;
    }
    for (uint32_t i = 0; i < model->order_count; i++) {
        const uint32_t n = model->node_order[i], greatest = above(model, places, n);
        places->of_chain[n] = places->of_node[n] > greatest ? places->of_node[n] : greatest;
    }
    for (uint32_t i = 0; i < model->constraint_count; i++) {
        const struct node_constraint *at = &model->constraints[i];
        const uint32_t last = at->kind != CONSTRAINT_AIM ? places->of_node[at->source]
                              : above(model, places, at->source) > above(model, places, at->node)
                                  ? above(model, places, at->source)
                                  : above(model, places, at->node);
        if (last > i)
            return bake_check_fail(err, "constraints", i, "source");
    }
    return 0;
}

int bake_check_constraints(const struct model *model, struct err *err)
{
    int rc = bake_check_each(model, "constraints", model->constraint_count, constraint_fault, err);
    if (rc < 0 || model->constraint_count == 0)
        return rc;
    if ((model->infos[0].flags & MODEL_OWN_SCALES) != 0)
        return err_set(err, ERR_BAD_BAKE, "constraints has elements in a model with scales of its own");
    uint32_t *scratch = calloc((size_t)model->node_count, 2 * sizeof *scratch);
    if (scratch == NULL)
        return err_set(err, ERR_NO_MEMORY, "no memory to check the constraints of %u nodes", model->node_count);
    const struct places places = {.of_node = scratch, .of_chain = scratch + model->node_count};
    rc = check_order(model, &places, err);
    free(scratch);
    return rc;
}
