/* fbx_material.h - the materials of an FBX file, and the material of each of a node's polygons. Single-threaded. */
#pragma once

#include "import/fbx/fbx.h"
#include "import/fbx_surface/fbx_surface.h"

/* The UV layers that a material's textures name, for texcoords and second_texcoords. */
struct fbx_material_uvs {
    struct fbx_span names[2]; /* empty: the surface's first layer */
    bool is_used[2];
};

/* The materials that LayerElementMaterial indexes: first those linked to the Model, in the order of its links, then
 * those linked only to its geometry or to the geometry's first instance. */
struct fbx_slots {
    int32_t *materials; /* [count]: builder materials; heap */
    uint32_t count;
};

/* Gets the slots of a node with a mesh. Files may link materials only to the geometry or to its first instance; an
 * instance with fewer materials then uses these too. `first` holds the slots of the first node that shows the geometry,
 * or is NULL if `node` is that node. */
void fbx_slots_of(const struct fbx *fbx, uint32_t node, const struct fbx_slots *first, struct fbx_slots *slots);
void fbx_slots_fini(struct fbx_slots *slots);

/* The UV layers of a surface that the material's textures use, for texcoords and second_texcoords, or NULL. Without a
 * material (-1), these are the first two layers. A material without textures uses the first layer. */
void fbx_corner_uvs(const struct fbx *fbx, int32_t material, const struct fbx_surface *surface,
                    const struct fbx_layer_element *uvs[2]);
