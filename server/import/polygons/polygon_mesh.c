#include "import/polygons/polygon_mesh.h"

#include "base/mem.h"
#include "import/mesh/mesh_arrays.h"
#include "import/mesh/mesh_writer.h"
#include "import/mesh/vertex_values.h"

#include <stdlib.h>
#include <string.h>

static uint32_t corner_count(const struct polygon_mesh *from)
{
    return from->polygons.starts[from->polygons.polygon_count];
}

/* --- the values of a corner --- */

static const double *value_at(const struct polygon_mesh *from, const struct corner_values *values, uint32_t corner,
                              uint32_t component_count)
{
    const uint32_t index = values->of_corner != NULL ? values->of_corner[corner] : from->polygons.corners[corner];
    return values->values + (size_t)index * component_count;
}

static bool file_normal(const struct polygon_mesh *from, uint32_t corner, struct vec3 *out)
{
    if (from->normals.values == NULL)
        return false;
    double normal[3];
    if (!unit_direction(value_at(from, &from->normals, corner, 3), normal))
        return false;
    *out = (struct vec3){(float)normal[0] + 0.0f, (float)normal[1] + 0.0f, (float)normal[2] + 0.0f}; /* -0 is 0 */
    return true;
}

static struct mesh_vertex vertex_of(const struct polygon_mesh *from, const struct vec3 *normals, const uint32_t *places,
                                    uint32_t corner)
{
    struct mesh_vertex vertex = {.point = places[from->polygons.corners[corner]], .rgba = RGBA16_WHITE};
    if (!file_normal(from, corner, &vertex.normal))
        vertex.normal = normals != NULL ? normals[corner] : (struct vec3){0, 0, 1};
    if (from->texcoords.values != NULL) {
        const double *uv = value_at(from, &from->texcoords, corner, 2);
        vertex.texcoords[0] = (struct vec2){(float)uv[0], (float)(1 - uv[1])}; /* rows go down */
    }
    if (from->colors.values != NULL) {
        const double *color = value_at(from, &from->colors, corner, 4);
        vertex.rgba = vertex_color_from_srgb(color[0], color[1], color[2], color[3]);
    }
    return vertex;
}

/* --- normals --- */

static bool lacks_normals(const struct polygon_mesh *from)
{
    struct vec3 normal;
    for (uint32_t c = 0; c < corner_count(from); c++)
        if (!file_normal(from, c, &normal))
            return true;
    return false;
}

/* Coinciding points count as one, because files duplicate points along texture seams. */
static struct vec3 *make_normals(const struct polygon_mesh *from, const uint32_t *places)
{
    const uint32_t count = corner_count(from);
    struct vec3 *normals = mem_alloc(count * sizeof *normals);
    uint32_t *corners = mem_alloc(count * sizeof *corners);
    for (uint32_t c = 0; c < count; c++)
        corners[c] = places[from->polygons.corners[c]];
    struct polygons merged = from->polygons;
    merged.corners = corners;
    corner_normals(&merged, &from->smoothing, normals);
    for (uint32_t c = 0; from->is_clockwise && c < count; c++)
        normals[c] = (struct vec3){0 - normals[c].x, 0 - normals[c].y, 0 - normals[c].z};
    free(corners);
    return normals;
}

/* --- the primitive --- */

static void write_polygons(struct mesh_writer *writer, const struct polygon_mesh *from, const struct vec3 *normals,
                           const uint32_t *places)
{
    mesh_writer_start(writer, corner_count(from));
    for (uint32_t p = 0; p < from->polygons.polygon_count; p++) {
        for (uint32_t c = from->polygons.starts[p]; c < from->polygons.starts[p + 1]; c++) {
            const struct mesh_vertex vertex = vertex_of(from, normals, places, c);
            mesh_writer_corner(writer, &vertex);
        }
        mesh_writer_close(writer);
    }
}

static int put_primitive(struct mesh_writer *writer, struct primitive *primitive, struct err *err)
{
    if (mesh_writer_put(writer, primitive, err) < 0)
        return err->code;
    writer->import->builder->meshes[primitive->mesh].primitive_count++;
    return mesh_put(writer->import, primitive, writer->where, err);
}

int polygon_mesh_add(struct import *import, const struct polygon_mesh *from, uint32_t mesh, int32_t material,
                     const char *where, struct err *err)
{
    const uint32_t corners = corner_count(from);
    /* Each corner becomes at least one index, so the limit is checked before any allocation. */
    if (import_check_limit(import, LIMIT_INDICES, import->builder->index_count, corners, where, err) < 0)
        return err->code;
    struct mesh_writer writer = {
        .import = import, .where = where, .points = from->polygons.points, .is_clockwise = from->is_clockwise};
    uint32_t *places = mesh_first_points(from->polygons.points, from->polygons.point_count, NULL);
    struct vec3 *normals =
        from->topology == TOPOLOGY_TRIANGLES && lacks_normals(from) ? make_normals(from, places) : NULL;
    struct primitive primitive = {
        .mesh = mesh,
        .topology = from->topology,
        .material = material,
        .flags = (normals == NULL && from->normals.values != NULL ? PRIMITIVE_FILE_NORMALS : 0u) |
                 (from->texcoords.values != NULL ? PRIMITIVE_TEXCOORDS : 0u) |
                 (from->colors.values != NULL ? PRIMITIVE_COLORS : 0u),
    };
    write_polygons(&writer, from, normals, places);
    const int rc = mesh_writer_end(&writer) ? put_primitive(&writer, &primitive, err) : 0;
    mesh_writer_fini(&writer);
    free(normals);
    free(places);
    return rc;
}

int polygon_mesh_add_root(struct import *import, struct str name, struct err *err)
{
    struct bake_builder *builder = import->builder;
    const uint32_t n = builder->node_count, m = builder->mesh_count;
    const struct mesh mesh = {.name = name, .primitive_first = builder->primitive_count};
    const struct node node = {.name = name,
                              .parent = -1,
                              .mesh = (int32_t)m,
                              .skin = -1,
                              .matrix = -1,
                              .rotation = {0, 0, 0, 1},
                              .scale = {1, 1, 1}};
    if (import_check_limit(import, LIMIT_NODES, n, 1, "a mesh", err) < 0 || import_put_mesh(import, &mesh, err) < 0 ||
        import_put_node(import, &node, err) < 0 || import_put_root(import, &n, err) < 0)
        return err->code;
    return (int)m;
}

int polygon_mesh_add_material(struct import *import, int32_t texture, struct err *err)
{
    struct material material = MATERIAL_PLAIN;
    material.flags |= MATERIAL_DOUBLE_SIDED;
    material.textures[TEXTURE_BASE_COLOR].texture = texture;
    const int index = (int)import->builder->material_count;
    return import_put_material(import, &material, err) < 0 ? err->code : index;
}
