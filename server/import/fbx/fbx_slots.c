/* fbx_slots.c - the materials of a Model, and the layers of texture coordinates that a material's textures lie by. */
#include "import/fbx/fbx_material.h"

#include "base/mem.h"

#include <stdlib.h>

void fbx_slots_of(const struct fbx *fbx, uint32_t node, struct fbx_slots *slots)
{
    uint32_t count;
    const struct fbx_link *links = fbx_children(&fbx->scene, fbx->object_of[node], &count);
    *slots = (struct fbx_slots){0};
    if (count == 0 || fbx->material_of == NULL)
        return;
    slots->materials = mem_alloc(count * sizeof *slots->materials);
    for (uint32_t i = 0; i < count; i++)
        if (links[i].property.size_bytes == 0 && fbx->material_of[links[i].child] >= 0)
            slots->materials[slots->count++] = fbx->material_of[links[i].child];
}

void fbx_slots_fini(struct fbx_slots *slots)
{
    free(slots->materials);
    *slots = (struct fbx_slots){0};
}

void fbx_corner_uvs(const struct fbx *fbx, int32_t material, const struct fbx_surface *surface,
                    const struct fbx_layer_element *uvs[2])
{
    const struct fbx_span none = fbx_span_of("");
    if (material < 0 || fbx->material_uvs == NULL) {
        uvs[0] = fbx_surface_uvs(surface, none, 0);
        uvs[1] = fbx_surface_uvs(surface, none, 1);
        return;
    }
    const struct fbx_material_uvs *of = &fbx->material_uvs[material];
    for (int place = 0; place < 2; place++) {
        const bool is_first = !of->is_used[place] || of->names[place].size_bytes == 0;
        uvs[place] = of->is_used[place] || place == 0
                         ? fbx_surface_uvs(surface, is_first ? none : of->names[place], is_first ? 0 : place)
                         : NULL;
    }
}
