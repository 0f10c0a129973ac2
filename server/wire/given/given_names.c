#include "wire/given/given_names.h"

#include "base/sort.h"

#include <string.h>

static int compare(const char *a, size_t a_bytes, const char *b, size_t b_bytes)
{
    const int order = a_bytes == b_bytes ? memcmp(a, b, a_bytes) : 0;
    return a_bytes < b_bytes ? -1 : a_bytes > b_bytes ? 1 : order;
}

static int compare_names(const void *a, const void *b)
{
    const struct given_name *one = a, *other = b;
    const int order = compare(one->text, one->size_bytes, other->text, other->size_bytes);
    return order != 0 ? order : (one->place > other->place) - (one->place < other->place);
}

void given_names_sort(struct given_name *names, uint32_t count)
{
    sort_in_place(names, count, sizeof *names, compare_names);
}

uint32_t given_names_find(const struct given_name *names, uint32_t count, const char *text, size_t size_bytes,
                          uint32_t *first)
{
    uint32_t low = 0, high = count, end;
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        if (compare(names[middle].text, names[middle].size_bytes, text, size_bytes) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    for (end = low; end < count && compare(names[end].text, names[end].size_bytes, text, size_bytes) == 0;)
        end++;
    *first = low;
    return end - low;
}
