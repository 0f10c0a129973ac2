/* gltf_properties.h - channels that move numbers of materials, lights and cameras (KHR_animation_pointer). A light or a
 * camera of the file becomes one in the model for each node that has it, and each of these gets a channel.
 * Single-threaded. */
#pragma once

#include "import/gltf/gltf.h"

#include "anim/model/property.h"

/* The model's objects of each object of the file. */
struct gltf_users {
    uint32_t *first; /* [objects of the file]: the first one + 1, or 0 */
    uint32_t *next;  /* [objects of the model]: the next one + 1, or 0 */
};

struct gltf_properties {
    struct gltf *gltf;
    uint32_t clip;
    struct gltf_users lights, cameras;
    struct channel *channels; /* [count], of the clip; node: the file's object; reserved: its index in the file */
    uint32_t count;
    size_t capacity;
};

/* Finds the layers of materials that some clip moves. Call it before the materials are read, which would leave out
 * those without effect. */
void gltf_properties_mark(struct gltf *gltf);

/* Call it once the builder has materials, lights and cameras. */
void gltf_properties_init(struct gltf_properties *properties, struct gltf *gltf);
void gltf_properties_fini(struct gltf_properties *properties);

/* True when pictures show the target's property, else there is a warning that begins with `where`. */
bool gltf_properties_are_drawn(const struct gltf_properties *properties, const struct gltf_target *target,
                               const char *where);
/* Adds a channel to the clip. Its node does not count, and its `reserved` is its index in the file. */
void gltf_properties_add(struct gltf_properties *properties, const struct gltf_target *target,
                         const struct channel *channel);
/* Puts the channels of the clip into the model and empties the list. A channel whose property an earlier one moves is
 * left out with a warning. Where only a part of a texture transform or of an emission moves, constant channels are
 * added for the others. Returns 0 or the error of import_full(). */
int gltf_properties_end_clip(struct gltf_properties *properties, struct err *err);
