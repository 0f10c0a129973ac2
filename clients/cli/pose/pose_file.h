/* pose_file.h - reads a file with a pose for a layer of a request. */
#pragma once

#include "clients/cli/output/text.h"

/* What the command line says of the layers. */
struct pose_words {
    const char *weight, *mode; /* NULL: not said */
};

/* Reads a file, or stdin for "-", and appends its layers as JSON, with a comma between two. Such a file is
 *  - JSON: a pose as protocol/blending.md has it, an answer of /v1/pose?what=local, a layer, or a list of layers;
 *  - binary frames: an answer of /v1/pose?what=local&format=bin;
 *  - a .npz archive of arrays (pose_arrays.h).
 * A layer says its weight and mode itself, so `words` are for the others. Returns 0, or -1 with a message in *problem
 * that names the file. */
int pose_file_put(const char *file, const struct pose_words *words, struct text *layers, struct text *problem);
