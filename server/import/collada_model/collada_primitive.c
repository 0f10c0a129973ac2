/* collada_primitive.c - one part of a geometry as a primitive: vertices, triangles, influences, morph targets. */
#include "import/collada_model/collada_primitive.h"

#include "base/hash.h"
#include "base/mem.h"
#include "import/mesh/vertex_set.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* --- corners to vertices --- */

/* The part of a target that has the same corners, or NULL: only then its normals are of use. */
static const struct collada_part *same_part(const struct collada_mesh_reader *reader, uint32_t t, uint32_t p)
{
    const struct collada_morph_target *target = &reader->targets[t];
    if (!target->is_usable || p >= target->mesh.part_count)
        return NULL;
    const struct collada_part *base = &reader->geometry.parts[p], *part = &target->mesh.parts[p];
    const bool is_same = base->starts[base->face_count] == part->starts[part->face_count];
    return is_same && collada_find_input(part, COLLADA_NORMAL, UINT32_MAX) != NULL ? part : NULL;
}

/* What targets do to the normal at a corner, as a number. */
static uint32_t morph_key(const struct collada_mesh_reader *reader, uint32_t p, uint32_t corner)
{
    uint64_t hash = HASH64_SEED;
    bool is_there = false;
    for (uint32_t t = 0; t < reader->morph.count; t++) {
        const struct collada_part *part = same_part(reader, t, p);
        double normal[3] = {0};
        if (part == NULL)
            continue;
        collada_file_normal(part, collada_find_input(part, COLLADA_NORMAL, UINT32_MAX), corner, normal);
        hash = hash64(hash, normal, sizeof normal);
        is_there = true;
    }
    return is_there ? (uint32_t)hash : 0;
}

static uint32_t vertex_index(struct collada_mesh_reader *reader, const struct collada_corners *corners,
                             struct vertex_set *set, uint32_t p, uint32_t corner)
{
    struct collada_vertex vertex = collada_vertex_of(corners, corner);
    vertex.morph = morph_key(reader, p, corner);
    if (reader->may_weld)
        vertex.position = reader->first_points[vertex.position];
    uint32_t *slot = vertex_set_first(set, hash64(HASH64_SEED, &vertex, sizeof vertex));
    while (*slot != VERTEX_NONE && memcmp(&reader->vertices[*slot], &vertex, sizeof vertex) != 0)
        slot = vertex_set_next(set, slot);
    if (*slot == VERTEX_NONE) {
        reader->vertices[reader->vertex_count] = vertex;
        reader->corner_of[reader->vertex_count] = corner;
        *slot = reader->vertex_count++;
    }
    return *slot;
}

/* Appends the triangles of a face whose corners are `vertices`. */
static void add_triangles(struct collada_mesh_reader *reader, const uint32_t *vertices, const double (*points)[3],
                          uint32_t count)
{
    uint32_t *out = reader->indices + reader->index_count;
    triangulate(&reader->triangulator, points, count, out);
    for (uint32_t i = 0; i < 3 * (count - 2); i++)
        out[i] = vertices[out[i]];
    reader->index_count += 3 * (count - 2);
}

static void read_faces(struct collada_mesh_reader *reader, const struct collada_corners *corners, uint32_t p)
{
    const struct collada_part *part = corners->part;
    uint32_t largest = 0;
    for (uint32_t f = 0; f < part->face_count; f++) {
        const uint32_t count = part->starts[f + 1] - part->starts[f];
        largest = count > largest ? count : largest;
    }
    struct vertex_set set;
    vertex_set_init(&set, part->starts[part->face_count]);
    uint32_t *vertices = mem_alloc(largest * sizeof *vertices);
    double(*points)[3] = mem_alloc(largest * sizeof *points);
    reader->vertex_count = reader->index_count = 0;
    for (uint32_t f = 0; f < part->face_count; f++) {
        const uint32_t begin = part->starts[f], count = part->starts[f + 1] - begin;
        for (uint32_t c = 0; c < count; c++) {
            const uint32_t position = collada_index(part, begin + c, part->position_offset);
            vertices[c] = vertex_index(reader, corners, &set, p, begin + c);
            memcpy(points[c], reader->geometry.points[position], sizeof *points);
        }
        if (count > 2)
            add_triangles(reader, vertices, (const double(*)[3])points, count);
        else
            for (uint32_t c = 0; c < count; c++)
                reader->indices[reader->index_count++] = vertices[c];
    }
    free(set.slots);
    free(vertices);
    free(points);
}

/* --- the primitive in the builder --- */

static int add_positions(const struct collada_mesh_reader *reader, struct err *err)
{
    struct bake_builder *builder = reader->model->builder;
    struct vec3 *positions = bake_add_position(builder, reader->vertex_count);
    struct vec3 *normals = bake_add_normal(builder, reader->vertex_count);
    if (positions == NULL || normals == NULL)
        return import_full(reader->model->import, err);
    for (uint32_t v = 0; v < reader->vertex_count; v++) {
        const double *at = reader->geometry.points[reader->vertices[v].position];
        positions[v] = (struct vec3){(float)at[0], (float)at[1], (float)at[2]};
        normals[v] = reader->vertices[v].normal;
    }
    return 0;
}

/* How many elements an array needs that the model has for all vertices or for none: the first primitive that has some
 * fills up those before it. The positions of this one are there already. */
static uint32_t missing(const struct collada_mesh_reader *reader, uint32_t have, bool is_wanted)
{
    return is_wanted || have > 0 ? reader->model->builder->position_count - have : 0;
}

static int add_attributes(const struct collada_mesh_reader *reader, const struct collada_corners *corners,
                          struct primitive *primitive, struct err *err)
{
    struct bake_builder *builder = reader->model->builder;
    const bool has_tangents = corners->tangents != NULL, has_colors = corners->colors != NULL;
    const uint32_t missing_colors = missing(reader, builder->color_count, has_colors);
    struct rgba8 *colors = bake_add_color(builder, missing_colors);
    if (bake_add_texcoord(builder, missing(reader, builder->texcoord_count, corners->uvs[0] != NULL)) == NULL ||
        bake_add_second_texcoord(builder, missing(reader, builder->second_texcoord_count, corners->uvs[1] != NULL)) ==
            NULL ||
        bake_add_tangent(builder, missing(reader, builder->tangent_count, has_tangents)) == NULL || colors == NULL)
        return import_full(reader->model->import, err);
    memset(colors, 0xff, missing_colors * sizeof *colors);
    primitive->flags |= (has_colors ? PRIMITIVE_COLORS : 0u) | (corners->uvs[0] != NULL ? PRIMITIVE_TEXCOORDS : 0u) |
                        (corners->uvs[1] != NULL ? PRIMITIVE_SECOND_TEXCOORDS : 0u) |
                        (has_tangents ? PRIMITIVE_TANGENTS : 0u);
    for (uint32_t v = 0; v < reader->vertex_count; v++) {
        const struct collada_vertex *vertex = &reader->vertices[v];
        const uint32_t out = primitive->vertex_first + v;
        if (has_colors)
            builder->colors[out] = vertex->color;
        if (corners->uvs[0] != NULL)
            builder->texcoords[out] = vertex->texcoords[0];
        if (corners->uvs[1] != NULL)
            builder->second_texcoords[out] = vertex->texcoords[1];
        if (has_tangents)
            builder->tangents[out] = vertex->tangent;
    }
    return 0;
}

static int add_influences(const struct collada_mesh_reader *reader, struct err *err)
{
    for (uint32_t v = 0; v < reader->vertex_count; v++)
        if (influences_put_point(reader->model->import, &reader->influences, reader->vertices[v].position, err) < 0)
            return err->code;
    return 0;
}

/* --- morph targets --- */

static struct vec3 vec3_of(const double v[3])
{
    const bool is_good = isfinite((float)v[0]) && isfinite((float)v[1]) && isfinite((float)v[2]);
    return is_good ? (struct vec3){(float)v[0], (float)v[1], (float)v[2]} : (struct vec3){0, 0, 0};
}

/* COLLADA 1.4.1, <morph>: NORMALIZED is (1 - sum of weights) * base + sum of weight * target, so a target adds what it
 * differs by; RELATIVE is base + sum of weight * target. */
static int add_position_deltas(const struct collada_mesh_reader *reader, uint32_t t, uint32_t *first, struct err *err)
{
    struct bake_builder *builder = reader->model->builder;
    const struct collada_morph_target *target = &reader->targets[t];
    *first = UINT32_MAX;
    if (!target->is_usable)
        return 0;
    const uint32_t at = builder->morph_delta_count;
    struct vec3 *deltas = bake_add_morph_delta(builder, reader->vertex_count);
    if (deltas == NULL)
        return import_full(reader->model->import, err);
    for (uint32_t v = 0; v < reader->vertex_count; v++) {
        const uint32_t position = reader->vertices[v].position;
        const double *moved = target->mesh.points[position], *base = reader->geometry.points[position];
        double delta[3];
        for (int i = 0; i < 3; i++)
            delta[i] = reader->morph.is_relative ? moved[i] : moved[i] - base[i];
        deltas[v] = vec3_of(delta);
    }
    *first = at;
    return 0;
}

static int add_normal_deltas(const struct collada_mesh_reader *reader, uint32_t t, uint32_t p, uint32_t *first,
                             struct err *err)
{
    struct bake_builder *builder = reader->model->builder;
    const struct collada_part *part = same_part(reader, t, p);
    *first = UINT32_MAX;
    if (part == NULL || reader->morph.is_relative)
        return 0;
    const struct collada_input *normals = collada_find_input(part, COLLADA_NORMAL, UINT32_MAX);
    const uint32_t at = builder->morph_delta_count;
    struct vec3 *deltas = bake_add_morph_delta(builder, reader->vertex_count);
    if (deltas == NULL)
        return import_full(reader->model->import, err);
    for (uint32_t v = 0; v < reader->vertex_count; v++) {
        const double *base = DOUBLE3(reader->vertices[v].normal);
        double normal[3];
        if (!collada_file_normal(part, normals, reader->corner_of[v], normal))
            memcpy(normal, base, sizeof normal);
        deltas[v] = vec3_of((const double[3]){normal[0] - base[0], normal[1] - base[1], normal[2] - base[2]});
    }
    *first = at;
    return 0;
}

static int add_targets(const struct collada_mesh_reader *reader, uint32_t p, struct primitive *primitive,
                       struct err *err)
{
    const struct xml *xml = &reader->model->collada.xml;
    primitive->morph_target_first = reader->model->builder->morph_target_count;
    primitive->morph_target_count = reader->morph.count;
    for (uint32_t t = 0; t < reader->morph.count; t++) {
        const uint32_t geometry = reader->morph.geometries[t];
        const char *name = geometry == XML_NONE ? NULL : xml_get(xml, geometry, "name");
        struct morph_target out = {.name = {.offset = STR_NONE}};
        if (geometry != XML_NONE)
            out.name =
                bake_textz(reader->model->builder, name != NULL && name[0] != '\0' ? name : collada_id(xml, geometry));
        if (add_position_deltas(reader, t, &out.position_first, err) < 0 ||
            add_normal_deltas(reader, t, p, &out.normal_first, err) < 0 ||
            import_put_morph_target(reader->model->import, &out, err) < 0)
            return err->code;
    }
    return 0;
}

/* --- all of it --- */

static const struct collada_input *find_uvs(const struct collada_part *part, uint32_t set)
{
    if (set == SET_NONE)
        return NULL;
    const struct collada_input *found = collada_find_input(part, COLLADA_TEXCOORD, set);
    return found != NULL ? found : collada_find_input(part, COLLADA_TEXCOORD, SET_FIRST);
}

static void check_texcoords(const struct collada_mesh_reader *reader, const struct primitive *primitive)
{
    const struct bake_builder *builder = reader->model->builder;
    bool is_textured = false;
    for (int slot = 0; primitive->material >= 0 && slot < TEXTURE_SLOT_COUNT; slot++)
        is_textured |= builder->materials[primitive->material].textures[slot].texture >= 0;
    if (is_textured && (primitive->flags & PRIMITIVE_TEXCOORDS) == 0 && primitive->topology == TOPOLOGY_TRIANGLES)
        bake_warn(reader->model->builder, "texcoord_missing",
                  "geometry '%s' has no texture coordinates for a texture of its material",
                  collada_id(&reader->model->collada.xml, reader->geometry.geometry));
}

static void find_corners(const struct collada_mesh_reader *reader, uint32_t p, const struct collada_binding *binding,
                         struct collada_corners *corners)
{
    const struct bake_builder *builder = reader->model->builder;
    const struct collada_part *part = &reader->geometry.parts[p];
    collada_corners_init(corners, &reader->geometry, part);
    corners->made_normals = reader->made_normals[p];
    for (int place = 0; place < 2; place++)
        corners->uvs[place] = find_uvs(part, binding->sets[place]);
    const bool is_bumpy = binding->material >= 0 &&
                          builder->materials[binding->material].textures[TEXTURE_NORMAL].texture >= 0 &&
                          corners->normals != NULL;
    corners->tangents = is_bumpy ? collada_find_input(part, COLLADA_TANGENT, UINT32_MAX) : NULL;
    corners->binormals = is_bumpy ? collada_find_input(part, COLLADA_BINORMAL, UINT32_MAX) : NULL;
}

static int put_primitive(struct collada_mesh_reader *reader, uint32_t p, const struct collada_corners *corners,
                         int32_t material, struct err *err)
{
    struct import *import = reader->model->import;
    struct bake_builder *builder = reader->model->builder;
    const char *where = collada_id(&reader->model->collada.xml, reader->geometry.geometry);
    if (import_check_limit(import, LIMIT_VERTICES, builder->position_count, reader->vertex_count, where, err) < 0 ||
        import_check_limit(import, LIMIT_INDICES, builder->index_count, reader->index_count, where, err) < 0)
        return err->code;
    struct primitive primitive = {
        .mesh = reader->mesh,
        .topology = corners->part->topology,
        .vertex_first = builder->position_count,
        .vertex_count = reader->vertex_count,
        .index_first = builder->index_count,
        .index_count = reader->index_count,
        .material = material,
        .flags = corners->normals != NULL ? PRIMITIVE_FILE_NORMALS : 0,
    };
    uint32_t *indices = bake_add_index(builder, reader->index_count);
    if (indices == NULL)
        return import_full(import, err);
    memcpy(indices, reader->indices, reader->index_count * sizeof *indices);
    if (add_positions(reader, err) < 0 || add_attributes(reader, corners, &primitive, err) < 0 ||
        add_influences(reader, err) < 0 || add_targets(reader, p, &primitive, err) < 0)
        return err->code;
    check_texcoords(reader, &primitive);
    return import_put_primitive(import, &primitive, err);
}

int collada_add_primitive(struct collada_mesh_reader *reader, uint32_t p, const struct collada_binding *binding,
                          struct err *err)
{
    struct collada_corners corners;
    const struct collada_part *part = &reader->geometry.parts[p];
    const size_t corner_count = part->starts[part->face_count];
    if (part->face_count == 0)
        return 0;
    const int32_t material = binding->material >= 0 ? binding->material : collada_default_material(reader->model, err);
    if (material < 0)
        return material;
    find_corners(reader, p, binding, &corners);
    reader->vertices = mem_alloc(corner_count * sizeof *reader->vertices);
    reader->corner_of = mem_alloc(corner_count * sizeof *reader->corner_of);
    reader->indices = mem_alloc(3 * corner_count * sizeof *reader->indices);
    read_faces(reader, &corners, p);
    const int rc = put_primitive(reader, p, &corners, material, err);
    free(reader->vertices);
    free(reader->corner_of);
    free(reader->indices);
    return rc;
}
