#include "import/polygons/facets.h"

#include "anim/model/mat.h"
#include "base/mem.h"

#include <stdlib.h>
#include <string.h>

void facets_fini(struct facets *facets)
{
    free(facets->points);
    free(facets->normals);
    free(facets->colors);
    *facets = (struct facets){0};
}

void facets_add(struct facets *facets, const double normal[3], const double points[3][3])
{
    const size_t count = facets->count;
    facets->points = mem_grow(facets->points, &facets->point_capacity, 3 * (count + 1), sizeof *facets->points);
    facets->normals = mem_grow(facets->normals, &facets->normal_capacity, count + 1, sizeof *facets->normals);
    memcpy(facets->points[3 * count], points, sizeof(double[3][3]));
    memcpy(facets->normals[count], normal, sizeof *facets->normals);
    facets->count++;
}

static bool has_normals(const struct facets *facets)
{
    for (uint32_t f = 0; f < facets->count; f++)
        if (dot3(facets->normals[f], facets->normals[f]) > 0)
            return true;
    return false;
}

int facets_add_mesh(struct import *import, const struct facets *facets, struct str name, const char *where,
                    struct err *err)
{
    const uint32_t count = facets->count;
    if (count == 0)
        return 0;
    if (import_check_limit(import, LIMIT_INDICES, import->builder->index_count, 3 * (uint64_t)count, where, err) < 0)
        return err->code;
    const int material =
        import->builder->material_count > 0 ? 0 : polygon_mesh_add_material(import, -1, err); /* all solids share it */
    const int mesh = material < 0 ? material : polygon_mesh_add_root(import, name, err);
    if (mesh < 0)
        return mesh;
    const bool is_flat = has_normals(facets);
    uint32_t *corners = mem_alloc(3 * (size_t)count * sizeof *corners);
    uint32_t *facet_of = mem_alloc(3 * (size_t)count * sizeof *facet_of);
    uint32_t *starts = mem_alloc(((size_t)count + 1) * sizeof *starts);
    for (uint32_t c = 0; c < 3 * count; c++) {
        corners[c] = c;
        facet_of[c] = c / 3;
    }
    for (uint32_t f = 0; f <= count; f++)
        starts[f] = 3 * f;
    const struct polygon_mesh from = {
        .polygons = {(const double(*)[3])facets->points, corners, starts, 3 * count, count},
        .topology = TOPOLOGY_TRIANGLES,
        .smoothing = {.kind = is_flat ? SMOOTHING_BY_CREASE : SMOOTHING_BY_ANGLE, .crease_cosine = 1},
        .normals = {is_flat ? facets->normals[0] : NULL, facet_of},
        .colors = {facets->colors == NULL ? NULL : facets->colors[0], facet_of},
    };
    const int rc = polygon_mesh_add(import, &from, (uint32_t)mesh, material, where, err);
    free(corners);
    free(facet_of);
    free(starts);
    return rc;
}
