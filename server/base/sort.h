/* sort.h - sorting without memory: qsort() of libc may allocate for a long array. Pure; any thread. */
#pragma once

#include <stddef.h>

/* Sorts items[count] where they are (heapsort: J. W. J. Williams, 1964), at the latest after count * log(count) steps.
 * An array that is in order already costs one look. Items that compare equal may change places. compare: as of qsort().
 */
void sort_in_place(void *items, size_t count, size_t item_bytes, int (*compare)(const void *a, const void *b));
