/* weld.h - finds equal vertices, and puts triangles and vertices in an order that compresses well.
 *
 * Pure; any thread. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* An attribute of the vertices: `size_bytes` each. */
struct weld_stream {
    const void *rows;
    size_t size_bytes;
};

struct weld_input {
    const struct weld_stream *streams; /* [stream_count] */
    size_t stream_count;
    const uint32_t *run_firsts; /* [vertex_count + 1]: runs of rows, of any length for each vertex; or NULL */
    const void *run_rows;
    size_t run_row_bytes;
    const uint32_t *indices; /* [index_count], below vertex_count */
    uint32_t vertex_count, index_count;
    bool is_triangles;
    bool keeps_order; /* of the triangles: it shows where they are blended */
};

/* Fills places[vertex_count] with the place of each vertex in the new order: vertices that are equal bit for bit share
 * one, and WELDED_AWAY (quantize.h) is that of a vertex that no index names. Fills indices[index_count] with the new
 * indices. Triangles keep their corners in their direction; where a vertex has too many of them, they keep their order,
 * too. Returns the number of places, or 0 when out of memory. */
uint32_t weld_vertices(const struct weld_input *input, uint32_t *places, uint32_t *indices);
