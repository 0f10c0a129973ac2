/* threemf_mesh.c - the triangles of an object to a mesh: a primitive for each material. The format has no normals. */
#include "import/threemf/threemf.h"

#include "anim/model/rgba8.h"
#include "base/hash.h"
#include "base/mem.h"
#include "import/mesh/corner_normals.h"
#include "import/mesh/vertex_set.h"

#include <stdlib.h>
#include <string.h>

/* A mesh with more colours than this, or with colours that change within a triangle, has them at its vertices: there
 * they have eight bits in linear light. */
enum { COLORS_MAX = 64 };

/* What makes two corners one vertex; without padding. */
struct vertex {
    uint32_t point;
    struct vec3 normal;
    struct rgba8 color;
    struct vec2 texcoord;
};

struct mesh_maker {
    struct threemf *threemf;
    uint32_t object;
    bool is_by_vertex;    /* colours that are no materials are those of vertices */
    int32_t *materials;   /* [triangle_count] */
    uint32_t *order;      /* triangles by material */
    struct vec3 *normals; /* [3 * triangle_count] */
    struct vertex *vertices;
    uint32_t *indices; /* of a primitive, as the vertices */
    uint32_t vertex_count, index_count;
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

/* For each point the first one at the same place: files that give each triangle its own points are smooth all the same.
 */
static uint32_t *find_places(const struct threemf_object *object)
{
    uint32_t *places = mem_alloc(object->point_count * sizeof *places);
    struct vertex_set set;
    vertex_set_init(&set, object->point_count);
    for (uint32_t p = 0; p < object->point_count; p++) {
        double at[3];
        for (int k = 0; k < 3; k++)
            at[k] = object->points[p][k] + 0.0; /* -0 is 0 */
        uint32_t *slot = vertex_set_first(&set, hash64(HASH64_SEED, at, sizeof at));
        while (*slot != VERTEX_NONE) {
            const double *other = object->points[*slot];
            if (!(other[0] < at[0] || other[0] > at[0] || other[1] < at[1] || other[1] > at[1] || other[2] < at[2] ||
                  other[2] > at[2]))
                break;
            slot = vertex_set_next(&set, slot);
        }
        if (*slot == VERTEX_NONE)
            *slot = p;
        places[p] = *slot;
    }
    free(set.slots);
    return places;
}

static void make_normals(struct mesh_maker *maker)
{
    const struct threemf_object *object = &maker->threemf->objects[maker->object];
    const uint32_t count = object->triangle_count;
    uint32_t *places = find_places(object);
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

static void add_triangle(struct mesh_maker *maker, struct vertex_set *set, uint32_t t)
{
    const struct threemf_triangle *triangle = &maker->threemf->objects[maker->object].triangles[t];
    struct threemf_paint paint;
    threemf_paint_of(maker->threemf, maker->object, triangle, &paint);
    if (paint.texture != THREEMF_NONE)
        check_tiling(maker, &paint);
    for (uint32_t i = 0; i < 3; i++) {
        struct vertex vertex = {
            .point = triangle->points[i], .normal = maker->normals[3 * (size_t)t + i], .color = {255, 255, 255, 255}};
        if (is_colored_by_vertex(maker, &paint))
            vertex.color = rgba8_of(paint.colors[i][0], paint.colors[i][1], paint.colors[i][2], paint.colors[i][3]);
        if (paint.texture != THREEMF_NONE)
            vertex.texcoord = (struct vec2){(float)paint.texcoords[i][0], (float)paint.texcoords[i][1]};
        uint32_t *slot = vertex_set_first(set, hash64(HASH64_SEED, &vertex, sizeof vertex));
        while (*slot != VERTEX_NONE && memcmp(&maker->vertices[*slot], &vertex, sizeof vertex) != 0)
            slot = vertex_set_next(set, slot);
        if (*slot == VERTEX_NONE) {
            maker->vertices[maker->vertex_count] = vertex;
            *slot = maker->vertex_count++;
        }
        maker->indices[maker->index_count++] = *slot;
    }
}

/* --- the builder's arrays --- */

/* How many elements an array needs that the model has for all vertices or for none: the first primitive that has some
 * fills up those before it. The positions of this one are there already. */
static uint32_t missing(const struct mesh_maker *maker, uint32_t have, bool is_wanted)
{
    return is_wanted || have > 0 ? maker->threemf->import->builder->position_count - have : 0;
}

static int put_vertices(const struct mesh_maker *maker, const struct primitive *primitive, struct err *err)
{
    struct import *import = maker->threemf->import;
    struct bake_builder *builder = import->builder;
    const struct threemf_object *object = &maker->threemf->objects[maker->object];
    const uint32_t count = maker->vertex_count, first = builder->position_count;
    struct vec3 *positions = bake_add_position(builder, count), *normals = bake_add_normal(builder, count);
    uint32_t *influence_firsts = bake_add_influence_first(builder, count);
    const bool has_colors = (primitive->flags & PRIMITIVE_COLORS) != 0,
               has_texcoords = (primitive->flags & PRIMITIVE_TEXCOORDS) != 0;
    const uint32_t missing_colors = missing(maker, builder->color_count, has_colors);
    struct rgba8 *colors = bake_add_color(builder, missing_colors);
    if (positions == NULL || normals == NULL || influence_firsts == NULL || colors == NULL ||
        bake_add_texcoord(builder, missing(maker, builder->texcoord_count, has_texcoords)) == NULL)
        return import_full(import, err);
    memset(colors, 0xff, missing_colors * sizeof *colors);
    for (uint32_t v = 0; v < count; v++) {
        const struct vertex *vertex = &maker->vertices[v];
        const double *at = object->points[vertex->point];
        positions[v] = (struct vec3){(float)at[0], (float)at[1], (float)at[2]};
        normals[v] = vertex->normal;
        influence_firsts[v] = builder->influence_count;
        if (has_colors)
            builder->colors[first + v] = vertex->color;
        if (has_texcoords)
            builder->texcoords[first + v] = vertex->texcoord;
    }
    return 0;
}

static int add_primitive(struct mesh_maker *maker, const uint32_t *triangles, uint32_t count, struct err *err)
{
    struct import *import = maker->threemf->import;
    struct bake_builder *builder = import->builder;
    const char *where = THREEMF_OBJECT_TEXT(maker->threemf, maker->object);
    struct vertex_set set;
    vertex_set_init(&set, 3 * (size_t)count);
    maker->vertex_count = maker->index_count = 0;
    for (uint32_t i = 0; i < count; i++)
        add_triangle(maker, &set, triangles[i]);
    free(set.slots);
    struct primitive primitive = {.mesh = builder->mesh_count - 1,
                                  .topology = TOPOLOGY_TRIANGLES,
                                  .vertex_first = builder->position_count,
                                  .vertex_count = maker->vertex_count,
                                  .index_first = builder->index_count,
                                  .index_count = maker->index_count,
                                  .material = maker->materials[triangles[0]]};
    struct threemf_paint paint;
    threemf_paint_of(maker->threemf, maker->object, &maker->threemf->objects[maker->object].triangles[triangles[0]],
                     &paint);
    primitive.flags = (is_colored_by_vertex(maker, &paint) ? PRIMITIVE_COLORS : 0u) |
                      (paint.texture != THREEMF_NONE ? PRIMITIVE_TEXCOORDS : 0u);
    if (import_check_limit(import, LIMIT_VERTICES, builder->position_count, maker->vertex_count, where, err) < 0 ||
        import_check_limit(import, LIMIT_INDICES, builder->index_count, maker->index_count, where, err) < 0 ||
        put_vertices(maker, &primitive, err) < 0)
        return err->code;
    uint32_t *indices = bake_add_index(builder, maker->index_count);
    if (indices == NULL)
        return import_full(import, err);
    memcpy(indices, maker->indices, maker->index_count * sizeof *indices);
    return import_put_primitive(import, &primitive, err);
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
    struct mesh_maker maker = {.threemf = threemf,
                               .object = o,
                               .materials = mem_alloc(count * sizeof(int32_t)),
                               .order = mem_alloc(count * sizeof(uint32_t)),
                               .normals = mem_alloc(3 * count * sizeof(struct vec3)),
                               .vertices = mem_alloc(3 * count * sizeof(struct vertex)),
                               .indices = mem_alloc(3 * count * sizeof(uint32_t))};
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
    free(maker.vertices);
    free(maker.indices);
    return rc;
}
