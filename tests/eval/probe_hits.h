/* probe_hits.h - the calls of eval_probe that are about hits. */
#pragma once

#include "clients/eval/posed_eval_hits.h"

/* Makes hitboxes and a scene with room for `room` entities in place of *hitboxes and *scene (NULL: none yet), and
 * prints each volume: NODE KIND NAME|- VERTICES OUTSIDE GIVEN FLOATS, with ; between. */
void probe_hitboxes(const struct pe_model *model, int fit, uint32_t room, struct pe_hitboxes **hitboxes,
                    struct pe_scene **scene);

/* words: nearest|all, then 11 numbers a ray: origin, direction, most, radius, at, mask, ignored. Prints each hit: RAY
 * ENTITY NODE HITBOX INSIDE FLOATS, with ; between. */
void probe_rays(struct pe_scene *scene, char *words);
