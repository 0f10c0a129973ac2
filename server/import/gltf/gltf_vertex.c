/* gltf_vertex.c - positions, normals, tangents, texture coordinates and colours of a primitive. */
#include "import/gltf/gltf_primitive.h"

#include "anim/model/mat.h"
#include "anim/model/material_layers.h"
#include "anim/model/rgba8.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static int read_positions(struct primitive_reader *reader, struct err *err)
{
    struct gltf *gltf = reader->gltf;
    struct bake_builder *builder = gltf->builder;
    struct accessor accessor;
    if (primitive_open(reader, "POSITION", reader->position, ACCESSOR_VEC3, ACCESSOR_NUMBERS & ~ACCESSOR_U32, &accessor,
                       err) < 0 ||
        import_check_limit(gltf->import, LIMIT_VERTICES, builder->position_count, accessor.count, reader->where, err) <
            0)
        return err->code;
    reader->out.vertex_count = accessor.count;
    struct vec3 *positions = bake_add_position(builder, accessor.count);
    if (positions == NULL)
        return import_full(gltf->import, err);
    return accessor_floats(&accessor, accessor.count, reader->where, &positions->x, err);
}

/* Reads a row of an attribute that only affects appearance. A number that is not finite (normals of collapsed faces are
 * a common case) becomes 0; in a position it would be an error. True when there was one. */
static bool read_repaired(const struct accessor *accessor, uint32_t row, double values[4])
{
    bool is_repaired = false;
    accessor_row(accessor, row, values);
    for (uint32_t i = 0; i < accessor->width; i++) {
        if (isfinite((float)values[i]))
            continue;
        values[i] = 0;
        is_repaired = true;
    }
    return is_repaired;
}

/* How one row of an attribute becomes the builder's element `vertex` of out. */
typedef void store_row(const double row[4], void *out, uint32_t vertex);

/* An attribute that only affects appearance. */
struct attribute {
    const char *name;
    int64_t index; /* its accessor, or -1: the primitive does not have it */
    unsigned types, components;
    uint32_t flag; /* PRIMITIVE_ */
    store_row *store;
};

/* `out` is the builder's array of the attribute, from the primitive's first vertex on. */
static int read_attribute(struct primitive_reader *reader, const struct attribute *attribute, void *out,
                          struct err *err)
{
    struct accessor accessor;
    bool is_repaired = false;
    if (primitive_open(reader, attribute->name, attribute->index, attribute->types, attribute->components, &accessor,
                       err) < 0)
        return err->code;
    if (attribute->flag == PRIMITIVE_COLORS) /* normalized is the only meaning that integers have there */
        accessor.is_normalized = accessor.component != ACCESSOR_F32;
    for (uint32_t v = 0; v < accessor.count; v++) {
        double row[4] = {0, 0, 0, 1}; /* colours of three components are opaque */
        is_repaired |= read_repaired(&accessor, v, row);
        attribute->store(row, out, v);
    }
    if (is_repaired)
        bake_warn(reader->gltf->builder, "not_finite_repaired", "%s %s has numbers that are not finite: they become 0",
                  reader->where, attribute->name);
    reader->out.flags |= attribute->flag;
    return 0;
}

static void store_normal(const double row[4], void *out, uint32_t vertex)
{
    ((struct vec3 *)out)[vertex] = (struct vec3){(float)row[0], (float)row[1], (float)row[2]};
}

static int read_normals(struct primitive_reader *reader, struct err *err)
{
    struct vec3 *normals = bake_add_normal(reader->gltf->builder, reader->out.vertex_count);
    if (normals == NULL)
        return import_full(reader->gltf->import, err);
    const struct attribute normal = {
        "NORMAL",    reader->normal, ACCESSOR_VEC3, ACCESSOR_F32 | ACCESSOR_I8 | ACCESSOR_I16, PRIMITIVE_FILE_NORMALS,
        store_normal};
    return normal.index < 0 ? 0 : read_attribute(reader, &normal, normals, err);
}

/* How many elements an array needs that the model has for all vertices or for none, when this primitive is the next:
 * the first primitive that has some fills up those before it. */
static uint32_t missing_rows(const struct primitive_reader *reader, uint32_t have, bool is_wanted)
{
    return is_wanted || have > 0 ? reader->out.vertex_first + reader->out.vertex_count - have : 0;
}

/* True where the material has a normal texture or anisotropy, whose directions TANGENT gives; without normals it is to
 * be ignored (glTF 2.0, 3.7.2.1). */
static bool wants_tangents(const struct primitive_reader *reader)
{
    const int32_t material = reader->out.material;
    const struct model view = bake_builder_view(reader->gltf->builder);
    return material >= 0 && reader->normal >= 0 && reader->tangent >= 0 &&
           material_needs_tangents(&view, &view.materials[material]);
}

static void store_tangent(const double row[4], void *out, uint32_t vertex)
{
    ((struct vec4 *)out)[vertex] = (struct vec4){(float)row[0], (float)row[1], (float)row[2], row[3] < 0 ? -1 : 1};
}

static int read_tangents(struct primitive_reader *reader, struct err *err)
{
    struct bake_builder *builder = reader->gltf->builder;
    const bool is_wanted = wants_tangents(reader);
    if (bake_add_tangent(builder, missing_rows(reader, builder->tangent_count, is_wanted)) == NULL)
        return import_full(reader->gltf->import, err);
    const struct attribute tangent = {"TANGENT",          reader->tangent,
                                      ACCESSOR_VEC4,      ACCESSOR_F32 | ACCESSOR_I8 | ACCESSOR_I16,
                                      PRIMITIVE_TANGENTS, store_tangent};
    return is_wanted ? read_attribute(reader, &tangent, builder->tangents + reader->out.vertex_first, err) : 0;
}

static void store_texcoord(const double row[4], void *out, uint32_t vertex)
{
    ((struct vec2 *)out)[vertex] = (struct vec2){(float)row[0], (float)row[1]};
}

/* place 0: texcoords, 1: second_texcoords */
static int read_texcoords(struct primitive_reader *reader, int place, struct err *err)
{
    struct bake_builder *builder = reader->gltf->builder;
    const bool is_wanted = reader->texcoords[place] >= 0;
    const uint32_t have = place == 0 ? builder->texcoord_count : builder->second_texcoord_count;
    const uint32_t missing = missing_rows(reader, have, is_wanted);
    if ((place == 0 ? bake_add_texcoord(builder, missing) : bake_add_second_texcoord(builder, missing)) == NULL)
        return import_full(reader->gltf->import, err);
    char name[24];
    snprintf(name, sizeof name, "TEXCOORD_%u", (uint32_t)reader->texcoord_use.sets[place]);
    const struct attribute texcoord = {name,
                                       reader->texcoords[place],
                                       ACCESSOR_VEC2,
                                       ACCESSOR_NUMBERS & ~ACCESSOR_U32,
                                       place == 0 ? PRIMITIVE_TEXCOORDS : PRIMITIVE_SECOND_TEXCOORDS,
                                       store_texcoord};
    struct vec2 *texcoords = place == 0 ? builder->texcoords : builder->second_texcoords;
    return is_wanted ? read_attribute(reader, &texcoord, texcoords + reader->out.vertex_first, err) : 0;
}

static void store_color(const double row[4], void *out, uint32_t vertex)
{
    ((struct rgba8 *)out)[vertex] = rgba8_of(row[0], row[1], row[2], row[3]);
}

/* White is what leaves the material's colour alone. */
static int read_colors(struct primitive_reader *reader, struct err *err)
{
    struct bake_builder *builder = reader->gltf->builder;
    const bool is_wanted = reader->color >= 0;
    const uint32_t missing = missing_rows(reader, builder->color_count, is_wanted);
    struct rgba8 *added = bake_add_color(builder, missing);
    if (added == NULL)
        return import_full(reader->gltf->import, err);
    memset(added, 0xff, missing * sizeof *added);
    const struct attribute color = {
        "COLOR_0",        reader->color, ACCESSOR_VEC3 | ACCESSOR_VEC4, ACCESSOR_F32 | ACCESSOR_U8 | ACCESSOR_U16,
        PRIMITIVE_COLORS, store_color};
    return is_wanted ? read_attribute(reader, &color, builder->colors + reader->out.vertex_first, err) : 0;
}

int primitive_read_vertices(struct primitive_reader *reader, struct err *err)
{
    if (read_positions(reader, err) < 0 || read_normals(reader, err) < 0 || read_tangents(reader, err) < 0 ||
        read_texcoords(reader, 0, err) < 0 || read_texcoords(reader, 1, err) < 0)
        return err->code;
    return read_colors(reader, err);
}

/* --- normals that the file does not have --- */

/* Twice the triangle's area, along its normal. */
static void face_normal(const struct vec3 *a, const struct vec3 *b, const struct vec3 *c, double out[3])
{
    const double u[3] = {(double)b->x - (double)a->x, (double)b->y - (double)a->y, (double)b->z - (double)a->z};
    const double v[3] = {(double)c->x - (double)a->x, (double)c->y - (double)a->y, (double)c->z - (double)a->z};
    cross3(u, v, out);
}

/* The sums are kept as floats, so they are scaled down to lengths that cannot overflow. */
static double largest_extent(const struct vec3 *positions, uint32_t count)
{
    double largest = 0;
    for (uint32_t i = 0; i < count; i++)
        largest = fmax(largest, fmax(fabs((double)positions[i].x),
                                     fmax(fabs((double)positions[i].y), fabs((double)positions[i].z))));
    return largest;
}

static void add_to(struct vec3 *sum, const double added[3], double factor)
{
    sum->x += (float)(added[0] * factor);
    sum->y += (float)(added[1] * factor);
    sum->z += (float)(added[2] * factor);
}

void primitive_make_normals(struct primitive_reader *reader)
{
    struct bake_builder *builder = reader->gltf->builder;
    const struct primitive *out = &reader->out;
    const struct vec3 *positions = builder->positions + out->vertex_first;
    struct vec3 *normals = builder->normals + out->vertex_first;
    const uint32_t *indices = builder->indices + out->index_first;
    const double extent = largest_extent(positions, out->vertex_count);
    const double factor = extent > 0 ? 1 / (extent * extent) : 0;
    for (uint32_t i = 0; out->topology == TOPOLOGY_TRIANGLES && i + 2 < out->index_count; i += 3) {
        double face[3];
        face_normal(&positions[indices[i]], &positions[indices[i + 1]], &positions[indices[i + 2]], face);
        for (int corner = 0; corner < 3; corner++)
            add_to(&normals[indices[i + (uint32_t)corner]], face, factor);
    }
    for (uint32_t v = 0; v < out->vertex_count; v++) {
        double n[3] = {(double)normals[v].x, (double)normals[v].y, (double)normals[v].z};
        /* Vertices of lines, points and collapsed faces get a normal that points up, towards the light. */
        normals[v] = unit3(n) > 0 ? (struct vec3){(float)n[0], (float)n[1], (float)n[2]} : (struct vec3){0, 1, 0};
    }
}
