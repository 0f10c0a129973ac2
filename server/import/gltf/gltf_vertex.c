/* gltf_vertex.c - reads positions, normals, tangents, texture coordinates and colours of a primitive. */
#include "import/gltf/gltf_primitive.h"

#include "anim/model/mat.h"
#include "anim/model/material_layers.h"
#include "anim/model/rgba8.h"
#include "import/mesh/mesh_arrays.h"

#include <math.h>
#include <stdio.h>

/* Returns true if the material has a normal texture or anisotropy, whose directions TANGENT gives. TANGENT must be
 * ignored without normals (glTF 2.0, 3.7.2.1). */
static bool wants_tangents(const struct primitive_reader *reader)
{
    const int32_t material = reader->out.material;
    const struct model view = bake_builder_view(reader->gltf->builder);
    return material >= 0 && reader->normal >= 0 && reader->tangent >= 0 &&
           material_needs_tangents(&view, &view.materials[material]);
}

static int read_positions(struct primitive_reader *reader, struct err *err)
{
    struct gltf *gltf = reader->gltf;
    struct accessor accessor;
    if (primitive_open(reader, "POSITION", reader->position, ACCESSOR_VEC3, ACCESSOR_NUMBERS & ~ACCESSOR_U32, &accessor,
                       err) < 0)
        return err->code;
    reader->out.flags =
        (reader->normal >= 0 ? PRIMITIVE_FILE_NORMALS : 0u) | (wants_tangents(reader) ? PRIMITIVE_TANGENTS : 0u) |
        (reader->texcoords[0] >= 0 ? PRIMITIVE_TEXCOORDS : 0u) |
        (reader->texcoords[1] >= 0 ? PRIMITIVE_SECOND_TEXCOORDS : 0u) | (reader->color >= 0 ? PRIMITIVE_COLORS : 0u);
    if (mesh_add_vertices(gltf->import, &reader->out, accessor.count, reader->where, err) < 0)
        return err->code;
    accessor_floats(&accessor, accessor.count, &gltf->builder->positions[reader->out.vertex_first].x);
    return 0;
}

/* Reads a row of an attribute that only affects appearance. A non-finite number, common in normals of degenerate faces,
 * becomes 0; in a position it would be an error. Returns true if there was one. */
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

/* Converts one row of an attribute to the builder's element `vertex` of out. */
typedef void store_row(const double row[4], void *out, uint32_t vertex);

/* An attribute that only affects appearance. */
struct attribute {
    const char *name;
    int64_t index; /* its accessor */
    unsigned types, components;
    uint32_t flag; /* PRIMITIVE_: the primitive has it */
    store_row *store;
    void *out; /* the builder's array, from the primitive's first vertex on */
};

static int read_attribute(struct primitive_reader *reader, const struct attribute *attribute, struct err *err)
{
    struct accessor accessor;
    bool is_repaired = false;
    if (primitive_open(reader, attribute->name, attribute->index, attribute->types, attribute->components, &accessor,
                       err) < 0)
        return err->code;
    if (attribute->flag == PRIMITIVE_COLORS) /* integers can only be normalized there */
        accessor.is_normalized = accessor.component != ACCESSOR_F32;
    for (uint32_t v = 0; v < accessor.count; v++) {
        double row[4] = {0, 0, 0, 1}; /* colours of three components are opaque */
        is_repaired |= read_repaired(&accessor, v, row);
        attribute->store(row, attribute->out, v);
    }
    if (is_repaired)
        bake_warn(reader->gltf->builder, "not_finite_repaired", "%s %s has numbers that are not finite: they become 0",
                  reader->where, attribute->name);
    return 0;
}

static void store_normal(const double row[4], void *out, uint32_t vertex)
{
    ((struct vec3 *)out)[vertex] = (struct vec3){(float)row[0], (float)row[1], (float)row[2]};
}

static void store_tangent(const double row[4], void *out, uint32_t vertex)
{
    ((struct vec4 *)out)[vertex] = (struct vec4){(float)row[0], (float)row[1], (float)row[2], row[3] < 0 ? -1 : 1};
}

static void store_texcoord(const double row[4], void *out, uint32_t vertex)
{
    ((struct vec2 *)out)[vertex] = (struct vec2){(float)row[0], (float)row[1]};
}

static void store_color(const double row[4], void *out, uint32_t vertex)
{
    ((struct rgba8 *)out)[vertex] = rgba8_of(row[0], row[1], row[2], row[3]);
}

int primitive_read_vertices(struct primitive_reader *reader, struct err *err)
{
    if (read_positions(reader, err) < 0)
        return err->code;
    const struct bake_builder *builder = reader->gltf->builder;
    const uint32_t first = reader->out.vertex_first;
    const unsigned directions = ACCESSOR_F32 | ACCESSOR_I8 | ACCESSOR_I16, numbers = ACCESSOR_NUMBERS & ~ACCESSOR_U32;
    char names[2][24];
    for (int place = 0; place < 2; place++)
        snprintf(names[place], sizeof names[place], "TEXCOORD_%u", (uint32_t)reader->texcoord_use.sets[place]);
    const struct attribute attributes[] = {
        {"NORMAL", reader->normal, ACCESSOR_VEC3, directions, PRIMITIVE_FILE_NORMALS, store_normal,
         builder->normals + first},
        {"TANGENT", reader->tangent, ACCESSOR_VEC4, directions, PRIMITIVE_TANGENTS, store_tangent,
         builder->tangents + first},
        {names[0], reader->texcoords[0], ACCESSOR_VEC2, numbers, PRIMITIVE_TEXCOORDS, store_texcoord,
         builder->texcoords + first},
        {names[1], reader->texcoords[1], ACCESSOR_VEC2, numbers, PRIMITIVE_SECOND_TEXCOORDS, store_texcoord,
         builder->second_texcoords + first},
        {"COLOR_0", reader->color, ACCESSOR_VEC3 | ACCESSOR_VEC4, ACCESSOR_F32 | ACCESSOR_U8 | ACCESSOR_U16,
         PRIMITIVE_COLORS, store_color, builder->colors + first},
    };
    for (size_t i = 0; i < sizeof attributes / sizeof *attributes; i++)
        if ((reader->out.flags & attributes[i].flag) != 0 && read_attribute(reader, &attributes[i], err) < 0)
            return err->code;
    return 0;
}

/* --- normals that the file does not have --- */

/* Twice the triangle's area, along its normal. */
static void face_normal(const struct vec3 *a, const struct vec3 *b, const struct vec3 *c, double out[3])
{
    const double u[3] = {(double)b->x - (double)a->x, (double)b->y - (double)a->y, (double)b->z - (double)a->z};
    const double v[3] = {(double)c->x - (double)a->x, (double)c->y - (double)a->y, (double)c->z - (double)a->z};
    cross3(u, v, out);
}

/* The sums are stored as floats, so they are scaled down to lengths that cannot overflow. */
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
        /* Vertices of lines, points and degenerate faces get a normal that points up, towards the light. */
        normals[v] = unit3(n) > 0 ? (struct vec3){(float)n[0], (float)n[1], (float)n[2]} : (struct vec3){0, 1, 0};
    }
}
