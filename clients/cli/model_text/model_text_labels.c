/* Finds the labels and the order of nodes. */
#include "clients/cli/model_text/model_text.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

void model_text_put_name(struct text *out, const cJSON *thing)
{
    const char *name = thing == NULL ? "" : json_name(thing);
    text_put_printable(out, name[0] == '\0' ? "-" : name);
}

struct named {
    int64_t parent;
    const char *label;
    double place[3]; /* at rest in the scene, rounded; 0: unknown */
    size_t node;
};

/* Nodes with the same label are in the order of their places, because writers may change the order of a file. */
static int by_label(const void *a, const void *b)
{
    const struct named *x = a, *y = b;
    const int order = strcmp(x->label, y->label);
    for (int i = 0; i < 3 && order == 0; i++)
        if (x->place[i] != y->place[i])
            return x->place[i] < y->place[i] ? -1 : 1;
    return order != 0 ? order : x->node < y->node ? -1 : x->node > y->node;
}

static int by_parent_and_label(const void *a, const void *b)
{
    const struct named *x = a, *y = b;
    return x->parent != y->parent ? (x->parent < y->parent ? -1 : 1) : by_label(a, b);
}

/* Returns every node once, sorted by `compare`. The caller frees the array. */
static struct named *sort_nodes(const struct model_text *text, int (*compare)(const void *, const void *))
{
    struct named *sorted = must_alloc((text->node_count + 1) * sizeof *sorted);
    const double step = pow(10, -text->place_decimals);
    for (size_t i = 0; i < text->node_count; i++) {
        sorted[i] = (struct named){.parent = text->parents[i], .label = text->labels[i], .node = i};
        for (size_t k = 0; k < 3; k++) {
            const double place = round(text->scene[16 * i + 12 + k] / step);
            sorted[i].place[k] = isfinite(place) ? place : 0;
        }
    }
    qsort(sorted, text->node_count, sizeof *sorted, compare);
    return sorted;
}

/* Gives a new label, made by `rename`, to nodes that share a label; `turn` counts the nodes of one label. */
static void rename_doubles(struct model_text *text,
                           char *(*rename)(const struct model_text *, size_t node, size_t turn))
{
    struct named *sorted = sort_nodes(text, by_label);
    char **renamed = must_alloc((text->node_count + 1) * sizeof *renamed);
    for (size_t i = 0, next; i < text->node_count; i = next) {
        for (next = i + 1; next < text->node_count && strcmp(sorted[next].label, sorted[i].label) == 0; next++)
            ;
        for (size_t k = i; k < next && next - i > 1; k++)
            renamed[sorted[k].node] = rename(text, sorted[k].node, k - i);
    }
    for (size_t i = 0; i < text->node_count; i++)
        if (renamed[i] != NULL) {
            free(text->labels[i]);
            text->labels[i] = renamed[i];
        }
    free(renamed);
    free(sorted);
}

static char *with_parent(const struct model_text *text, size_t node, size_t turn)
{
    const int64_t parent = text->parents[node];
    struct text label = {0};
    (void)turn;
    text_printf(&label, "%s/%s", parent < 0 ? "" : text->labels[parent], text->labels[node]);
    return label.at;
}

static char *with_number(const struct model_text *text, size_t node, size_t turn)
{
    struct text label = {0};
    text_put(&label, text->labels[node]);
    if (turn > 0)
        text_printf(&label, "#%zu", turn + 1);
    return label.at;
}

/* Puts parents before their children, and sorts children by their labels, because writers may change the order of a
 * file. */
static void find_order(struct model_text *text)
{
    struct named *sorted = sort_nodes(text, by_parent_and_label);
    size_t *first = must_alloc((text->node_count + 2) * sizeof *first); /* the first child of node i - 1 in `sorted` */
    size_t *waiting = must_alloc((text->node_count + 1) * sizeof *waiting), count = 0, waiting_count = 0;
    for (size_t i = 0; i < text->node_count; i++)
        first[sorted[i].parent + 2]++;
    for (size_t i = 1; i < text->node_count + 2; i++)
        first[i] += first[i - 1];
    for (size_t i = first[1]; i-- > first[0];)
        waiting[waiting_count++] = sorted[i].node;
    while (waiting_count > 0) {
        const size_t node = waiting[--waiting_count];
        text->order[count++] = node;
        for (size_t i = first[node + 2]; i-- > first[node + 1];)
            waiting[waiting_count++] = sorted[i].node;
    }
    text->ordered_count = count;
    free(waiting);
    free(first);
    free(sorted);
}

void model_text_find_nodes(struct model_text *text)
{
    const cJSON *nodes = json_get(text->model, "nodes"), *node;
    size_t i = 0;
    text->node_count = (size_t)cJSON_GetArraySize(nodes);
    const size_t capacity = text->node_count + 1;
    text->nodes = must_alloc(capacity * sizeof *text->nodes);
    text->parents = must_alloc(capacity * sizeof *text->parents);
    text->labels = must_alloc(capacity * sizeof *text->labels);
    text->order = must_alloc(capacity * sizeof *text->order);
    cJSON_ArrayForEach(node, nodes)
    {
        struct text label = {0};
        const double parent = member_number(node, "parent");
        text_put_printable(&label, json_name(node)[0] == '\0' ? "-" : json_name(node));
        text->parents[i] = parent >= 0 && parent < (double)text->node_count ? (int64_t)parent : -1;
        text->labels[i] = label.at;
        text->nodes[i++] = node;
    }
}

void model_text_label_nodes(struct model_text *text)
{
    rename_doubles(text, with_parent);
    rename_doubles(text, with_number);
    find_order(text);
}

void model_text_free_nodes(struct model_text *text)
{
    for (size_t i = 0; i < text->node_count; i++)
        free(text->labels[i]);
    free(text->nodes);
    free(text->parents);
    free(text->labels);
    free(text->order);
    free(text->rest);
    free(text->scene);
}
