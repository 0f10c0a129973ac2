#include "wire/given/given_names.h"

#include "base/sort.h"

#include <string.h>

static int compare(const char *a, size_t a_bytes, const char *b, size_t b_bytes)
{
    const int order = a_bytes == b_bytes ? memcmp(a, b, a_bytes) : 0;
    return a_bytes < b_bytes ? -1 : a_bytes > b_bytes ? 1 : order;
}

static int compare_names(const struct given_name *one, const struct given_name *other)
{
    const int order = compare(one->text, one->size_bytes, other->text, other->size_bytes);
    if (order != 0 || one->mesh == NULL || other->mesh == NULL)
        return order != 0 ? order : (one->mesh != NULL) - (other->mesh != NULL);
    return compare(one->mesh, one->mesh_bytes, other->mesh, other->mesh_bytes);
}

static int compare_places(const void *a, const void *b)
{
    const struct given_name *one = a, *other = b;
    const int order = compare_names(one, other);
    return order != 0 ? order : (one->place > other->place) - (one->place < other->place);
}

const struct given_name *given_names_sort(struct given_name *names, uint32_t count)
{
    sort_in_place(names, count, sizeof *names, compare_places);
    for (uint32_t i = 1; i < count; i++)
        if (compare_names(&names[i - 1], &names[i]) == 0)
            return &names[i];
    return NULL;
}

const struct given_name *given_names_find(const struct given_name *names, uint32_t count, const struct given_name *name)
{
    uint32_t low = 0, high = count;
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        const int order = compare_names(&names[middle], name);
        if (order == 0)
            return &names[middle];
        if (order < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return NULL;
}
