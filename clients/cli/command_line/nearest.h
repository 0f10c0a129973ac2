/* nearest.h - "did you mean": the known name that is most like a given one. Pure functions. */
#pragma once

#include <stddef.h>

struct nearest {
    const char *name; /* NULL: none is near enough */
    size_t edits;
};
/* Finds names that differ by fewer edits than this. */
#define NEAREST_NONE ((struct nearest){NULL, 3})

/* Takes `name` if it is nearer to the given one than those before. */
void nearest_consider(struct nearest *nearest, const char *name, const char *given, size_t given_bytes);
