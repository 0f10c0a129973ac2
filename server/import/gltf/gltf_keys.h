/* gltf_keys.h - times and values of animation samplers into the builder (glTF 2.0, 3.11). Each accessor is read once,
 * however many channels and clips use it: they share its keys. One thread. */
#pragma once

#include "import/gltf/gltf_accessor.h"

extern const char *const GLTF_PATHS[4]; /* by PATH_: "translation", ... */

/* One channel while it is read. */
struct key_source {
    char where[80]; /* "animations[0].channels[3]" */
    struct accessor times, values;
    bool is_open;           /* times has rows, not only a type and a count */
    struct channel channel; /* node, path and component_count are set; gltf_read_keys() fills the rest */
};

/* The keys of `sampler`, whose place in the file `sampler_where` names for messages. */
int gltf_read_keys(struct gltf *gltf, const cJSON *sampler, const char *sampler_where, struct key_source *source,
                   struct err *err);
