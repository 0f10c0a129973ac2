/* draco.h - libdraco, which is C++, as C functions: one compressed mesh to indices and attribute rows.
 *
 * Exceptions end here. libdraco has crashed on malformed bytes before, so this belongs into the importer's process,
 * under its limits. One thread a mesh. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum draco_result {
    DRACO_OK = 0,
    DRACO_BROKEN = -1,    /* the bytes are not a mesh of bitstream 2.2, or an attribute is not as asked for */
    DRACO_TOO_LARGE = -2, /* more points or faces than allowed */
    DRACO_NO_MEMORY = -3,
};

/* glTF's numbers of component types. */
enum draco_component {
    DRACO_I8 = 5120,
    DRACO_U8 = 5121,
    DRACO_I16 = 5122,
    DRACO_U16 = 5123,
    DRACO_U32 = 5125,
    DRACO_F32 = 5126,
};

struct draco_mesh;

/* Decodes `size_bytes` bytes. Their header is read first, so that a few bytes that claim billions of faces cost
 * nothing. *out is the caller's: draco_mesh_free(). On failure `message` (message_size bytes, at least 1) says why. */
enum draco_result draco_mesh_new(const uint8_t *bytes, size_t size_bytes, uint64_t points_max, uint64_t faces_max,
                                 struct draco_mesh **out, char *message, size_t message_size);
void draco_mesh_free(struct draco_mesh *mesh);

/* How many there are; at most those that draco_mesh_new() was told. */
uint32_t draco_mesh_points(const struct draco_mesh *mesh);
uint32_t draco_mesh_faces(const struct draco_mesh *mesh);

/* out[3 * faces], each below the number of points. */
void draco_mesh_indices(const struct draco_mesh *mesh, uint32_t *out);

/* Rows of the attribute with this unique id, one a point, `width` components each (1..16), tightly packed and
 * little-endian in out[points * width * bytes of a component]. Integers come as they are, without normalization.
 * DRACO_BROKEN: no such attribute, another width, or a value that the component type does not have. */
enum draco_result draco_mesh_rows(const struct draco_mesh *mesh, uint32_t id, enum draco_component component,
                                  uint32_t width, void *out, char *message, size_t message_size);

#ifdef __cplusplus
}
#endif
