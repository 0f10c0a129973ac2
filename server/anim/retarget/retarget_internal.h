/* retarget_internal.h - shared by the files of retarget.h: partners by name, channels, and clips by rest. */
#pragma once

#include "anim/retarget/retarget.h"

/* --- retarget.c --- */

/* Makes room for `more` more channels in the view. */
void retarget_reserve_channels(struct retarget *retarget, uint32_t more);

/* --- retarget_partners.c --- */

/* Fills partners and is_rule_used from the names of both models. */
void retarget_find_partners(struct retarget *retarget);

/* --- retarget_by_rest.c --- */

/* Gives a clip without channels its channels by rest. Returns what rest_clip_init() returns, or ERR_TOO_MANY_FRAMES. */
int retarget_clip_by_rest(struct retarget *retarget, uint32_t index, struct err *err);
/* Frees what only further clips need. Returns the bytes that remain. */
uint64_t retarget_close_rest(struct retarget *retarget);
/* NULL is fine. */
void retarget_free_rest(struct rest_retarget *rest);
