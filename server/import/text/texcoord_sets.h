/* texcoord_sets.h - which of a file's sets of texture coordinates a material's primitives keep: models have two. Pure.
 */
#pragma once

#include <stdint.h>

/* The file's numbers of what goes to texcoords and to second_texcoords, or -1. */
struct texcoord_sets {
    int64_t sets[2];
};

#define TEXCOORD_SETS_NONE ((struct texcoord_sets){{-1, -1}})

/* The place (0 or 1) of the file's set `set`, which takes the first free one when it is new; -1: both are taken. */
static inline int texcoord_place(struct texcoord_sets *texcoords, int64_t set)
{
    for (int place = 0; place < 2; place++) {
        if (texcoords->sets[place] < 0)
            texcoords->sets[place] = set;
        if (texcoords->sets[place] == set)
            return place;
    }
    return -1;
}
