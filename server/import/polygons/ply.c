/* ply.c - import_ply(): adds one mesh of faces, else of edges, else of points. */
#include "import/polygons/ply_surface.h"

#include "base/mem.h"
#include "import/polygons/polygon_mesh.h"
#include "import/texture/texture.h"

#include <stdlib.h>

static struct corner_values values_of(const double *values, const uint32_t *of_corner)
{
    return (struct corner_values){values, of_corner};
}

/* Returns 0, 1, 2, ... count, for corners that each have their own value, or for points as polygons. */
static uint32_t *rising(uint32_t count)
{
    uint32_t *out = mem_alloc(((size_t)count + 1) * sizeof *out);
    for (uint32_t i = 0; i <= count; i++)
        out[i] = i;
    return out;
}

static uint32_t *face_of_corners(const struct ply_polygons *faces)
{
    uint32_t *out = mem_alloc(faces->corner_count * sizeof *out);
    for (uint32_t f = 0; f < faces->count; f++)
        for (uint32_t c = faces->starts[f]; c < faces->starts[f + 1]; c++)
            out[c] = f;
    return out;
}

static int add(struct import *import, const struct ply_surface *surface, int32_t material, struct err *err)
{
    const int mesh = polygon_mesh_add_root(import, (struct str){.offset = STR_NONE}, err);
    if (mesh < 0)
        return mesh;
    const bool has_faces = surface->faces.count > 0, has_edges = surface->edges.count > 0;
    const struct ply_polygons *polygons = has_faces ? &surface->faces : &surface->edges;
    uint32_t *own = rising(has_faces ? surface->faces.corner_count : surface->vertex_count);
    uint32_t *faces = has_faces && surface->face_colors != NULL ? face_of_corners(&surface->faces) : NULL;
    struct polygon_mesh from = {
        .polygons = {(const double(*)[3])surface->points, polygons->corners, polygons->starts, surface->vertex_count,
                     polygons->count},
        .topology = has_faces   ? TOPOLOGY_TRIANGLES
                    : has_edges ? TOPOLOGY_LINES
                                : TOPOLOGY_POINTS,
        .smoothing = {.kind = SMOOTHING_BY_ANGLE},
        .normals = values_of((const double *)surface->normals, NULL),
        .texcoords = values_of((const double *)surface->texcoords, NULL),
        .colors = values_of((const double *)surface->colors, NULL),
    };
    if (!has_faces && !has_edges)
        from.polygons = (struct polygons){(const double(*)[3])surface->points, own, own, surface->vertex_count,
                                          surface->vertex_count};
    if (has_faces && surface->corner_texcoords != NULL)
        from.texcoords = values_of((const double *)surface->corner_texcoords, own);
    if (faces != NULL && surface->colors == NULL)
        from.colors = values_of((const double *)surface->face_colors, faces);
    const int rc = polygon_mesh_add(import, &from, (uint32_t)mesh, material, "the surface", err);
    free(own);
    free(faces);
    return rc;
}

/* Returns the material's index, or an ERR_. */
static int add_material(struct import *import, const struct ply_header *header, struct err *err)
{
    if (header->texture[0] == '\0')
        return polygon_mesh_add_material(import, -1, err);
    const struct texture_request request = {.uri = header->texture, .content = TEXTURE_COLORS};
    const int texture = texture_add(import, &request, err);
    return texture < 0 ? texture : polygon_mesh_add_material(import, texture, err);
}

int import_ply(struct import *import, struct err *err)
{
    struct ply_header *header = mem_alloc(sizeof *header);
    struct ply_surface surface = {0};
    int rc = ply_header_read(header, import->bytes, import->size_bytes, err);
    if (rc == 0)
        rc = ply_surface_read(&surface, import, header, err);
    if (rc == 0 && surface.vertex_count == 0)
        rc = err_set(err, ERR_BAD_MODEL, "the file holds no vertex");
    if (surface.faces_left_out > 0)
        bake_warn(import->builder, "indices_trimmed", "%u faces of fewer than three corners are left out",
                  surface.faces_left_out);
    if (rc == 0)
        rc = add_material(import, header, err);
    if (rc >= 0)
        rc = add(import, &surface, rc, err);
    ply_surface_fini(&surface);
    free(header);
    return rc == 0 && import->builder->is_failed ? import_full(import, err) : rc;
}
