/* humanoid_internal.h - shared by the files of humanoid.h. */
#pragma once

#include "anim/humanoid/alike_names.h"
#include "anim/humanoid/humanoid.h"

/* --- humanoid.c --- */

void humanoid_clear(struct humanoid *humanoid);

/* --- humanoid_names.c --- */

/* Fills *humanoid, which is clear, by the names of joints. map: HUMANOID_; AUTO: all tables, and words. */
void humanoid_take_by_names(const struct alike_names *names, uint32_t map, struct humanoid *humanoid);

/* --- humanoid_check.c --- */

/* True for a node that has a role. */
bool humanoid_has(const struct humanoid *humanoid, int32_t node);
/* Where one node has several roles, keeps the first. */
void humanoid_drop_doubles(struct humanoid *humanoid);
/* Returns 0, or ERR_NO_HUMANOID that names the missing roles, and a joint that may be one of them. */
int humanoid_check_needed(const struct model *model, const struct humanoid_choice *choice,
                          const struct humanoid *humanoid, struct err *err);
