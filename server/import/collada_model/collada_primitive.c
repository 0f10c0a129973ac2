/* collada_primitive.c - converts one part of a geometry to a primitive: vertices, triangles, influences, morph
 * targets. */
#include "import/collada_model/collada_primitive.h"

#include "base/hash.h"
#include "base/mem.h"
#include "import/mesh/mesh_arrays.h"

#include <stdlib.h>
#include <string.h>

/* --- corners to vertices --- */

/* Returns the part of a target with the same corners, or NULL. The target's normals are usable only with it. */
static const struct collada_part *same_part(const struct collada_mesh_reader *reader, uint32_t t, uint32_t p)
{
    const struct collada_morph_target *target = &reader->targets[t];
    if (!target->is_usable || p >= target->mesh.part_count)
        return NULL;
    const struct collada_part *base = &reader->geometry.parts[p], *part = &target->mesh.parts[p];
    const bool is_same = base->starts[base->face_count] == part->starts[part->face_count];
    return is_same && collada_find_input(part, COLLADA_NORMAL, UINT32_MAX) != NULL ? part : NULL;
}

/* Hashes the targets' normals at a corner. */
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

static void read_faces(struct collada_mesh_reader *reader, const struct collada_corners *corners, uint32_t p)
{
    const struct collada_part *part = corners->part;
    mesh_writer_start(&reader->writer, part->starts[part->face_count]);
    for (uint32_t f = 0; f < part->face_count; f++) {
        for (uint32_t c = part->starts[f]; c < part->starts[f + 1]; c++) {
            struct mesh_vertex vertex = collada_vertex_of(corners, c);
            vertex.morph = morph_key(reader, p, c);
            if (reader->may_weld)
                vertex.point = reader->first_points[vertex.point];
            mesh_writer_corner(&reader->writer, &vertex);
        }
        mesh_writer_close(&reader->writer);
    }
}

/* --- morph targets --- */

/* COLLADA 1.4.1, <morph>: NORMALIZED is (1 - sum of weights) * base + sum of weight * target, so a delta is target -
 * base; RELATIVE is base + sum of weight * target. */
static int add_position_deltas(const struct collada_mesh_reader *reader, uint32_t t, uint32_t *first, struct err *err)
{
    struct bake_builder *builder = reader->model->builder;
    const struct collada_morph_target *target = &reader->targets[t];
    *first = UINT32_MAX;
    if (!target->is_usable)
        return 0;
    const uint32_t at = builder->morph_delta_count;
    struct vec3 *deltas = bake_add_morph_delta(builder, reader->writer.vertex_count);
    if (deltas == NULL)
        return import_full(reader->model->import, err);
    for (uint32_t v = 0; v < reader->writer.vertex_count; v++) {
        const uint32_t position = reader->writer.vertices[v].point;
        const double *moved = target->mesh.points[position], *base = reader->geometry.points[position];
        double delta[3];
        for (int i = 0; i < 3; i++)
            delta[i] = reader->morph.is_relative ? moved[i] : moved[i] - base[i];
        deltas[v] = (struct vec3){(float)delta[0], (float)delta[1], (float)delta[2]};
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
    struct vec3 *deltas = bake_add_morph_delta(builder, reader->writer.vertex_count);
    if (deltas == NULL)
        return import_full(reader->model->import, err);
    for (uint32_t v = 0; v < reader->writer.vertex_count; v++) {
        const double *base = DOUBLE3(reader->writer.vertices[v].normal);
        double normal[3];
        if (!collada_file_normal(part, normals, reader->writer.first_corners[v], normal))
            memcpy(normal, base, sizeof normal);
        deltas[v] =
            (struct vec3){(float)(normal[0] - base[0]), (float)(normal[1] - base[1]), (float)(normal[2] - base[2])};
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

int collada_add_primitive(struct collada_mesh_reader *reader, uint32_t p, const struct collada_binding *binding,
                          struct err *err)
{
    struct collada_corners corners;
    const struct collada_part *part = &reader->geometry.parts[p];
    if (part->face_count == 0)
        return 0;
    find_corners(reader, p, binding, &corners);
    const int32_t material = binding->material >= 0 ? binding->material : collada_default_material(reader->model, err);
    if (material < 0)
        return material;
    read_faces(reader, &corners, p);
    if (!mesh_writer_end(&reader->writer))
        return 0;
    struct primitive primitive = {
        .mesh = reader->mesh,
        .topology = part->topology,
        .material = material,
        .flags = (corners.normals != NULL ? PRIMITIVE_FILE_NORMALS : 0u) |
                 (corners.colors != NULL ? PRIMITIVE_COLORS : 0u) |
                 (corners.uvs[0] != NULL ? PRIMITIVE_TEXCOORDS : 0u) |
                 (corners.uvs[1] != NULL ? PRIMITIVE_SECOND_TEXCOORDS : 0u) |
                 (corners.tangents != NULL ? PRIMITIVE_TANGENTS : 0u),
    };
    if (mesh_writer_put(&reader->writer, &primitive, err) < 0 || add_targets(reader, p, &primitive, err) < 0)
        return err->code;
    return mesh_put(reader->model->import, &primitive, reader->writer.where, err);
}
