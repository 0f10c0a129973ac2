#include "wire/reply/given_resolve.h"

#include "anim/pose/give.h"
#include "base/mem.h"
#include "base/sort.h"
#include "anim/humanoid/humanoid.h"
#include "wire/given/given_find.h"
#include "wire/given/given_names.h"
#include "wire/reply/given_looking.h"
#include "wire/reply/select.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A model and a pose that are being brought together. */
struct resolving {
    const struct model *model;
    const char *path;
    const struct request_given *asked;
    struct given_pose *out;
    struct given_budget *budget;
    struct reply *reply;
    int32_t *found;  /* [asked->node_count]: nodes, or -1 */
    uint32_t *times; /* [asked->node_count]: how often the name is found */
};

static int fail(struct resolving *resolving, const struct err *err)
{
    return reply_error(resolving->reply, err, NULL, 0);
}

/* --- nodes --- */

/* Finds all nodes by name in one pass over the model. */
static int find_names(struct resolving *resolving)
{
    const struct model *model = resolving->model;
    const struct request_given *asked = resolving->asked;
    struct given_name *names = mem_alloc((asked->node_count + 1) * sizeof *names);
    struct err err;
    int rc = 0;
    uint32_t count = 0;
    for (uint32_t i = 0; i < asked->node_count; i++)
        if (asked->nodes[i].node.kind == SELECT_NAME)
            names[count++] = (struct given_name){
                .text = asked->nodes[i].node.name, .size_bytes = asked->nodes[i].node.name_bytes, .place = i};
    const struct given_name *twice = given_names_sort(names, count);
    if (twice != NULL) {
        err_set(&err, ERR_DUPLICATE_PARAMETER, "pose: nodes[%u] and nodes[%u] are both '%.100s'", twice[-1].place,
                twice->place, twice->text);
        rc = fail(resolving, &err);
    }
    for (uint32_t n = 0; n < model->node_count && count > 0 && rc == 0; n++) {
        const struct str text = model->nodes[n].name;
        const struct given_name name = {.text = model->text + text.offset, .size_bytes = text.size_bytes};
        const struct given_name *found = text.offset == STR_NONE ? NULL : given_names_find(names, count, &name);
        if (found == NULL)
            continue;
        resolving->found[found->place] = (int32_t)n;
        resolving->times[found->place]++;
    }
    free(names);
    return rc;
}

/* Finds the nodes of roles among names that no node has. */
static void find_roles(struct resolving *resolving)
{
    const struct request_given *asked = resolving->asked;
    struct humanoid humanoid;
    int is_human = -1;
    for (uint32_t i = 0; i < asked->node_count; i++) {
        const struct selector *node = &asked->nodes[i].node;
        const int role = node->kind == SELECT_NAME && resolving->times[i] == 0
                             ? humanoid_role(node->name, node->name_bytes)
                             : ROLE_NONE;
        if (role == ROLE_NONE)
            continue;
        if (is_human < 0)
            is_human = humanoid_of_model(resolving->model, &humanoid);
        if (is_human == 0 || humanoid.nodes[role] < 0)
            continue;
        resolving->found[i] = humanoid.nodes[role];
        resolving->times[i] = 1;
    }
}

static int find_nodes(struct resolving *resolving)
{
    const struct request_given *asked = resolving->asked;
    for (uint32_t i = 0; i < asked->node_count; i++) {
        resolving->found[i] = -1;
        resolving->times[i] = 0;
    }
    if (find_names(resolving) < 0)
        return resolving->reply->code;
    find_roles(resolving);
    for (uint32_t i = 0; i < asked->node_count; i++) {
        uint32_t index;
        if (resolving->times[i] == 1)
            continue;
        if (select_thing(resolving->model, resolving->path, THING_NODE, &asked->nodes[i].node, &index,
                         resolving->reply) < 0) {
            char entry[40];
            snprintf(entry, sizeof entry, "pose: nodes[%u]", i);
            return reply_prefix(resolving->reply, entry);
        }
        resolving->found[i] = (int32_t)index;
    }
    return 0;
}

/* A node, and its place in the request. */
struct entry {
    uint32_t node, place, first;
};

static int compare_entries(const void *a, const void *b)
{
    const struct entry *one = a, *other = b;
    if (one->node != other->node)
        return one->node < other->node ? -1 : 1;
    return (one->place > other->place) - (one->place < other->place);
}

/* Puts the nodes in the model's order. A node that is named twice is an error. */
static int order_nodes(struct resolving *resolving)
{
    const struct request_given *asked = resolving->asked;
    struct given_pose *out = resolving->out;
    struct entry *entries = mem_alloc((asked->node_count + 1) * sizeof *entries);
    uint32_t count = 0, first = 0;
    for (uint32_t i = 0; i < asked->node_count; i++) {
        if (asked->nodes[i].parts != 0)
            entries[count++] = (struct entry){(uint32_t)resolving->found[i], i, first};
        first += given_part_values(asked->nodes[i].parts);
    }
    sort_in_place(entries, count, sizeof *entries, compare_entries);
    out->nodes = mem_alloc((count + 1) * sizeof *out->nodes);
    int rc = 0;
    for (uint32_t i = 0; i < count && rc == 0; i++) {
        struct err err;
        char name[SHORT_NAME_SIZE];
        const struct entry *entry = &entries[i];
        if (i > 0 && entries[i - 1].node == entry->node) {
            err_set(&err, ERR_DUPLICATE_PARAMETER, "pose: nodes[%u] and nodes[%u] are both node %u '%s'",
                    entries[i - 1].place, entry->place, entry->node,
                    short_name(resolving->model, resolving->model->nodes[entry->node].name, name));
            rc = fail(resolving, &err);
        }
        out->nodes[out->node_count++] =
            (struct given_node){.node = entry->node, .parts = asked->nodes[entry->place].parts, .first = entry->first};
    }
    free(entries);
    return rc;
}

/* --- values --- */

static void put_values(struct resolving *resolving)
{
    const struct request_given *asked = resolving->asked;
    struct given_pose *out = resolving->out;
    const size_t own = asked->frame_values - asked->weight_count; /* numbers of nodes */
    out->values = mem_alloc(((size_t)asked->frame_count * out->frame_values + 1) * sizeof *out->values);
    out->times_s = mem_alloc(asked->frame_count * sizeof *out->times_s);
    memcpy(out->times_s, asked->times_s, asked->frame_count * sizeof *out->times_s);
    out->frame_count = asked->frame_count;
    for (uint32_t f = 0; f < out->frame_count; f++) {
        double *values = out->values + (size_t)f * out->frame_values;
        memcpy(values, asked->values + (size_t)f * asked->frame_values, own * sizeof *values);
        for (uint32_t n = 0; n < out->node_count && asked->is_from_rest; n++)
            give_add_rest(&out->nodes[n], resolving->model, values);
    }
}

static int finish(struct resolving *resolving)
{
    struct err err;
    if (given_pose_finish(resolving->out, resolving->model, &err) == 0)
        return 0;
    err_prefix(&err, "'%s': pose", resolving->path);
    return fail(resolving, &err);
}

/* Checks that all numbers of all frames are few enough, and what expressions do for them: a target of the request may
 * be that of a million weights of the model, and an expression may move as many. */
static int check_size(const struct resolving *resolving, const struct given_weights *weights, struct err *err)
{
    const struct request_given *asked = resolving->asked;
    struct given_budget *budget = resolving->budget;
    const uint64_t frame = (uint64_t)asked->frame_values + given_weights_values(weights) + weights->bind_count +
                           weights->share_count + (weights->entry_count > 0 ? weights->model->expression_count : 0);
    if (asked->frame_count * frame > budget->left)
        return err_set(err, ERR_TOO_MANY_FRAMES,
                       "its %u frames move %llu numbers of the model each; the layers%s may move %s together",
                       asked->frame_count, (unsigned long long)frame,
                       budget->limit == LIMIT_GIVEN_PICTURE_STEPS ? " of a picture" : "",
                       LIMIT_TEXT(budget->limits, budget->limit));
    budget->left -= asked->frame_count * frame;
    return 0;
}

static int resolve(struct resolving *resolving)
{
    const struct request_given *asked = resolving->asked;
    struct given_pose *out = resolving->out;
    struct given_weights weights;
    struct err err;
    if (find_nodes(resolving) < 0 || order_nodes(resolving) < 0)
        return resolving->reply->code;
    if (given_find(&weights, resolving->model, asked, &err) < 0 || check_size(resolving, &weights, &err) < 0 ||
        (asked->look.kind != LOOK_NONE && given_look_find(&out->look, &weights, &asked->look, &err) < 0)) {
        given_find_end(&weights);
        err_prefix(&err, "'%s': pose", resolving->path);
        return fail(resolving, &err);
    }
    const uint32_t own = asked->frame_values - asked->weight_count;
    const uint32_t share = own + given_weights_values(&weights);
    out->frame_values = share + (out->look.kind != LOOK_NONE);
    out->look.share = share;
    out->weight_count = weights.count;
    out->weights = mem_alloc((weights.count + 1) * sizeof *out->weights);
    for (uint32_t w = 0; w < weights.count; w++)
        out->weights[w] =
            (struct given_weight){.weight = weights.items[w].weight, .node = weights.items[w].node, .first = own + w};
    out->material_count = weights.material_count;
    out->materials = mem_alloc((weights.material_count + (size_t)1) * sizeof *out->materials);
    for (uint32_t m = 0; m < weights.material_count; m++) {
        out->materials[m] = weights.materials[m];
        out->materials[m].first += own + weights.count;
    }
    put_values(resolving);
    for (uint32_t f = 0; f < out->frame_count; f++) {
        double *values = out->values + (size_t)f * out->frame_values;
        const double left =
            given_weights_put(&weights, asked->values + (size_t)f * asked->frame_values + own, values + own);
        if (out->look.kind != LOOK_NONE)
            values[share] = left;
    }
    given_find_end(&weights);
    return finish(resolving);
}

int given_resolve(struct given_pose *out, const struct model *model, const char *path,
                  const struct request_given *asked, struct given_budget *budget, struct reply *reply)
{
    struct resolving resolving = {
        .model = model, .path = path, .asked = asked, .out = out, .budget = budget, .reply = reply};
    *out = (struct given_pose){0};
    resolving.found = mem_alloc((asked->node_count + 1) * sizeof *resolving.found);
    resolving.times = mem_alloc((asked->node_count + 1) * sizeof *resolving.times);
    const int rc = resolve(&resolving);
    free(resolving.found);
    free(resolving.times);
    return rc;
}

int given_check_led(const struct given_pose *given, const struct model *model, const char *path, struct reply *reply)
{
    for (uint32_t c = 0; c < model->constraint_count; c++) {
        const uint32_t node = model->constraints[c].node, at = LOWER_BOUND(given->nodes, given->node_count, node, node);
        char name[SHORT_NAME_SIZE];
        struct err err;
        if (at == given->node_count || given->nodes[at].node != node || (given->nodes[at].parts & GIVEN_ROTATION) == 0)
            continue;
        err_set(&err, ERR_BAD_PARAMETER, "'%s': a constraint leads node %u '%s', and it cannot be turned", path, node,
                short_name(model, model->nodes[node].name, name));
        return reply_error(reply, &err, NULL, 0);
    }
    return 0;
}
