/* gather_fill.c - what the samples show: normals, colours, texture coordinates, interpolated with perspective. */
#include "render/gather/gather_parts.h"

#include <math.h>
#include <string.h>

/* What is interpolated. */
enum { NORMAL = 0, UV = 3, COLOR = 5, VALUES = 8 };

/* A triangle as its samples need it: values times 1 / w, and 1 / w itself, as planes over the screen. */
struct filling {
    struct gather_planes planes;
    float first[VALUES + 1], by_x[VALUES + 1], by_y[VALUES + 1]; /* last: 1 / w */
    float face[3];                                               /* its normal, to the side that is seen */
    float texels[2];
    bool is_flat, has_texcoords, has_colors;
};

static void values_of(const struct gather_mesh *mesh, uint32_t vertex, float out[VALUES])
{
    const float *m = mesh->uv_from_texcoord;
    memcpy(out + NORMAL, &mesh->normals[vertex], 3 * sizeof *out);
    for (int i = 0; i < 2; i++)
        out[UV + i] = mesh->texcoords == NULL ? m[3 * i + 2]
                                              : m[3 * i] * mesh->texcoords[vertex].x +
                                                    m[3 * i + 1] * mesh->texcoords[vertex].y + m[3 * i + 2];
    const struct rgba8 white = {255, 255, 255, 255}, c = mesh->colors == NULL ? white : mesh->colors[vertex];
    out[COLOR] = c.r;
    out[COLOR + 1] = c.g;
    out[COLOR + 2] = c.b;
}

/* The face's normal: zero where it has no area. Counter-clockwise on the screen means that it faces the eye. */
static void find_face(const struct gather_mesh *mesh, const uint32_t corners[3], bool is_turned, float face[3])
{
    const struct vec3 *a = &mesh->positions[corners[0]], *b = &mesh->positions[corners[is_turned ? 2 : 1]],
                      *c = &mesh->positions[corners[is_turned ? 1 : 2]];
    const float p[3] = {b->x - a->x, b->y - a->y, b->z - a->z}, q[3] = {c->x - a->x, c->y - a->y, c->z - a->z};
    face[0] = p[1] * q[2] - p[2] * q[1];
    face[1] = p[2] * q[0] - p[0] * q[2];
    face[2] = p[0] * q[1] - p[1] * q[0];
}

static void prepare(const struct gather *gather, const struct gather_triangle *triangle, struct filling *out)
{
    const struct gather_mesh *mesh = &gather->meshes[triangle->mesh];
    const struct gather_planes *planes = &out->planes;
    float values[3][VALUES + 1];
    for (int i = 0; i < 3; i++) {
        const float per_w = gather_corner(gather, triangle, i)->per_w;
        values_of(mesh, triangle->corners[i], values[i]);
        for (int v = 0; v < VALUES; v++)
            values[i][v] *= per_w;
        values[i][VALUES] = per_w;
    }
    for (int v = 0; v <= VALUES; v++) {
        const float to_b = values[1][v] - values[0][v], to_c = values[2][v] - values[0][v];
        out->first[v] = values[0][v];
        out->by_x[v] = planes->by_x[0] * to_b + planes->by_x[1] * to_c;
        out->by_y[v] = planes->by_y[0] * to_b + planes->by_y[1] * to_c;
    }
    const bool is_turned = planes->by_x[0] * planes->by_y[1] - planes->by_y[0] * planes->by_x[1] < 0;
    find_face(mesh, triangle->corners, is_turned, out->face);
    memcpy(out->texels, mesh->texels, sizeof out->texels);
    out->is_flat = mesh->is_flat;
    out->has_texcoords = mesh->texcoords != NULL;
    out->has_colors = mesh->colors != NULL;
}

/* 14 bits each for the two coordinates of a direction on the octahedron. */
static uint32_t octahedral(const float n[3])
{
    const float sum = fabsf(n[0]) + fabsf(n[1]) + fabsf(n[2]), scale = sum > 0 ? 1 / sum : 0;
    float x = n[0] * scale, y = n[1] * scale;
    if (n[2] < 0) {
        const float folded = (1 - fabsf(y)) * (x >= 0 ? 1.0f : -1.0f);
        y = (1 - fabsf(x)) * (y >= 0 ? 1.0f : -1.0f);
        x = folded;
    }
    const float half = 0.5f * ((1 << 14) - 1);
    return (uint32_t)(x * half + half + 0.5f) | (uint32_t)(y * half + half + 0.5f) << 14;
}

/* The normal of the surface, or of the face, on the side that is seen. */
static uint32_t normal_at(const struct filling *filling, const float normal[3])
{
    const float *face = filling->face;
    const float squared = normal[0] * normal[0] + normal[1] * normal[1] + normal[2] * normal[2];
    if (filling->is_flat || !(squared > 1e-8f))
        return octahedral(face[0] != 0 || face[1] != 0 || face[2] != 0 ? face : (const float[3]){0, 0, 1});
    const bool is_behind = normal[0] * face[0] + normal[1] * face[1] + normal[2] * face[2] < 0;
    const float side = is_behind ? -1 : 1;
    return octahedral((const float[3]){side * normal[0], side * normal[1], side * normal[2]});
}

/* log2, off by less than a hundredth: steps of mip levels are coarser. */
static float rough_log2(float x)
{
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    const float exponent = (float)(int32_t)(bits >> 23) - 127;
    bits = (bits & 0x7fffff) | 0x3f800000;
    memcpy(&x, &bits, sizeof x);
    return exponent + (-0.3358f * x + 2.0f) * x - 1.6565f;
}

/* How far the texture goes on from one sample to the next, as llvmpipe measures it: the largest of the four. */
static uint32_t footprint_at(const struct filling *filling, const float uv[2], float w)
{
    float most = 1e-7f;
    for (int i = 0; i < 2; i++) {
        const float by_x = filling->by_x[UV + i] - uv[i] * filling->by_x[VALUES];
        const float by_y = filling->by_y[UV + i] - uv[i] * filling->by_y[VALUES];
        most = fmaxf(most, fmaxf(fabsf(by_x), fabsf(by_y)) * fabsf(w) * filling->texels[i]);
    }
    const float place = 1 + 128 * (24 + rough_log2(most));
    return place < 4095 ? (uint32_t)(place + 0.5f) : 4095;
}

static uint32_t byte_of(float value)
{
    const float rounded = value + 0.5f;
    return rounded > 255 ? 255 : rounded > 0 ? (uint32_t)rounded : 0;
}

static struct gathered_sample sample_at(const struct filling *filling, int32_t x, int32_t y)
{
    const float dx = (float)x + 0.5f - filling->planes.x, dy = (float)y + 0.5f - filling->planes.y;
    float values[VALUES + 1];
    for (int v = 0; v <= VALUES; v++)
        values[v] = filling->first[v] + filling->by_x[v] * dx + filling->by_y[v] * dy;
    const float w = 1 / values[VALUES];
    for (int v = 0; v < VALUES; v++)
        values[v] *= w;
    const uint32_t footprint = filling->has_texcoords ? footprint_at(filling, values + UV, w) : 1;
    const uint32_t color = !filling->has_colors ? 0xffffff
                                                : byte_of(values[COLOR]) | byte_of(values[COLOR + 1]) << 8 |
                                                      byte_of(values[COLOR + 2]) << 16;
    return (struct gathered_sample){.normal = normal_at(filling, values + NORMAL) | (footprint >> 8) << 28,
                                    .color = color | (footprint & 255) << 24,
                                    .uv = {values[UV], values[UV + 1]}};
}

void gather_fill(struct gather *gather, uint32_t number)
{
    const struct gather_triangle *triangle = &gather->triangles[number];
    struct filling filling;
    struct gather_box box;
    bool is_ready = false;
    if (!gather_measure(gather, triangle, &box, &filling.planes))
        return;
    for (int32_t y = box.first_y; y <= box.last_y; y++) {
        const struct gather_cell *cell = gather->cells + (size_t)y * gather->width + box.first_x;
        for (int32_t x = box.first_x; x <= box.last_x; x++, cell++) {
            if (cell->triangle != number)
                continue;
            if (!is_ready)
                prepare(gather, triangle, &filling);
            is_ready = true;
            gather->samples[((size_t)y - gather->first_y) * gather->columns + (size_t)x - gather->first_x] =
                sample_at(&filling, x, y);
        }
    }
}
