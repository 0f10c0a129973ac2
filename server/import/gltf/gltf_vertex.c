#include "import/gltf/gltf_primitive.h"

#include <math.h>
#include <stdio.h>

/* A row of floats that only looks depend on: a number that is not finite (normals of collapsed faces are a common
 * case) becomes 0, where a position would be refused. True when there was one. */
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

static void warn_repaired(const struct primitive_reader *reader, const char *name, bool is_repaired)
{
    if (is_repaired)
        bake_warn(reader->gltf->builder, "not_finite_repaired", "%s %s has numbers that are not finite: they become 0",
                  reader->where, name);
}

static int read_positions(struct primitive_reader *reader, struct err *err)
{
    struct gltf *gltf = reader->gltf;
    struct bake_builder *builder = gltf->builder;
    struct accessor accessor;
    if (primitive_open(reader, "POSITION", reader->position, ACCESSOR_VEC3, ACCESSOR_NUMBERS & ~ACCESSOR_U32, &accessor,
                       err) < 0 ||
        gltf_limit(gltf, LIMIT_VERTICES, builder->position_count, accessor.count, reader->where, err) < 0)
        return err->code;
    reader->out.vertex_count = accessor.count;
    struct vec3 *positions = bake_add_position(builder, accessor.count);
    if (positions == NULL)
        return gltf_full(gltf, err);
    return accessor_floats(&accessor, accessor.count, reader->where, &positions->x, err);
}

static int read_normals(struct primitive_reader *reader, struct err *err)
{
    struct vec3 *normals = bake_add_normal(reader->gltf->builder, reader->out.vertex_count);
    if (normals == NULL)
        return gltf_full(reader->gltf, err);
    if (reader->normal < 0)
        return 0;
    struct accessor accessor;
    if (primitive_open(reader, "NORMAL", reader->normal, ACCESSOR_VEC3, ACCESSOR_F32 | ACCESSOR_I8 | ACCESSOR_I16,
                       &accessor, err) < 0)
        return err->code;
    bool is_repaired = false;
    for (uint32_t v = 0; v < accessor.count; v++) {
        double n[4];
        is_repaired |= read_repaired(&accessor, v, n);
        normals[v] = (struct vec3){(float)n[0], (float)n[1], (float)n[2]};
    }
    warn_repaired(reader, "NORMAL", is_repaired);
    reader->out.flags |= PRIMITIVE_FILE_NORMALS;
    return 0;
}

/* True where the material has a normal texture, whose directions TANGENT gives; without normals it is to be ignored
 * (glTF 2.0, 3.7.2.1). */
static bool wants_tangents(const struct primitive_reader *reader)
{
    const int32_t material = reader->out.material;
    return material >= 0 && reader->normal >= 0 && reader->tangent >= 0 &&
           reader->gltf->builder->materials[material].textures[TEXTURE_NORMAL].texture >= 0;
}

/* The model has tangents, texture coordinates or colours for all vertices or for none: the first primitive that has
 * some fills up those before it. NULL with *is_needed when the builder is full. */
static struct vec4 *add_tangents(struct primitive_reader *reader, bool *is_needed)
{
    struct bake_builder *builder = reader->gltf->builder;
    *is_needed = wants_tangents(reader) || builder->tangent_count > 0;
    if (!*is_needed)
        return NULL;
    const uint32_t before = reader->out.vertex_first - builder->tangent_count;
    struct vec4 *added = bake_add_tangent(builder, before + reader->out.vertex_count);
    return added == NULL ? NULL : added + before;
}

static int read_tangents(struct primitive_reader *reader, struct err *err)
{
    bool is_needed, is_repaired = false;
    struct vec4 *tangents = add_tangents(reader, &is_needed);
    if (is_needed && tangents == NULL)
        return gltf_full(reader->gltf, err);
    if (!wants_tangents(reader))
        return 0;
    struct accessor accessor;
    if (primitive_open(reader, "TANGENT", reader->tangent, ACCESSOR_VEC4, ACCESSOR_F32 | ACCESSOR_I8 | ACCESSOR_I16,
                       &accessor, err) < 0)
        return err->code;
    for (uint32_t v = 0; v < accessor.count; v++) {
        double t[4];
        is_repaired |= read_repaired(&accessor, v, t);
        tangents[v] = (struct vec4){(float)t[0], (float)t[1], (float)t[2], t[3] < 0 ? -1 : 1};
    }
    warn_repaired(reader, "TANGENT", is_repaired);
    reader->out.flags |= PRIMITIVE_TANGENTS;
    return 0;
}

static struct vec2 *add_texcoords(struct primitive_reader *reader, int place, bool *is_needed)
{
    struct bake_builder *builder = reader->gltf->builder;
    const uint32_t count = place == 0 ? builder->texcoord_count : builder->second_texcoord_count;
    *is_needed = reader->texcoords[place] >= 0 || count > 0;
    if (!*is_needed)
        return NULL;
    const uint32_t before = reader->out.vertex_first - count, more = before + reader->out.vertex_count;
    struct vec2 *added = place == 0 ? bake_add_texcoord(builder, more) : bake_add_second_texcoord(builder, more);
    return added == NULL ? NULL : added + before;
}

/* place 0: texcoords, 1: second_texcoords */
static int read_texcoords(struct primitive_reader *reader, int place, struct err *err)
{
    bool is_needed, is_repaired = false;
    struct vec2 *texcoords = add_texcoords(reader, place, &is_needed);
    if (is_needed && texcoords == NULL)
        return gltf_full(reader->gltf, err);
    if (reader->texcoords[place] < 0)
        return 0;
    struct accessor accessor;
    char name[24];
    snprintf(name, sizeof name, "TEXCOORD_%u", (uint32_t)reader->texcoord_use.sets[place]);
    if (primitive_open(reader, name, reader->texcoords[place], ACCESSOR_VEC2, ACCESSOR_NUMBERS & ~ACCESSOR_U32,
                       &accessor, err) < 0)
        return err->code;
    for (uint32_t v = 0; v < accessor.count; v++) {
        double uv[4];
        is_repaired |= read_repaired(&accessor, v, uv);
        texcoords[v] = (struct vec2){(float)uv[0], (float)uv[1]};
    }
    warn_repaired(reader, name, is_repaired);
    reader->out.flags |= place == 0 ? PRIMITIVE_TEXCOORDS : PRIMITIVE_SECOND_TEXCOORDS;
    return 0;
}

static uint8_t color_byte(double value) { return (uint8_t)(fmin(fmax(value, 0), 1) * 255 + 0.5); }

/* As add_tangents(); white is what leaves the material's colour alone. */
static struct rgba8 *add_colors(struct primitive_reader *reader, bool *is_needed)
{
    struct bake_builder *builder = reader->gltf->builder;
    *is_needed = reader->color >= 0 || builder->color_count > 0;
    if (!*is_needed)
        return NULL;
    const uint32_t before = reader->out.vertex_first - builder->color_count;
    const uint32_t count = before + reader->out.vertex_count;
    struct rgba8 *added = bake_add_color(builder, count);
    if (added == NULL)
        return NULL;
    for (uint32_t i = 0; i < count; i++)
        added[i] = (struct rgba8){255, 255, 255, 255};
    return added + before;
}

static int read_colors(struct primitive_reader *reader, struct err *err)
{
    bool is_needed;
    struct rgba8 *colors = add_colors(reader, &is_needed);
    if (is_needed && colors == NULL)
        return gltf_full(reader->gltf, err);
    if (reader->color < 0)
        return 0;
    struct accessor accessor;
    if (primitive_open(reader, "COLOR_0", reader->color, ACCESSOR_VEC3 | ACCESSOR_VEC4,
                       ACCESSOR_F32 | ACCESSOR_U8 | ACCESSOR_U16, &accessor, err) < 0)
        return err->code;
    accessor.is_normalized = accessor.component != ACCESSOR_F32; /* the only meaning integers have here */
    bool is_repaired = false;
    for (uint32_t v = 0; v < accessor.count; v++) {
        double c[4];
        is_repaired |= read_repaired(&accessor, v, c);
        colors[v] = (struct rgba8){color_byte(c[0]), color_byte(c[1]), color_byte(c[2]),
                                   accessor.width == 4 ? color_byte(c[3]) : 255};
    }
    warn_repaired(reader, "COLOR_0", is_repaired);
    reader->out.flags |= PRIMITIVE_COLORS;
    return 0;
}

int primitive_read_vertices(struct primitive_reader *reader, struct err *err)
{
    if (read_positions(reader, err) < 0 || read_normals(reader, err) < 0 || read_tangents(reader, err) < 0 ||
        read_texcoords(reader, 0, err) < 0 || read_texcoords(reader, 1, err) < 0)
        return err->code;
    return read_colors(reader, err);
}

/* Twice the triangle's area, along its normal. */
static void face_normal(const struct vec3 *a, const struct vec3 *b, const struct vec3 *c, double out[3])
{
    const double u[3] = {(double)b->x - (double)a->x, (double)b->y - (double)a->y, (double)b->z - (double)a->z};
    const double v[3] = {(double)c->x - (double)a->x, (double)c->y - (double)a->y, (double)c->z - (double)a->z};
    out[0] = u[1] * v[2] - u[2] * v[1];
    out[1] = u[2] * v[0] - u[0] * v[2];
    out[2] = u[0] * v[1] - u[1] * v[0];
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
        struct vec3 *n = &normals[v];
        const double length =
            sqrt((double)n->x * (double)n->x + (double)n->y * (double)n->y + (double)n->z * (double)n->z);
        /* Lines, points and collapsed faces face up: towards the light. */
        *n = length > 0 ? (struct vec3){(float)((double)n->x / length), (float)((double)n->y / length),
                                        (float)((double)n->z / length)}
                        : (struct vec3){0, 1, 0};
    }
}
