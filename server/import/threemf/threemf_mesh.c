/* threemf_mesh.c - converts the triangles of an object to a mesh with one primitive per material. The format has no
 * normals. */
#include "import/threemf/threemf.h"

#include "anim/model/color.h"
#include "base/mem.h"
#include "import/mesh/corner_normals.h"
#include "import/mesh/mesh_arrays.h"
#include "import/mesh/mesh_writer.h"

#include <stdlib.h>
#include <string.h>

/* A mesh with more colours than this, or with colours that vary within a triangle, uses vertex colours. */
enum { COLORS_MAX = 64 };

struct mesh_maker {
    struct threemf *threemf;
    uint32_t object;
    bool is_by_vertex;    /* colours other than base materials become vertex colours */
    int32_t *materials;   /* [triangle_count] */
    uint32_t *order;      /* triangles by material */
    struct vec3 *normals; /* [3 * triangle_count] */
    struct mesh_writer writer;
};

/* --- which colours are materials --- */

static bool is_even(const struct threemf_paint *paint)
{
    return memcmp(paint->colors[0], paint->colors[1], sizeof *paint->colors) == 0 &&
           memcmp(paint->colors[0], paint->colors[2], sizeof *paint->colors) == 0;
}

static bool needs_vertex_colors(struct threemf *threemf, uint32_t o)
{
    const struct threemf_object *object = &threemf->objects[o];
    double colors[COLORS_MAX][4];
    uint32_t count = 0, last = 0;
    for (uint32_t t = 0; t < object->triangle_count; t++) {
        struct threemf_paint paint;
        threemf_paint_of(threemf, o, &object->triangles[t], &paint);
        if (!paint.is_there || paint.base != THREEMF_NONE)
            continue;
        if (!is_even(&paint))
            return true;
        if (last < count && memcmp(colors[last], paint.colors[0], sizeof *colors) == 0)
            continue;
        for (last = 0; last < count && memcmp(colors[last], paint.colors[0], sizeof *colors) != 0;)
            last++;
        if (last == COLORS_MAX)
            return true;
        if (last == count)
            memcpy(colors[count++], paint.colors[0], sizeof *colors);
    }
    return false;
}

static bool is_colored_by_vertex(const struct mesh_maker *maker, const struct threemf_paint *paint)
{
    return maker->is_by_vertex && paint->is_there && paint->base == THREEMF_NONE;
}

static int compare_triangles(const void *a, const void *b, void *user)
{
    const int32_t *materials = user;
    const uint32_t i = *(const uint32_t *)a, k = *(const uint32_t *)b;
    if (materials[i] != materials[k])
        return materials[i] < materials[k] ? -1 : 1;
    return i < k ? -1 : i > k;
}

static int find_materials(struct mesh_maker *maker, struct err *err)
{
    const struct threemf_object *object = &maker->threemf->objects[maker->object];
    maker->is_by_vertex = needs_vertex_colors(maker->threemf, maker->object);
    for (uint32_t t = 0; t < object->triangle_count; t++) {
        struct threemf_paint paint;
        threemf_paint_of(maker->threemf, maker->object, &object->triangles[t], &paint);
        const int material = threemf_material_of(maker->threemf, &paint, is_colored_by_vertex(maker, &paint), err);
        if (material < -1)
            return material;
        maker->materials[t] = material;
        maker->order[t] = t;
    }
    qsort_r(maker->order, object->triangle_count, sizeof *maker->order, compare_triangles, maker->materials);
    return 0;
}

/* --- normals --- */

static void make_normals(struct mesh_maker *maker)
{
    const struct threemf_object *object = &maker->threemf->objects[maker->object];
    const uint32_t count = object->triangle_count;
    /* smooths even files that give each triangle its own points */
    uint32_t *places = mesh_first_points((const double(*)[3])object->points, object->point_count, NULL);
    uint32_t *corners = mem_alloc(3 * (size_t)count * sizeof *corners),
             *starts = mem_alloc(((size_t)count + 1) * sizeof *starts);
    for (uint32_t t = 0; t < count; t++) {
        starts[t] = 3 * t;
        for (uint32_t i = 0; i < 3; i++)
            corners[3 * (size_t)t + i] = places[object->triangles[t].points[i]];
    }
    starts[count] = 3 * count;
    const struct polygons polygons = {.points = (const double(*)[3])object->points,
                                      .corners = corners,
                                      .starts = starts,
                                      .point_count = object->point_count,
                                      .polygon_count = count};
    corner_normals(&polygons, &(struct smoothing){.kind = SMOOTHING_BY_ANGLE}, maker->normals);
    free(places);
    free(corners);
    free(starts);
}

/* --- vertices --- */

static void check_tiling(struct mesh_maker *maker, const struct threemf_paint *paint)
{
    struct threemf_group *texture = &maker->threemf->groups[paint->texture];
    bool is_outside = false;
    if (!texture->is_untiled || texture->is_warned)
        return;
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 2; k++)
            is_outside |= paint->texcoords[i][k] < 0 || paint->texcoords[i][k] > 1;
    texture->is_warned = is_outside;
    if (is_outside)
        bake_warn(maker->threemf->import->builder, "material_approximated",
                  "texture '%.200s' ends within a triangle: the colour of its edge goes on there", texture->path);
}

static void add_triangle(struct mesh_maker *maker, uint32_t t)
{
    const struct threemf_triangle *triangle = &maker->threemf->objects[maker->object].triangles[t];
    struct threemf_paint paint;
    threemf_paint_of(maker->threemf, maker->object, triangle, &paint);
    if (paint.texture != THREEMF_NONE)
        check_tiling(maker, &paint);
    for (uint32_t i = 0; i < 3; i++) {
        struct mesh_vertex vertex = {
            .point = triangle->points[i], .normal = maker->normals[3 * (size_t)t + i], .rgba = RGBA16_WHITE};
        if (is_colored_by_vertex(maker, &paint))
            vertex.rgba = rgba16_of(paint.colors[i][0], paint.colors[i][1], paint.colors[i][2], paint.colors[i][3]);
        if (paint.texture != THREEMF_NONE)
            vertex.texcoords[0] = (struct vec2){(float)paint.texcoords[i][0], (float)paint.texcoords[i][1]};
        mesh_writer_corner(&maker->writer, &vertex);
    }
    mesh_writer_close(&maker->writer);
}

/* --- primitives --- */

static int add_primitive(struct mesh_maker *maker, const uint32_t *triangles, uint32_t count, struct err *err)
{
    struct import *import = maker->threemf->import;
    mesh_writer_start(&maker->writer, 3 * (size_t)count);
    for (uint32_t i = 0; i < count; i++)
        add_triangle(maker, triangles[i]);
    if (!mesh_writer_end(&maker->writer))
        return 0;
    struct threemf_paint paint;
    threemf_paint_of(maker->threemf, maker->object, &maker->threemf->objects[maker->object].triangles[triangles[0]],
                     &paint);
    struct primitive primitive = {.mesh = import->builder->mesh_count - 1,
                                  .topology = TOPOLOGY_TRIANGLES,
                                  .material = maker->materials[triangles[0]],
                                  .flags = (is_colored_by_vertex(maker, &paint) ? PRIMITIVE_COLORS : 0u) |
                                           (paint.texture != THREEMF_NONE ? PRIMITIVE_TEXCOORDS : 0u)};
    return mesh_writer_put(&maker->writer, &primitive, err) < 0
               ? err->code
               : mesh_put(import, &primitive, maker->writer.where, err);
}

static int add_primitives(struct mesh_maker *maker, struct err *err)
{
    const uint32_t count = maker->threemf->objects[maker->object].triangle_count;
    for (uint32_t begin = 0, end; begin < count; begin = end) {
        const int32_t material = maker->materials[maker->order[begin]];
        for (end = begin + 1; end < count && maker->materials[maker->order[end]] == material;)
            end++;
        if (add_primitive(maker, maker->order + begin, end - begin, err) < 0)
            return err->code;
    }
    return 0;
}

int threemf_make_mesh(struct threemf *threemf, uint32_t o, struct err *err)
{
    struct import *import = threemf->import;
    struct threemf_object *object = &threemf->objects[o];
    const size_t count = object->triangle_count;
    const struct mesh mesh = {.name = object->name, .primitive_first = import->builder->primitive_count};
    const struct threemf_label label = threemf_label_of(threemf, o);
    struct mesh_maker maker = {
        .threemf = threemf,
        .object = o,
        .materials = mem_alloc(count * sizeof(int32_t)),
        .order = mem_alloc(count * sizeof(uint32_t)),
        .normals = mem_alloc(3 * count * sizeof(struct vec3)),
        .writer = {.import = import, .where = label.text, .points = (const double(*)[3])object->points}};
    object->mesh = (int32_t)import->builder->mesh_count;
    make_normals(&maker);
    int rc = find_materials(&maker, err);
    if (rc == 0)
        rc = import_put_mesh(import, &mesh, err);
    if (rc == 0)
        rc = add_primitives(&maker, err);
    if (rc == 0)
        import->builder->meshes[object->mesh].primitive_count = import->builder->primitive_count - mesh.primitive_first;
    free(maker.materials);
    free(maker.order);
    free(maker.normals);
    mesh_writer_fini(&maker.writer);
    return rc;
}
