/* ogre_geometry.c - reads the vertices of an Ogre mesh: declaration and buffers, or the arrays of versions before
 * 1.30. */
#include "import/ogre/ogre_mesh.h"

#include <math.h>
#include <string.h>

enum {
    VERTEX_DECLARATION = 0x5100,
    VERTEX_ELEMENT = 0x5110,
    VERTEX_BUFFER = 0x5200,
    VERTEX_BUFFER_DATA = 0x5210,
    /* before 1.30: */
    OLD_NORMALS = 0x5100,
    OLD_COLORS = 0x5200,
    OLD_TEXCOORDS = 0x5300,
};

enum number { F32, F64, F16, S8, U8, S16, U16, S32, U32, COLOR_ARGB, COLOR_ABGR, PACKED };

/* VertexElementType of OgreHardwareVertexBuffer.h, by its number. */
static const struct element_type {
    uint8_t number, components, bytes;
    bool is_normalized;
} TYPES[] = {
    {F32, 1, 4, false},
    {F32, 2, 8, false},
    {F32, 3, 12, false},
    {F32, 4, 16, false},
    /* A colour whose byte order depends on the writer's graphics API; Ogre assumes the order of OpenGL. */
    {COLOR_ABGR, 4, 4, true},
    {S16, 1, 2, false},
    {S16, 2, 4, false},
    {S16, 3, 6, false},
    {S16, 4, 8, false},
    {U8, 4, 4, false},
    {COLOR_ARGB, 4, 4, true},
    {COLOR_ABGR, 4, 4, true},
    {F64, 1, 8, false},
    {F64, 2, 16, false},
    {F64, 3, 24, false},
    {F64, 4, 32, false},
    {U16, 1, 2, false},
    {U16, 2, 4, false},
    {U16, 3, 6, false},
    {U16, 4, 8, false},
    {S32, 1, 4, false},
    {S32, 2, 8, false},
    {S32, 3, 12, false},
    {S32, 4, 16, false},
    {U32, 1, 4, false},
    {U32, 2, 8, false},
    {U32, 3, 12, false},
    {U32, 4, 16, false},
    {S8, 4, 4, false},
    {S8, 4, 4, true},
    {U8, 4, 4, true},
    {S16, 2, 4, true},
    {S16, 4, 8, true},
    {U16, 2, 4, true},
    {U16, 4, 8, true},
    {PACKED, 4, 4, true},
    {F16, 1, 2, false},
    {F16, 2, 4, false},
    {F16, 3, 6, false},
    {F16, 4, 8, false},
};
enum { TYPE_COUNT = sizeof TYPES / sizeof *TYPES };

/* --- reading --- */

static void read_element(struct ogre_stream *stream, struct ogre_geometry *geometry)
{
    struct ogre_element element = {.source = ogre_u16(stream), .type = ogre_u16(stream)};
    element.semantic = ogre_u16(stream);
    element.offset = ogre_u16(stream);
    element.index = ogre_u16(stream);
    if (element.type >= TYPE_COUNT)
        ogre_fail(stream, "a vertex element of the unknown type %u", element.type);
    else if (geometry->element_count == OGRE_ELEMENTS_MAX)
        ogre_fail(stream, "a geometry with more than %d vertex elements", OGRE_ELEMENTS_MAX);
    else
        geometry->elements[geometry->element_count++] = element;
}

/* Sets the bytes of this buffer's elements. */
static void read_buffer(struct ogre_stream *stream, struct ogre_geometry *geometry)
{
    const uint16_t source = ogre_u16(stream), stride = ogre_u16(stream);
    if (!ogre_enter_if(stream, VERTEX_BUFFER_DATA)) {
        ogre_fail(stream, "vertex buffer %u has no data", source);
        return;
    }
    if (stride == 0) {
        ogre_fail(stream, "vertex buffer %u has vertices of no bytes", source);
        return;
    }
    const size_t begin = stream->at;
    const uint8_t *bytes = ogre_take(stream, geometry->vertex_count, stride);
    for (uint32_t i = 0; bytes != NULL && i < geometry->element_count; i++) {
        struct ogre_element *element = &geometry->elements[i];
        if (element->source != source || element->bytes != NULL)
            continue;
        if (element->offset + TYPES[element->type].bytes > stride) {
            stream->at = begin;
            ogre_fail(stream, "vertex element %u does not fit into its buffer's %u bytes a vertex", i, stride);
            return;
        }
        element->bytes = bytes + element->offset;
        element->stride = stride;
    }
}

static void read_declared(struct ogre_mesh *mesh, struct ogre_geometry *geometry)
{
    struct ogre_stream *stream = &mesh->stream;
    for (uint16_t id = ogre_peek(stream); id == VERTEX_DECLARATION || id == VERTEX_BUFFER; id = ogre_peek(stream)) {
        ogre_enter(stream);
        if (id == VERTEX_BUFFER)
            read_buffer(stream, geometry);
        while (id == VERTEX_DECLARATION && ogre_enter_if(stream, VERTEX_ELEMENT))
            read_element(stream, geometry);
    }
}

static void add_array(struct ogre_stream *stream, struct ogre_geometry *geometry, uint16_t semantic, uint16_t type,
                      uint16_t index)
{
    if (geometry->element_count == OGRE_ELEMENTS_MAX) {
        ogre_fail(stream, "a geometry with more than %d arrays", OGRE_ELEMENTS_MAX);
        return;
    }
    const uint8_t *bytes = ogre_take(stream, geometry->vertex_count, TYPES[type].bytes);
    geometry->elements[geometry->element_count++] = (struct ogre_element){
        .type = type, .semantic = semantic, .index = index, .bytes = bytes, .stride = TYPES[type].bytes};
}

/* Versions before 1.30 have positions, then chunks with one array each. */
static void read_arrays(struct ogre_mesh *mesh, struct ogre_geometry *geometry)
{
    enum { FLOAT1 = 0, FLOAT3 = 2, COLOR = 4 };
    struct ogre_stream *stream = &mesh->stream;
    uint16_t set = 0;
    add_array(stream, geometry, OGRE_POSITION, FLOAT3, 0);
    for (uint16_t id = ogre_peek(stream); id == OLD_NORMALS || id == OLD_COLORS || id == OLD_TEXCOORDS;
         id = ogre_peek(stream)) {
        ogre_enter(stream);
        if (id == OLD_NORMALS) {
            add_array(stream, geometry, OGRE_NORMAL, FLOAT3, 0);
        } else if (id == OLD_COLORS) {
            add_array(stream, geometry, OGRE_DIFFUSE, COLOR, 0);
        } else {
            const uint16_t size = ogre_u16(stream);
            if (size < 1 || size > 4)
                ogre_fail(stream, "texture coordinates of %u numbers", size);
            else
                add_array(stream, geometry, OGRE_TEXCOORD, (uint16_t)(FLOAT1 + size - 1), set++);
        }
    }
}

void ogre_geometry_read(struct ogre_mesh *mesh, struct ogre_geometry *geometry)
{
    geometry->vertex_count = ogre_u32(&mesh->stream);
    if (mesh->version >= 130)
        read_declared(mesh, geometry);
    else
        read_arrays(mesh, geometry);
}

/* --- values --- */

const struct ogre_element *ogre_element_of(const struct ogre_geometry *geometry, uint16_t semantic, uint16_t index)
{
    for (uint32_t i = 0; i < geometry->element_count; i++) {
        const struct ogre_element *element = &geometry->elements[i];
        if (element->semantic == semantic && element->index == index && element->bytes != NULL)
            return element;
    }
    return NULL;
}

/* IEEE 754 binary16. */
static double half(uint16_t bits)
{
    const int exponent = bits >> 10 & 0x1f, fraction = bits & 0x3ff;
    const double size = exponent == 0x1f ? (fraction == 0 ? (double)INFINITY : (double)NAN)
                        : exponent == 0  ? ldexp(fraction, -24)
                                         : ldexp(fraction + 1024, exponent - 25);
    return (bits & 0x8000) != 0 ? -size : size;
}

/* Signed normalised values follow OpenGL 4.2 and Direct3D: the smallest integer also becomes -1. */
static double normalized(double value, double largest) { return fmax(value / largest, -1); }

static double number_at(const struct ogre_stream *stream, const struct element_type *type, const uint8_t *at, int i)
{
    double value = 0, largest = 1;
    switch ((enum number)type->number) {
    case F32:
        return (double)ogre_f32_at(stream, at + 4 * i);
    case F64:
        return ogre_f64_at(stream, at + 8 * i);
    case F16:
        return half(ogre_u16_at(stream, at + 2 * i));
    case S8:
        value = (int8_t)at[i], largest = INT8_MAX;
        break;
    case U8:
        value = at[i], largest = UINT8_MAX;
        break;
    case S16:
        value = (int16_t)ogre_u16_at(stream, at + 2 * i), largest = INT16_MAX;
        break;
    case U16:
        value = ogre_u16_at(stream, at + 2 * i), largest = UINT16_MAX;
        break;
    case S32:
        return (int32_t)ogre_u32_at(stream, at + 4 * i);
    case U32:
        return ogre_u32_at(stream, at + 4 * i);
    case COLOR_ABGR:
        value = ogre_u32_at(stream, at) >> 8 * i & 0xff, largest = UINT8_MAX;
        break;
    case COLOR_ARGB:
        value = ogre_u32_at(stream, at) >> (i == 3 ? 24 : 16 - 8 * i) & 0xff, largest = UINT8_MAX;
        break;
    case PACKED: { /* signed fields of 10, 10, 10 and 2 bits, lowest first */
        const uint32_t bits = ogre_u32_at(stream, at) >> 10 * i & (i == 3 ? 3 : 0x3ff);
        value = (int32_t)bits - (bits >= (i == 3 ? 2u : 512u) ? (i == 3 ? 4 : 1024) : 0), largest = i == 3 ? 1 : 511;
        break;
    }
    }
    return type->is_normalized ? normalized(value, largest) : value;
}

void ogre_element_value(const struct ogre_mesh *mesh, const struct ogre_element *element, uint32_t vertex,
                        double out[4])
{
    const struct element_type *type = &TYPES[element->type];
    const uint8_t *at = element->bytes + (size_t)vertex * element->stride;
    out[0] = out[1] = out[2] = 0;
    out[3] = 1;
    for (int i = 0; i < type->components; i++)
        out[i] = number_at(&mesh->stream, type, at, i);
    /* Before 1.20 v points up. */
    if (mesh->version < 120 && element->semantic == OGRE_TEXCOORD && type->components == 2)
        out[1] = 1 - out[1];
}
