/* gltf_vertex.c - reads positions, normals, tangents, texture coordinates and colours of a primitive. */
#include "import/gltf/gltf_primitive.h"

#include "anim/model/material_layers.h"
#include "anim/model/color.h"
#include "import/mesh/mesh_arrays.h"

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

/* The file's vertices stay as they are, also without normals. The specification then requires flat ones (3.7.2.1);
 * PRIMITIVE_FLAT tells the renderer to draw these. */
static int read_positions(struct primitive_reader *reader, struct err *err)
{
    struct gltf *gltf = reader->gltf;
    struct accessor accessor;
    if (primitive_open(reader, "POSITION", reader->position, ACCESSOR_VEC3, ACCESSOR_NUMBERS & ~ACCESSOR_U32, &accessor,
                       err) < 0)
        return err->code;
    reader->out.flags =
        (reader->normal >= 0 ? PRIMITIVE_FILE_NORMALS : PRIMITIVE_FLAT) |
        (wants_tangents(reader) ? PRIMITIVE_TANGENTS : 0u) | (reader->texcoords[0] >= 0 ? PRIMITIVE_TEXCOORDS : 0u) |
        (reader->texcoords[1] >= 0 ? PRIMITIVE_SECOND_TEXCOORDS : 0u) | (reader->color >= 0 ? PRIMITIVE_COLORS : 0u);
    if (mesh_add_vertices(gltf->import, &reader->out, accessor.count, reader->where, err) < 0)
        return err->code;
    accessor_floats(&accessor, 0, accessor.count, &gltf->builder->positions[reader->out.vertex_first].x);
    return 0;
}

/* An attribute of floats. */
struct attribute {
    const char *name;
    int64_t index; /* its accessor */
    unsigned types, components;
    uint32_t flag; /* PRIMITIVE_: the primitive has it */
    void *out;     /* the builder's array, from the primitive's first vertex on */
};

static int read_attribute(struct primitive_reader *reader, const struct attribute *attribute, struct err *err)
{
    struct accessor accessor;
    if (primitive_open(reader, attribute->name, attribute->index, attribute->types, attribute->components, &accessor,
                       err) < 0)
        return err->code;
    accessor_floats(&accessor, 0, accessor.count, attribute->out);
    return 0;
}

static int read_colors(struct primitive_reader *reader, struct rgba16 *out, struct err *err)
{
    struct accessor accessor;
    if (primitive_open(reader, "COLOR_0", reader->color, ACCESSOR_VEC3 | ACCESSOR_VEC4,
                       ACCESSOR_F32 | ACCESSOR_U8 | ACCESSOR_U16, &accessor, err) < 0)
        return err->code;
    accessor.is_normalized = accessor.component != ACCESSOR_F32; /* integers can only be normalized there */
    for (uint32_t v = 0; v < accessor.count; v++) {
        double row[4] = {0, 0, 0, 1}; /* colours of three components are opaque */
        accessor_row(&accessor, v, row);
        out[v] = rgba16_of(row[0], row[1], row[2], row[3]);
    }
    return 0;
}

int primitive_read_vertices(struct primitive_reader *reader, struct err *err)
{
    if (read_positions(reader, err) < 0)
        return err->code;
    const struct bake_builder *builder = reader->gltf->builder;
    const uint32_t first = reader->out.vertex_first, flags = reader->out.flags;
    const unsigned directions = ACCESSOR_F32 | ACCESSOR_I8 | ACCESSOR_I16, numbers = ACCESSOR_NUMBERS & ~ACCESSOR_U32;
    char names[2][24];
    for (int place = 0; place < 2; place++)
        snprintf(names[place], sizeof names[place], "TEXCOORD_%u", (uint32_t)reader->texcoord_use.sets[place]);
    const struct attribute attributes[] = {
        {"NORMAL", reader->normal, ACCESSOR_VEC3, directions, PRIMITIVE_FILE_NORMALS, builder->normals + first},
        {"TANGENT", reader->tangent, ACCESSOR_VEC4, directions, PRIMITIVE_TANGENTS, builder->tangents + first},
        {names[0], reader->texcoords[0], ACCESSOR_VEC2, numbers, PRIMITIVE_TEXCOORDS, builder->texcoords + first},
        {names[1], reader->texcoords[1], ACCESSOR_VEC2, numbers, PRIMITIVE_SECOND_TEXCOORDS,
         builder->second_texcoords + first},
    };
    for (size_t i = 0; i < sizeof attributes / sizeof *attributes; i++)
        if ((flags & attributes[i].flag) != 0 && read_attribute(reader, &attributes[i], err) < 0)
            return err->code;
    for (uint32_t v = 0; (flags & PRIMITIVE_TANGENTS) != 0 && v < reader->out.vertex_count; v++)
        builder->tangents[first + v].w = builder->tangents[first + v].w < 0 ? -1 : 1;
    return (flags & PRIMITIVE_COLORS) != 0 ? read_colors(reader, builder->colors + first, err) : 0;
}
