#include "import/x3d/x3d.h"

#include "base/mem.h"

#include <stdlib.h>

void x3d_surface_fini(struct x3d_surface *surface)
{
    free(surface->points);
    free(surface->corners);
    free(surface->slots);
    free(surface->starts);
    free(surface->faces);
    free(surface->normals);
    free(surface->texcoords);
    free(surface->colors);
    free(surface->normal_of);
    free(surface->texcoord_of);
    free(surface->color_of);
    *surface = (struct x3d_surface){0};
}

int x3d_add_polygon(const struct x3d *x3d, struct x3d_surface *surface, const uint32_t *points, const uint32_t *slots,
                    uint32_t count, uint32_t face, struct err *err)
{
    const uint32_t first = surface->corner_count;
    const size_t corner_count = (size_t)first + count, polygon_count = (size_t)surface->polygon_count + 1;
    if (import_check_limit(x3d->import, LIMIT_INDICES, first, count, "the geometry", err) < 0)
        return err->code;
    surface->corners = mem_grow(surface->corners, &surface->corner_capacity, corner_count, sizeof *surface->corners);
    surface->slots = mem_grow(surface->slots, &surface->slot_capacity, corner_count, sizeof *surface->slots);
    surface->starts = mem_grow(surface->starts, &surface->start_capacity, polygon_count + 1, sizeof *surface->starts);
    surface->faces = mem_grow(surface->faces, &surface->face_capacity, polygon_count, sizeof *surface->faces);
    for (uint32_t i = 0; i < count; i++) {
        surface->corners[first + i] = points[i];
        surface->slots[first + i] = slots != NULL ? slots[i] : first + i;
    }
    surface->faces[surface->polygon_count] = face;
    surface->starts[0] = 0;
    surface->starts[polygon_count] = (uint32_t)corner_count;
    surface->corner_count = (uint32_t)corner_count;
    surface->polygon_count = (uint32_t)polygon_count;
    return 0;
}
