/* volume_mesh.h - the volumes of a model's hits (anim/hits/hit_set.h) in a pose, as wires made of triangles. Pure; any
 * thread. */
#pragma once

#include "anim/hits/hit_set.h"
#include "render/pose/skeleton_mesh.h"

/* Builds the wires. Each volume is the image of its solid, as rays hit it. Fitted volumes have one colour, those of the
 * hitbox file another. Free them with skeleton_mesh_fini(), also after a failure. Returns 0, ERR_NOT_FINITE or
 * ERR_NO_MEMORY. */
int volume_mesh_init(struct skeleton_mesh *mesh, const struct hit_set *set, const struct model *model,
                     const struct pose *pose, struct err *err);
