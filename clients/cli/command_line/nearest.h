/* nearest.h - "did you mean": finds the known name most similar to a given one. Pure functions. */
#pragma once

#include <stddef.h>

struct nearest {
    const char *name; /* NULL: no name is similar enough */
    size_t edits;
};
/* The start. Only names that differ by fewer edits than this are found. */
#define NEAREST_NONE ((struct nearest){NULL, 3})

/* Takes `name` if it is nearer to the given one than all names before. */
void nearest_consider(struct nearest *nearest, const char *name, const char *given, size_t given_bytes);
