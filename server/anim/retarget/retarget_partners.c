/* retarget_partners.c - finds for each node of the clips' file the node of the model with the same name. */
#include "anim/retarget/retarget_internal.h"

#include "base/mem.h"

#include <stdlib.h>

static bool is_named(const struct node *node) { return node->name.offset != STR_NONE && node->name.size_bytes > 0; }

static struct name_part name_of(const struct model *model, uint32_t node)
{
    const struct str name = model->nodes[node].name;
    return (struct name_part){.text = model->text + name.offset, .size_bytes = name.size_bytes};
}

/* The nodes with names, sorted by name. */
struct entry {
    struct joined_name name;
    uint32_t node;
};
struct index {
    struct entry *entries;
    uint32_t count;
};

static int by_name(const void *a, const void *b)
{
    return joined_name_compare(&((const struct entry *)a)->name, &((const struct entry *)b)->name);
}

/* is_used: set to 1 for each rule that applies to a node; NULL without rules. */
static struct index index_names(const struct model *model, const struct name_map *names, uint8_t *is_used)
{
    struct index index = {.entries = mem_alloc((size_t)model->node_count * sizeof *index.entries)};
    for (uint32_t n = 0; n < model->node_count; n++) {
        struct entry *entry = &index.entries[index.count];
        if (!is_named(&model->nodes[n]))
            continue;
        const int32_t rule = name_map_apply(names, name_of(model, n), &entry->name);
        entry->node = n;
        index.count++;
        if (rule >= 0)
            is_used[rule] = 1;
    }
    qsort(index.entries, index.count, sizeof *index.entries, by_name);
    return index;
}

/* Returns how many entries from `at` on have the same name. */
static uint32_t run_length(const struct index *index, uint32_t at)
{
    uint32_t end = at + 1;
    while (end < index->count && by_name(&index->entries[at], &index->entries[end]) == 0)
        end++;
    return end - at;
}

/* Both indices are sorted alike, so one pass over both finds all pairs. */
void retarget_find_partners(struct retarget *retarget)
{
    static const struct name_map NO_RULES = {0};
    const struct model *model = &retarget->model, *source = retarget->source;
    struct index own = index_names(model, &NO_RULES, NULL);
    struct index other = index_names(source, &retarget->names, retarget->is_rule_used);
    for (uint32_t n = 0; n < source->node_count; n++)
        retarget->partners[n] = -1 - (is_named(&source->nodes[n]) ? RETARGET_MISSING : RETARGET_UNNAMED);
    for (uint32_t i = 0, k = 0; i < own.count && k < other.count;) {
        const int order = by_name(&own.entries[i], &other.entries[k]);
        if (order != 0) {
            *(order < 0 ? &i : &k) += 1;
            continue;
        }
        const uint32_t own_run = run_length(&own, i), other_run = run_length(&other, k);
        for (uint32_t m = 0; m < other_run; m++)
            retarget->partners[other.entries[k + m].node] =
                own_run == 1 && other_run == 1 ? (int32_t)own.entries[i].node : -1 - RETARGET_AMBIGUOUS;
        i += own_run;
        k += other_run;
    }
    free(own.entries);
    free(other.entries);
}

int32_t retarget_partner(const struct retarget *retarget, const struct channel *channel)
{
    const int32_t partner = retarget->partners[channel->node];
    if (partner >= 0 && channel->path == PATH_WEIGHTS &&
        retarget->model.nodes[partner].weight_count != channel->component_count)
        return -1 - RETARGET_WEIGHTS;
    return partner;
}

bool retarget_rename(const struct retarget *retarget, uint32_t node, struct joined_name *out)
{
    const struct model *source = retarget->source;
    if (is_named(&source->nodes[node]) && name_map_apply(&retarget->names, name_of(source, node), out) >= 0)
        return true;
    *out = (struct joined_name){0};
    return false;
}
