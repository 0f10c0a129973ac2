/* fbx_vertex.h - the attributes of polygon corners. Single-threaded. */
#pragma once

#include "import/fbx_surface/fbx_surface.h"

#include "import/mesh/mesh_writer.h"

/* The sources of corner attributes. */
struct fbx_corner_reader {
    const struct fbx_surface *surface;
    const struct fbx_layer_element *uvs[2]; /* the UV layers of the material, or NULL */
    struct vec3 *made_normals;      /* [corner_count]: generated normals for corners without one in the file, or NULL if
                                       every corner has one */
    double normal_from_geometry[9]; /* the column-major matrix for normals: the inverse transpose of the matrix for
                                       positions */
    bool is_tangent_wanted;
};

/* The corner `corner` of `polygon` as a vertex. Colours are sRGB in the file. Non-finite values become 0. */
struct mesh_vertex fbx_vertex_of(const struct fbx_corner_reader *reader, uint32_t polygon, uint32_t corner);

/* Whether a corner has no usable normal in the file. */
bool fbx_lacks_normals(const struct fbx_surface *surface);
/* Makes smooth normals by the file's smoothing groups or edges, else by angle. [corner_count], heap. */
struct vec3 *fbx_make_normals(const struct fbx_surface *surface);
