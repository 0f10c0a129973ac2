/* glb_groups.h - gathers arrays of one kind in one view, and equal arrays once. Private to wire/encode. Pure. */
#pragma once

#include "wire/encode/glb.h"

/* Arrays of a file that were added, by kind, until they become views. */
struct glb_groups {
    struct buf bytes[GLB_ARRAY_COUNT];
    uint32_t *slots; /* [capacity], a power of two: accessors by the hash of their content, plus 1; 0: free */
    uint32_t capacity, count;
    uint64_t total_bytes;  /* of all kinds */
    uint32_t merged_count; /* arrays that equal an earlier one, */
    uint64_t merged_bytes; /* and their bytes before compression */
};

/* Adds an array and returns its accessor, or that of an equal array. */
uint32_t glb_groups_add(struct glb_writer *glb, enum glb_array array, const void *elements, uint32_t count);

/* --- of glb.c --- */

uint32_t glb_array_bytes(enum glb_array array); /* of an element */
/* Appends the accessor of an array whose place in the file *accessor says, with the bounds of its elements. */
uint32_t glb_put_accessor_of(struct glb_writer *glb, struct glb_accessor *accessor, const void *elements);
/* Adds a view of elements, compressed where that makes it shorter. */
uint32_t glb_put_view_of(struct glb_writer *glb, enum glb_array array, const void *elements, uint32_t count);
