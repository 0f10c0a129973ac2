/* sort.c - heapsort over items of any size. */
#include "base/sort.h"

#include <stdbool.h>
#include <string.h>

struct heap {
    unsigned char *items;
    size_t item_bytes;
    int (*compare)(const void *a, const void *b);
};

static unsigned char *item(const struct heap *heap, size_t i) { return heap->items + i * heap->item_bytes; }

static void swap(const struct heap *heap, size_t i, size_t j) /* i is not j */
{
    unsigned char *a = item(heap, i), *b = item(heap, j), kept[16];
    for (size_t left = heap->item_bytes; left > 0;) {
        const size_t part = left < sizeof kept ? left : sizeof kept;
        memcpy(kept, a, part);
        memcpy(a, b, part);
        memcpy(b, kept, part);
        a += part;
        b += part;
        left -= part;
    }
}

/* Sifts item i down until no child is larger. `count` items are in the heap. */
static void sink(const struct heap *heap, size_t i, size_t count)
{
    while (2 * i + 1 < count) {
        size_t below = 2 * i + 1;
        if (below + 1 < count && heap->compare(item(heap, below), item(heap, below + 1)) < 0)
            below++;
        if (heap->compare(item(heap, i), item(heap, below)) >= 0)
            return;
        swap(heap, i, below);
        i = below;
    }
}

void sort_in_place(void *items, size_t count, size_t item_bytes, int (*compare)(const void *a, const void *b))
{
    const struct heap heap = {.items = items, .item_bytes = item_bytes, .compare = compare};
    bool is_sorted = true;
    for (size_t i = 1; i < count && is_sorted; i++)
        is_sorted = compare(item(&heap, i - 1), item(&heap, i)) <= 0;
    if (is_sorted)
        return;
    for (size_t i = count / 2; i > 0; i--)
        sink(&heap, i - 1, count);
    for (size_t end = count - 1; end > 0; end--) { /* moves the largest to the end */
        swap(&heap, 0, end);
        sink(&heap, 0, end);
    }
}

uint32_t lower_bound(const void *items, uint32_t count, size_t item_bytes, size_t offset_bytes, uint32_t least)
{
    uint32_t low = 0, high = count;
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        uint32_t number;
        memcpy(&number, (const unsigned char *)items + middle * item_bytes + offset_bytes, sizeof number);
        if (number < least)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}
