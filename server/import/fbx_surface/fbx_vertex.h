/* fbx_vertex.h - the attributes of polygons' corners. One thread. */
#pragma once

#include "import/fbx_surface/fbx_surface.h"

#include "import/mesh/mesh_writer.h"

/* Where the attributes of corners come from. */
struct fbx_corner_reader {
    const struct fbx_surface *surface;
    const struct fbx_layer_element *uvs[2]; /* of the material, or NULL */
    struct vec3 *made_normals;      /* [corner_count] for corners without one in the file, or NULL: all have one */
    double normal_from_geometry[9]; /* what normals are multiplied by, by columns: the inverse transpose of what
                                       positions are multiplied by */
    bool is_tangent_wanted;
};

/* The corner `corner` of `polygon` as a vertex. Colours are sRGB as the file has them; what is not finite is 0. */
struct mesh_vertex fbx_vertex_of(const struct fbx_corner_reader *reader, uint32_t polygon, uint32_t corner);

/* Whether some corner has no usable normal in the file. */
bool fbx_lacks_normals(const struct fbx_surface *surface);
/* [corner_count], heap: smooth normals by the file's smoothing groups or edges, else by angle. */
struct vec3 *fbx_make_normals(const struct fbx_surface *surface);
