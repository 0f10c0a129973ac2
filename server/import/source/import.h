/* import.h - what every format's reader gets and fills. One thread, one import per process. */
#pragma once

#include "import/source/source_files.h"

struct import {
    const char *path;     /* of the model, under the root */
    const uint8_t *bytes; /* the whole file, followed by a NUL byte that does not count */
    size_t size_bytes;
    struct source_files *files;
    struct bake_builder *builder;
    struct model_info *info; /* the builder's only info, already added; the reader fills format, axes, unit */
    const struct limits *limits;
};

/* glTF 2.0 and GLB, by our own reader. Fills everything but what bake_finish() derives.
 * Returns 0, ERR_NOT_A_MODEL, ERR_BAD_MODEL, ERR_MODEL_LIMIT, ERR_UNSUPPORTED_EXTENSION, ERR_COMPANION_MISSING. */
int import_gltf(struct import *import, struct err *err);

/* Everything else, by assimp. Same contract. */
int import_assimp(struct import *import, struct err *err);
