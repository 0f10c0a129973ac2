/* alike_names.c - sorted copies of all names in their plain form, in one block. */
#include "anim/humanoid/alike_names.h"

#include "base/ascii.h"
#include "base/mem.h"

#include <stdlib.h>
#include <string.h>

static const char END_SITE[] = "EndSite_"; /* and the name of its joint, with a namespace: import/bvh */

struct alike_entry {
    const char *text;
    uint32_t size_bytes, node;
    int32_t chosen; /* in the first of equal entries: the chosen node, or ALIKE_MANY */
};

/* strchr() takes several times as long, and files decide how long names are. */
static bool is_left_out(char c) { return c == '.' || c == '_' || c == '-' || c == ' ' || c == ':'; }

bool alike_is_end_site(const char *name, size_t size_bytes)
{
    return size_bytes >= sizeof END_SITE - 1 && memcmp(name, END_SITE, sizeof END_SITE - 1) == 0;
}

/* Writes at most size_bytes to out; returns how many. */
static uint32_t put_plain(const char *text, size_t size_bytes, char *out)
{
    const bool is_end_site = alike_is_end_site(text, size_bytes);
    uint32_t count = 0;
    for (size_t i = 0; i < size_bytes; i++) {
        if (text[i] == ':' && i + 1 < size_bytes && !is_end_site)
            count = 0;
        else if (!is_left_out(text[i]))
            out[count++] = ascii_lower(text[i]);
    }
    return count;
}

static int by_text(const void *a, const void *b)
{
    const struct alike_entry *one = a, *other = b;
    const uint32_t size = one->size_bytes < other->size_bytes ? one->size_bytes : other->size_bytes;
    const int order = size == 0 ? 0 : memcmp(one->text, other->text, size);
    return order != 0 ? order : (one->size_bytes > other->size_bytes) - (one->size_bytes < other->size_bytes);
}

static int by_text_and_node(const void *a, const void *b)
{
    const struct alike_entry *one = a, *other = b;
    const int order = by_text(a, b);
    return order != 0 ? order : (one->node > other->node) - (one->node < other->node);
}

static bool is_joint(const struct alike_names *names, uint32_t at)
{
    return (names->model->nodes[names->entries[at].node].flags & NODE_JOINT) != 0;
}

/* Chooses one of the equal entries that begin at `first`. Returns where they end. */
static uint32_t choose(struct alike_names *names, uint32_t first)
{
    uint32_t end = first, joints = 0, joint = first;
    for (; end < names->count && by_text(&names->entries[first], &names->entries[end]) == 0; end++)
        if (is_joint(names, end)) {
            joints++;
            joint = end;
        }
    names->entries[first].chosen = end - first == 1 || joints == 1 ? (int32_t)names->entries[joint].node : ALIKE_MANY;
    return end;
}

void alike_names_init(struct alike_names *names, const struct model *model)
{
    size_t size_bytes = 0, at = 0;
    for (uint32_t n = 0; n < model->node_count; n++)
        if (model->nodes[n].name.offset != STR_NONE)
            size_bytes += model->nodes[n].name.size_bytes;
    *names = (struct alike_names){.model = model,
                                  .entries = mem_alloc((size_t)model->node_count * sizeof *names->entries + 1),
                                  .text = mem_alloc(size_bytes + 1)};
    for (uint32_t n = 0; n < model->node_count; n++) {
        const struct str name = model->nodes[n].name;
        if (name.offset == STR_NONE)
            continue;
        const uint32_t size = put_plain(model->text + name.offset, name.size_bytes, names->text + at);
        if (size > 0)
            names->entries[names->count++] = (struct alike_entry){names->text + at, size, n, ALIKE_NONE};
        at += size;
    }
    if (names->count > 0)
        qsort(names->entries, names->count, sizeof *names->entries, by_text_and_node);
    for (uint32_t first = 0; first < names->count;)
        first = choose(names, first);
}

void alike_names_fini(struct alike_names *names)
{
    free(names->entries);
    free(names->text);
    *names = (struct alike_names){0};
}

int32_t alike_names_find(const struct alike_names *names, const char *prefix, const char *name, size_t size_bytes)
{
    const size_t prefix_bytes = strlen(prefix);
    char *plain = mem_alloc(prefix_bytes + size_bytes + 1);
    uint32_t size = put_plain(prefix, prefix_bytes, plain);
    size += put_plain(name, size_bytes, plain + size);
    const struct alike_entry key = {plain, size, 0, ALIKE_NONE};
    uint32_t low = 0, high = names->count;
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        if (by_text(&names->entries[middle], &key) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    const bool is_found = size > 0 && low < names->count && by_text(&names->entries[low], &key) == 0;
    const int32_t node = is_found ? names->entries[low].chosen : ALIKE_NONE;
    free(plain);
    return node;
}
