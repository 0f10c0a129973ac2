/* gltf_keys.h - reads the keys of one channel. Single-threaded. */
#pragma once

#include "import/gltf/gltf_accessor.h"

/* The state of reading one channel. */
struct gltf_key_source {
    char where[80];   /* "animations[0].channels[3]" */
    const char *what; /* what it moves: "translation", or a pointer */
    struct accessor times, values;
    bool is_open;           /* times has rows, not only a type and a count */
    struct channel channel; /* node, path and component_count are set; gltf_read_keys() fills the rest */
};

/* Reads the keys of `sampler`. `sampler_where` names its place in the file for messages. Returns 0, ERR_BAD_MODEL,
 * ERR_BAD_KEYS, ERR_MODEL_LIMIT or an error of accessor_open(). */
int gltf_read_keys(struct gltf *gltf, const cJSON *sampler, const char *sampler_where, struct gltf_key_source *source,
                   struct err *err);
