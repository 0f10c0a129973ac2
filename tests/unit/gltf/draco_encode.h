/* draco_encode.h - Draco meshes for tests, written by libdraco's encoder without quantization. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Attributes get the unique ids 0, 1 and 2 in this order. */
struct draco_source {
    const float *positions;  /* [3 * vertices] */
    const uint16_t *joints;  /* [4 * vertices] */
    const float *weights;    /* [4 * vertices] */
    const uint32_t *indices; /* [3 * triangles] */
    uint32_t vertices, triangles;
    int is_edgebreaker; /* reorders and may split vertices; else sequential */
};

/* Returns the bytes written into out[out_size], or 0 when they do not fit. */
size_t draco_encode(const struct draco_source *source, uint8_t *out, size_t out_size);

#ifdef __cplusplus
}
#endif
