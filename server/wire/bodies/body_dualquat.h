/* answer_dualquat.h - a palette as dual quaternions, with signs that a shader can blend. Private to server/wire. Pure.
 *
 * A dual quaternion and its negative are the same motion, but a blend of two needs both in one hemisphere. A joint's is
 * in that of the nearest joint of the same skin above it; the topmost have the sign of dualquat_from_matrix(). */
#pragma once

#include "wire/reply/reply_context.h"

enum { DUALQUAT_FLOATS = 8 };

/* Prepares the skins that will be asked for; false: the reply is an error. */
bool dualquats_start(struct reply_context *context, const uint32_t *skins, uint32_t count);

/* Writes 8 floats a joint, in the skin's order: real x y z w, dual x y z w. Returns 0, or ERR_NOT_RIGID naming the
 * joint. */
int dualquats_of_palette(struct reply_context *context, uint32_t skin, const struct mat4 *palette, float *out,
                         struct err *err);
