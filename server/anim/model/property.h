/* property.h - the numbers of materials, lights and cameras that a clip can move: where they are in a glTF file and in
 * the model, and their limits. A struct property_channel names one by PATH_COUNT + PROPERTY_. Pure. */
#pragma once

#include "anim/model/material_layers.h"

enum property_id {
#define PROPERTY(id, kind, slot, pointer, count, type, field, least, most, missing) PROPERTY_##id,
#include "anim/model/property.def"
    PROPERTY_LAYERS,                                                 /* LAYER_NUMBERS in their order */
    PROPERTY_TRANSFORMS = PROPERTY_LAYERS + (int)LAYER_NUMBER_COUNT, /* of each slot: TRANSFORM_ */
};
/* The parts of KHR_texture_transform. A clip has all three of a texture or none. */
enum texture_transform_part { TRANSFORM_OFFSET, TRANSFORM_SCALE, TRANSFORM_ROTATION, TRANSFORM_PARTS };
enum { PROPERTY_COUNT = PROPERTY_TRANSFORMS + TEXTURE_ALL_COUNT * (int)TRANSFORM_PARTS };

/* What a property belongs to. */
enum property_kind { PROPERTY_OF_MATERIAL, PROPERTY_OF_LAYER, PROPERTY_OF_LIGHT, PROPERTY_OF_CAMERA };

struct property {
    uint32_t kind;                                 /* PROPERTY_OF_ */
    int32_t layer;                                 /* LAYER_ of a property of a layer, or -1 */
    int32_t slot;                                  /* of the texture that it belongs to, or -1 */
    const char *extension, *member, *of_transform; /* parts of its pointer; extension and of_transform may be NULL */
    uint32_t count;                                /* of its floats */
    uint32_t offset; /* of its floats in the struct of its kind; of a texture transform: unused */
    float least, most;
    float missing; /* the value where a file has none; NAN: it must have one */
};

/* Returns the property of this id (below PROPERTY_COUNT). */
struct property property_of(uint32_t id);

/* A pointer at a property: "/materials/3/normalTexture/scale". */
enum { PROPERTY_POINTER_SIZE = 192 };
/* Writes the part of a pointer behind the object's index: "normalTexture/scale". */
void property_put_path(uint32_t id, char out[PROPERTY_POINTER_SIZE]);
/* Writes the pointer at a property of an object, by the object's index in a file. */
void property_put_pointer(uint32_t id, uint32_t index, char out[PROPERTY_POINTER_SIZE]);
/* Finds the property that a pointer names, and the object's index. Returns PROPERTY_COUNT for any other pointer. */
uint32_t property_find(const char *pointer, uint32_t *index);

/* True when pictures of the model can show the property: the object exists and has such a number. */
bool property_is_drawn(const struct model *model, uint32_t id, uint32_t target);

/* The matrix (struct material_texture) of a transform: translation * rotation * scale. */
void texture_transform_matrix(const double offset[2], const double scale[2], double rotation,
                              float uv_from_texcoord[6]);
/* Takes such a matrix apart. A mirror has a negative scale of y. */
void texture_transform_parts(const float uv_from_texcoord[6], double offset[2], double scale[2], double *rotation);
