/* draco.h - libdraco, which is C++, as C functions: one compressed mesh to indices and attribute rows.
 *
 * Exceptions end here. libdraco has crashed on malformed bytes before, so it must decode in the importer's process,
 * under its limits. One thread for each mesh. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#include "base/err.h"

struct draco_mesh;

/* Decodes `size_bytes` bytes. Their header is read first, so that a few bytes that claim billions of faces cost
 * nothing. *out is the caller's: draco_mesh_free(). Returns 0, ERR_BAD_MODEL (no mesh of bitstream 2.2),
 * ERR_MODEL_LIMIT (more points or faces than allowed) or ERR_IMPORT_MEMORY. */
int draco_mesh_new(const uint8_t *bytes, size_t size_bytes, uint64_t points_max, uint64_t faces_max,
                   struct draco_mesh **out, struct err *err);
void draco_mesh_free(struct draco_mesh *mesh);

/* At most as many as draco_mesh_new() allowed. */
uint32_t draco_mesh_points(const struct draco_mesh *mesh);
uint32_t draco_mesh_faces(const struct draco_mesh *mesh);

/* out[3 * faces], each below the number of points. */
void draco_mesh_indices(const struct draco_mesh *mesh, uint32_t *out);

/* Rows of the attribute with this unique id, one a point, `width` components each (1..16), tightly packed and
 * little-endian in out[points * width * bytes of a component]. component_type: glTF's number, 5120 to 5126. Integers
 * come as they are, without normalization. Returns 0, or ERR_BAD_MODEL: no such attribute, another width, or a value
 * that the component type does not have. */
int draco_mesh_rows(const struct draco_mesh *mesh, uint32_t id, uint32_t component_type, uint32_t width, void *out,
                    struct err *err);

#ifdef __cplusplus
}
#endif
