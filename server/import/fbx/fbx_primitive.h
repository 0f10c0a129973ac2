/* fbx_primitive.h - the state of reading one mesh, and its primitives: polygons of one material and one topology, with
 * their vertices. Single-threaded. */
#pragma once

#include "import/fbx/fbx_deform.h"
#include "import/fbx_surface/fbx_vertex.h"
#include "import/mesh/mesh_writer.h"

struct fbx_mesh_reader {
    struct fbx *fbx;
    uint32_t node, geometry; /* a builder node; a scene object */
    uint32_t mesh;           /* a builder mesh */
    struct fbx_surface surface;
    const struct fbx_weights *weights; /* NULL without a skin */
    struct fbx_blend blend;
    struct fbx_corner_reader corners;
    struct dmat4 out_from_geometry; /* the transform that is baked into the vertices */
    struct mesh_writer writer;      /* the writer of the current primitive */
    uint32_t *places; /* [points]: the index of a control point in a shape, reset to UINT32_MAX after each shape; NULL
                         before the first shape */
};

/* fbx_document.c: notes the layers of the surface that the current primitive does not have. */
void fbx_drop_layers(const struct fbx_mesh_reader *reader);

/* Adds a primitive of these polygons, each with 1 corner (TOPOLOGY_POINTS), 2 (TOPOLOGY_LINES) or more. `material` is a
 * builder material or -1. Returns 0, ERR_MODEL_LIMIT or the error of import_full(). */
int fbx_add_primitive(struct fbx_mesh_reader *reader, uint32_t topology, int32_t material, const uint32_t *polygons,
                      uint32_t polygon_count, struct err *err);
