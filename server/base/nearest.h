/* nearest.h - "did you mean": finds the known name that a typo most likely meant. Pure; any thread. */
#pragma once

#include <stddef.h>
#include <stdint.h>

struct nearest {
    const char *name; /* NULL: no name is similar enough */
    size_t edits;
};
/* The start. */
#define NEAREST_NONE ((struct nearest){NULL, SIZE_MAX})

/* Takes `name` if it is nearer to the given one than all names before: by the optimal string alignment distance (a
 * Damerau-Levenshtein distance; Boytsov 2011). The distance is at most a third of the longer name, but 1 is always
 * allowed. Names of more than 64 bytes are near to none. */
void nearest_consider(struct nearest *nearest, const char *name, const char *given, size_t given_bytes);
