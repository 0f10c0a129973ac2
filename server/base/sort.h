/* sort.h - sorts without allocating; qsort() of libc may allocate for a long array. Pure; any thread. */
#pragma once

#include <stddef.h>

/* Sorts items[count] in place by heapsort (J. W. J. Williams, 1964), in at most about count * log(count) steps. A
 * sorted array takes one pass. The sort is not stable. compare: as for qsort(). */
void sort_in_place(void *items, size_t count, size_t item_bytes, int (*compare)(const void *a, const void *b));
