/* select.h - resolves the name or index of a clip, skin, node, mesh, camera or variant in a query. Pure; any thread. */
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

/* Resolves `selector` (SELECT_INDEX or SELECT_NAME) to *index. An ambiguous name is an error. A name that no node has
 * may be the role of one (anim/humanoid/humanoid.h). On failure *reply is the complete error with candidates: the
 * things of that name, or those with the nearest names. path is the model's name in messages. Returns 0, the thing's
 * ERR_..._NOT_FOUND, or ERR_AMBIGUOUS_NAME. */
int select_thing(const struct model *model, const char *path, enum thing thing, const struct selector *selector,
                 uint32_t *index, struct reply *reply);
