/* pose_arrays.h - reads frames of transforms from arrays (.npz) and from binary frames of the server. */
#pragma once

#include "clients/cli/pose/npz.h"
#include "clients/cli/pose/pose_motion.h"

/* Both fill *out and return 0, or -1 with a message in *problem. The caller calls pose_motion_free() in any case.
 *
 * The arrays, with T frames of N nodes: nodes [N], indices or names (without it, the model's nodes in their order);
 * translation [T, N, 3], rotation [T, N, 4] (x y z w), scale [T, N, 3], each with or without T; times [T] in seconds,
 * or rate; relative_to, "parent" or "rest". Or what `posectl bake --values local -o FILE.npz` writes. */
int pose_read_arrays(const struct npz *npz, struct pose_motion *out, struct text *problem);
/* `bytes`: an answer of /v1/pose?what=local&format=bin, aligned to 16 bytes. */
int pose_read_frames(const unsigned char *bytes, size_t size_bytes, struct pose_motion *out, struct text *problem);
