/* fbx_surface.h - the polygons of one Geometry as stored in the file: control points, corners and layer elements.
 * Single-threaded. */
#pragma once

#include "import/fbx_surface/fbx_layer_element.h"

#include "base/limits.h"

enum { FBX_UV_SETS = 8 }; /* limit per surface; further sets are ignored */

/* Heap arrays, freed by fbx_surface_fini(). */
struct fbx_surface {
    double (*points)[3];   /* [size.point_count], in geometry space */
    uint32_t *corners;     /* [size.corner_count]: control points */
    uint32_t *starts;      /* [size.polygon_count + 1]: the first corner of each polygon */
    uint32_t *edge_starts; /* [edge_count]: the corner at which an edge begins; NULL if the file has no edges */
    uint32_t edge_count;
    struct fbx_surface_size size;
    struct fbx_layer_element normals, tangents, binormals, colors, materials, smoothing;
    struct fbx_layer_element uvs[FBX_UV_SETS];
    uint32_t uv_count;
    bool has_more_colors; /* than `colors` */
};

/* Reads the Geometry `object`. A Geometry without polygons gives size.polygon_count 0. Returns 0, ERR_BAD_MODEL (names
 * the byte and the record, for example for an index beyond the control points) or ERR_MODEL_LIMIT. The caller calls
 * fbx_surface_fini() in any case. */
int fbx_surface_read(struct fbx_surface *surface, const struct fbx_scene *scene, uint32_t object, struct err *err);
void fbx_surface_fini(struct fbx_surface *surface);

/* The UV layer with this name, else the existing layer number `place` (0 or 1), else NULL. */
const struct fbx_layer_element *fbx_surface_uvs(const struct fbx_surface *surface, struct fbx_span name, int place);
