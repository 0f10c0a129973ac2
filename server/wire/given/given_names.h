/* given_names.h - names of a request that are looked for among many names of a model, all at once. Private to
 * wire. Pure; any thread. */
#pragma once

#include "anim/model/model.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct given_name {
    const char *text;
    size_t size_bytes;
    const char *mesh; /* of a morph target: only that of meshes and nodes of this name; NULL: of all */
    size_t mesh_bytes;
    uint32_t place; /* in the request */
};

/* Sorts the names, for the search. Returns one that is there twice, or NULL: then a search finds at most one, however
 * many names a model has. */
const struct given_name *given_names_sort(struct given_name *names, uint32_t count);

/* Returns the one of the sorted names with this text and mesh, or NULL. */
const struct given_name *given_names_find(const struct given_name *names, uint32_t count,
                                          const struct given_name *name);
