/* draco_pack.h - encodes a triangle mesh as a stream of KHR_draco_mesh_compression (Draco bitstream specification 2.2)
 * with libdraco. It does not quantise and keeps the order of vertices and triangles.
 *
 * Pure; any thread. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum draco_kind { DRACO_POSITION, DRACO_NORMAL, DRACO_COLOR, DRACO_TEXCOORD, DRACO_OTHER };

/* An attribute. Its unique id in the stream is its index in the array. */
struct draco_attribute {
    const void *rows; /* one per vertex, contiguous */
    enum draco_kind kind;
    uint32_t component_type; /* glTF component type: 5121 uint8_t, 5123 uint16_t, 5126 float */
    uint32_t row_bytes;
    bool is_normalized;
};

/* Returns the stream, which the caller frees, and its length; NULL when out of memory. indices: three per triangle,
 * below vertex_count. */
uint8_t *draco_pack(const struct draco_attribute *attributes, uint32_t attribute_count, uint32_t vertex_count,
                    const uint32_t *indices, uint32_t triangle_count, size_t *size_bytes);

#ifdef __cplusplus
}
#endif
