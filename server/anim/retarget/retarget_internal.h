/* retarget_internal.h - what the files of retarget.h share: partners by name, channels, and clips by rest. */
#pragma once

#include "anim/retarget/retarget.h"

/* --- retarget.c --- */

/* Room for so many channels of the view more. */
void retarget_reserve_channels(struct retarget *retarget, uint32_t more);

/* --- retarget_partners.c --- */

/* Fills partners and is_rule_used, by the names of both models. */
void retarget_find_partners(struct retarget *retarget);

/* --- retarget_by_rest.c --- */

/* Gives a clip that has no channels yet those by rest. Returns what rest_clip_init() does, or ERR_TOO_MANY_FRAMES. */
int retarget_clip_by_rest(struct retarget *retarget, uint32_t index, struct err *err);
/* Frees what only further clips take. Returns the bytes that remain. */
uint64_t retarget_close_rest(struct retarget *retarget);
/* NULL is fine. */
void retarget_free_rest(struct rest_retarget *rest);
