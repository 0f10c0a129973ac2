/* given_store.h - given poses as bytes, for the render workers: native byte order, each pose a header and its arrays.
 * Pure; any thread. */
#pragma once

#include "anim/given/given_pose.h"
#include "base/buf.h"

/* Appends a pose. */
void given_store_put(struct buf *out, const struct given_pose *given);

/* Reads the pose at *at and moves *at behind it. Indices and numbers are checked by given_pose_finish() afterwards. The
 * caller ends *given with given_pose_fini() in any case. Returns 0, ERR_BAD_PARAMETER when the bytes end, or
 * ERR_NO_MEMORY. */
int given_store_get(const char *bytes, size_t size_bytes, size_t *at, struct given_pose *given, struct err *err);
