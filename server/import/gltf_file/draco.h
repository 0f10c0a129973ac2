/* draco.h - a C interface to libdraco, a C++ library: decodes one compressed mesh to indices and attribute rows.
 *
 * It catches all exceptions. libdraco has crashed on malformed bytes before, so it must decode in the importer's
 * process, under its limits. One thread per mesh. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#include "base/err.h"

struct draco_mesh;

/* Decodes `size_bytes` bytes. It reads their header first, so a few bytes that claim billions of faces cost nothing.
 * The caller frees *out with draco_mesh_free(). Returns 0, ERR_BAD_MODEL (no mesh of bitstream 2.2), ERR_MODEL_LIMIT
 * (more points or faces than allowed) or ERR_IMPORT_MEMORY. */
int draco_mesh_new(const uint8_t *bytes, size_t size_bytes, uint64_t points_max, uint64_t faces_max,
                   struct draco_mesh **out, struct err *err);
void draco_mesh_free(struct draco_mesh *mesh);

/* At most the number that draco_mesh_new() allowed. */
uint32_t draco_mesh_points(const struct draco_mesh *mesh);
uint32_t draco_mesh_faces(const struct draco_mesh *mesh);

/* Fills out[3 * faces] with indices, each less than the number of points. */
void draco_mesh_indices(const struct draco_mesh *mesh, uint32_t *out);

/* Writes the rows of the attribute with this unique id, one per point with `width` components (1..16), to out[points *
 * width * bytes per component], tightly packed and little-endian. component_type is glTF's number, 5120 to 5126.
 * Integers are not normalized. Returns 0, or ERR_BAD_MODEL: no such attribute, another width, or a value that does not
 * fit the component type. */
int draco_mesh_rows(const struct draco_mesh *mesh, uint32_t id, uint32_t component_type, uint32_t width, void *out,
                    struct err *err);

#ifdef __cplusplus
}
#endif
