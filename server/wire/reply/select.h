/* select.h - from what a query calls a clip, skin, node, mesh, camera or variant to its index. Pure; any thread. */
#pragma once

#include "wire/encode/reply.h"
#include "wire/request/request.h"

struct model;

enum thing {
    THING_CLIP,
    THING_SKIN,
    THING_NODE,
    THING_MESH,
    THING_MESH_NODE, /* a node that has a mesh */
    THING_CAMERA,
    THING_VARIANT
};

/* Finds the one thing that `selector` (SELECT_INDEX or SELECT_NAME) means and puts it into *index. A name
 * that several have is refused. On failure *reply is the complete error with the candidates: those of
 * the name, or the things whose names come nearest. path: what messages call the model.
 * Returns 0, the thing's ERR_..._NOT_FOUND, or ERR_AMBIGUOUS_NAME. */
int select_thing(const struct model *model, const char *path, enum thing thing, const struct selector *selector,
                 uint32_t *index, struct reply *reply);
