/* fbx_slots.c - the materials of a Model, and the UV layers that a material's textures use. */
#include "import/fbx/fbx_material.h"

#include "base/mem.h"

#include <stdlib.h>
#include <string.h>

/* A material for each of many polygons' numbers; more are not copied to every instance of a mesh. */
enum { COPIED_MAX = 256 };

/* The materials that are linked to an object. */
static struct fbx_slots linked_to(const struct fbx *fbx, uint32_t object)
{
    uint32_t count;
    const struct fbx_link *links = fbx_children(&fbx->scene, object, &count);
    struct fbx_slots slots = {0};
    if (count == 0)
        return slots;
    slots.materials = mem_alloc(count * sizeof *slots.materials);
    for (uint32_t i = 0; i < count; i++)
        if (links[i].property.size_bytes == 0 && fbx->material_of[links[i].child] >= 0)
            slots.materials[slots.count++] = fbx->material_of[links[i].child];
    return slots;
}

/* The first ones stay. */
static void fill_up(struct fbx_slots *slots, const struct fbx_slots *from)
{
    if (slots->count >= from->count || from->count > COPIED_MAX)
        return;
    slots->materials = mem_realloc(slots->materials, from->count * sizeof *slots->materials);
    memcpy(slots->materials + slots->count, from->materials + slots->count,
           (from->count - slots->count) * sizeof *slots->materials);
    slots->count = from->count;
}

void fbx_slots_of(const struct fbx *fbx, uint32_t node, const struct fbx_slots *first, struct fbx_slots *slots)
{
    *slots = (struct fbx_slots){0};
    if (fbx->material_of == NULL)
        return;
    *slots = linked_to(fbx, fbx->object_of[node]);
    if (first != NULL) {
        fill_up(slots, first);
        return;
    }
    struct fbx_slots own = linked_to(fbx, fbx->geometry_of[node]);
    fill_up(slots, &own);
    fbx_slots_fini(&own);
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
