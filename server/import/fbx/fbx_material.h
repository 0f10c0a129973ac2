/* fbx_material.h - materials of an FBX file, and which of them a node's polygons have. One thread. */
#pragma once

#include "import/fbx/fbx.h"
#include "import/fbx_surface/fbx_surface.h"

/* The layers of texture coordinates that a material's textures name, for texcoords and second_texcoords. */
struct fbx_material_uvs {
    struct fbx_span names[2]; /* empty: the first of the surface */
    bool is_used[2];
};

/* The materials of a Model in the order of its links, then those that only its geometry or the first instance of that
 * is linked to: what LayerElementMaterial counts. */
struct fbx_slots {
    int32_t *materials; /* [count], of the builder; heap */
    uint32_t count;
};

/* Of a node with a mesh. Files link materials to the geometry, or to the first of its instances alone: they are those
 * of each instance that has fewer. `first`: of the first node that shows the geometry, or NULL: it is this one. */
void fbx_slots_of(const struct fbx *fbx, uint32_t node, const struct fbx_slots *first, struct fbx_slots *slots);
void fbx_slots_fini(struct fbx_slots *slots);

/* The layers of a surface that the material's textures lie by, for texcoords and second_texcoords; NULL: none. Without
 * a material (-1) the first two, and the first where it has no textures. */
void fbx_corner_uvs(const struct fbx *fbx, int32_t material, const struct fbx_surface *surface,
                    const struct fbx_layer_element *uvs[2]);
