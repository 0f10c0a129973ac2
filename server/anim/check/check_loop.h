/* check_loop.h - the parts of loop-jump that look at how joints are turned. Private to this folder. Pure. */
#pragma once

#include "anim/check/check_internal.h"

/* Reports the joint that is turned most otherwise at the end than at the start; where none is, the one whose speed of
 * turning changes most there. Returns 0 or the code of check->err. */
int check_loop_turns(struct clip_check *check);
