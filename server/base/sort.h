/* sort.h - sorts without allocating, which qsort() of libc does for a long array, and searches sorted items. Pure; any
 * thread. */
#pragma once

#include <stddef.h>
#include <stdint.h>

/* Sorts items[count] in place by heapsort (J. W. J. Williams, 1964), in at most about count * log(count) steps. A
 * sorted array takes one pass. The sort is not stable. compare: as for qsort(). */
void sort_in_place(void *items, size_t count, size_t item_bytes, int (*compare)(const void *a, const void *b));

/* Returns the index of the first item whose number is not below `least`; `count` if there is none. The numbers, a
 * uint32_t at `offset_bytes` of each item, ascend. items may be NULL if count is 0. */
uint32_t lower_bound(const void *items, uint32_t count, size_t item_bytes, size_t offset_bytes, uint32_t least);

/* The same by the name of the member. */
#define LOWER_BOUND(items, count, member, least)                                                                       \
    lower_bound(items, count, sizeof *(items), offsetof(__typeof__(*(items)), member), least)
