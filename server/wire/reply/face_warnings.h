/* face_warnings.h - what a VRM animation moves and the model does not have. */
#pragma once

#include "anim/retarget/retarget.h"
#include "base/buf.h"

/* Writes {"code":"expressions_unmatched",..} and {"code":"gaze_unmatched",..} into a list of warnings, or nothing.
 * has_comma: the list has warnings already. Returns whether it then has any. */
bool face_put_warnings(struct buf *out, const struct retarget *retarget, bool has_comma);
