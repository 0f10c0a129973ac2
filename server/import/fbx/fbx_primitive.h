/* fbx_primitive.h - one mesh while it is read, and its primitives: polygons of one material and one kind, with their
 * vertices. One thread. */
#pragma once

#include "import/fbx/fbx_deform.h"
#include "import/fbx_surface/fbx_vertex.h"
#include "import/mesh/mesh_writer.h"

struct fbx_mesh_reader {
    struct fbx *fbx;
    uint32_t node, geometry; /* of the builder; of the scene's objects */
    uint32_t mesh;           /* of the builder */
    struct fbx_surface surface;
    const struct fbx_weights *weights; /* or NULL: it has no skin */
    struct fbx_blend blend;
    struct fbx_corner_reader corners;
    struct dmat4 out_from_geometry; /* what is baked into the vertices */
    struct mesh_writer writer;      /* of the primitive that is being read */
    uint32_t *places; /* [points] of a shape's control points, UINT32_MAX between shapes; NULL before the first */
};

/* Adds a primitive of these polygons; all have 1 corner (TOPOLOGY_POINTS), 2 (TOPOLOGY_LINES) or more. material: of
 * the builder, or -1. Returns 0, ERR_MODEL_LIMIT or what import_full() does. */
int fbx_add_primitive(struct fbx_mesh_reader *reader, uint32_t topology, int32_t material, const uint32_t *polygons,
                      uint32_t polygon_count, struct err *err);
