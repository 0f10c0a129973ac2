/* select_nodes.c - selects the nodes of a request, including subtrees. */
#include "wire/reply/select_nodes.h"

#include "wire/reply/select.h"

/* Lies in workspace->palette, which is still unused. */
struct node_scratch {
    uint32_t *sizes;     /* [model->node_count]: size of each node's subtree */
    uint32_t *is_inside; /* [model->node_count] */
    uint32_t *tops;      /* [request->joint_count]: the node of each selector */
};

static void count_subtrees(const struct model *model, uint32_t *sizes)
{
    for (uint32_t n = 0; n < model->node_count; n++)
        sizes[n] = 1;
    for (uint32_t i = model->order_count; i-- > 0;) {
        const uint32_t node = model->node_order[i];
        if (model->nodes[node].parent >= 0)
            sizes[model->nodes[node].parent] += sizes[node];
    }
}

/* Appends the nodes of a subtree to `out`, which has room for them. */
static void put_subtree(const struct model *model, uint32_t top, uint32_t *is_inside, uint32_t *out)
{
    for (uint32_t i = 0; i < model->order_count; i++) {
        const uint32_t node = model->node_order[i];
        const int32_t parent = model->nodes[node].parent;
        is_inside[node] = node == top || (parent >= 0 && is_inside[parent]);
    }
    for (uint32_t n = 0; n < model->node_count; n++)
        if (is_inside[n])
            *out++ = n;
}

static bool count_nodes(struct reply_context *context, struct node_scratch *scratch)
{
    const size_t nodes = context->model->node_count;
    uint32_t *memory = context_array(context, &context->workspace->palette,
                                     2 * nodes + context->request->pose.joint_count, sizeof *memory);
    if (memory == NULL)
        return false;
    *scratch = (struct node_scratch){memory, memory + nodes, memory + 2 * nodes};
    count_subtrees(context->model, scratch->sizes);
    return true;
}

/* Finds every selector's node and the total number of nodes. False: the reply is an error. */
static bool find_tops(struct reply_context *context, const struct node_scratch *scratch, uint32_t *count)
{
    enum { NODE_BYTES_MIN = 16 }; /* "[[...]]" of a node; a request may repeat a subtree */
    const struct request *request = context->request;
    uint64_t sum = 0;
    for (uint32_t i = 0; i < request->pose.joint_count; i++) {
        const struct selector *selector = &request->pose.joints[i];
        if (select_thing(context->model, request->model, THING_NODE, selector, &scratch->tops[i], context->reply) < 0)
            return false;
        sum += selector->scope == BLEND_SUBTREE ? scratch->sizes[scratch->tops[i]] : 1;
    }
    if (sum > context->limit_bytes / NODE_BYTES_MIN || sum > UINT32_MAX / 2)
        return context_fail_too_large(context);
    *count = (uint32_t)sum;
    return true;
}

uint32_t *select_nodes(struct reply_context *context, uint32_t *count)
{
    const struct model *model = context->model;
    const struct request *request = context->request;
    struct node_scratch scratch = {0};
    *count = model->node_count;
    if (request->pose.joint_count > 0 && !(count_nodes(context, &scratch) && find_tops(context, &scratch, count)))
        return NULL;
    uint32_t *nodes = context_array(context, &context->workspace->selection, 2 * (size_t)*count, sizeof *nodes);
    if (nodes == NULL)
        return NULL;
    for (uint32_t i = 0; request->pose.joint_count == 0 && i < *count; i++)
        nodes[i] = i;
    uint32_t at = 0;
    for (uint32_t i = 0; i < request->pose.joint_count; i++) {
        const uint32_t top = scratch.tops[i];
        if (request->pose.joints[i].scope == BLEND_SUBTREE)
            put_subtree(model, top, scratch.is_inside, nodes + at);
        else
            nodes[at] = top;
        at += request->pose.joints[i].scope == BLEND_SUBTREE ? scratch.sizes[top] : 1;
    }
    return nodes;
}
