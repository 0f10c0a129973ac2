/* fbx_surface.h - the polygons of one Geometry as the file has them: control points, corners, and the layer elements.
 * One thread. */
#pragma once

#include "import/fbx_surface/fbx_layer_element.h"

#include "base/limits.h"

enum { FBX_UV_SETS = 8 }; /* of a surface; more are not read */

/* Heap arrays, freed by fbx_surface_fini(). */
struct fbx_surface {
    double (*points)[3];   /* [size.point_count], in geometry space */
    uint32_t *corners;     /* [size.corner_count]: control points */
    uint32_t *starts;      /* [size.polygon_count + 1]: of a polygon's corners */
    uint32_t *edge_starts; /* [edge_count]: the corner at which an edge begins; NULL: the file numbers no edges */
    uint32_t edge_count;
    struct fbx_surface_size size;
    struct fbx_layer_element normals, tangents, binormals, colors, materials, smoothing;
    struct fbx_layer_element uvs[FBX_UV_SETS];
    uint32_t uv_count;
};

/* Reads the Geometry `object`, which has no polygons where `size` says so. Returns 0, ERR_BAD_MODEL (with the byte and
 * the record; an index beyond the control points) or ERR_MODEL_LIMIT. fbx_surface_fini() is needed and safe in any
 * case. */
int fbx_surface_read(struct fbx_surface *surface, const struct fbx_scene *scene, uint32_t object, struct err *err);
void fbx_surface_fini(struct fbx_surface *surface);

/* The layer of texture coordinates with this name, else the `place`-th of those that there are (0 or 1), else NULL. */
const struct fbx_layer_element *fbx_surface_uvs(const struct fbx_surface *surface, struct fbx_span name, int place);
