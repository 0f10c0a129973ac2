/* gather_fill.c - what the samples show: normals, colours, texture coordinates, interpolated with perspective. */
#include "render/gather/gather_parts.h"
#include "render/gather/gather_vector.h"

#include <math.h>
#include <string.h>

/* What is interpolated. */
enum { NORMAL = 0, UV = 3, COLOR = 5, VALUES = 8 };

/* A triangle as its samples need it: values times 1 / w, and 1 / w itself, as planes over the screen. */
struct filling {
    struct gather_planes planes;
    float first[VALUES + 1], by_x[VALUES + 1], by_y[VALUES + 1]; /* last: 1 / w */
    float face[3];                                               /* its normal, to the side that is seen */
    float texels[2], uv[2]; /* the place of all where there are no texture coordinates */
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
    out->uv[0] = mesh->uv_from_texcoord[2];
    out->uv[1] = mesh->uv_from_texcoord[5];
    out->is_flat = mesh->is_flat;
    out->has_texcoords = mesh->texcoords != NULL;
    out->has_colors = mesh->colors != NULL;
}

/* Four samples beside each other. */
struct four {
    f32x4 values[VALUES + 1];
    f32x4 w;
};

static f32x4 plane_at(const struct filling *filling, int value, f32x4 dx, float dy)
{
    return filling->first[value] + filling->by_y[value] * dy + filling->by_x[value] * dx;
}

static void evaluate(const struct filling *filling, f32x4 dx, float dy, struct four *out)
{
    const int end = filling->has_colors ? VALUES : filling->has_texcoords ? COLOR : UV;
    out->values[VALUES] = plane_at(filling, VALUES, dx, dy);
    out->w = 1 / out->values[VALUES];
    for (int v = 0; v < end; v++)
        out->values[v] = plane_at(filling, v, dx, dy) * out->w;
}

/* 14 bits each for the two coordinates of a direction on the octahedron. */
static i32x4 octahedral(f32x4 nx, f32x4 ny, f32x4 nz)
{
    const float half = 0.5f * ((1 << 14) - 1);
    const f32x4 sum = f32x4_abs(nx) + f32x4_abs(ny) + f32x4_abs(nz), scale = 1 / f32x4_max(sum, (f32x4){0} + 1e-30f);
    const f32x4 x = nx * scale, y = ny * scale;
    const f32x4 folded_x = f32x4_with_sign(1 - f32x4_abs(y), x), folded_y = f32x4_with_sign(1 - f32x4_abs(x), y);
    const f32x4 at_x = f32x4_choose(nz < 0, folded_x, x), at_y = f32x4_choose(nz < 0, folded_y, y);
    const i32x4 low = __builtin_convertvector(at_x * half + (half + 0.5f), i32x4);
    const i32x4 high = __builtin_convertvector(at_y * half + (half + 0.5f), i32x4);
    return low | high << 14;
}

/* The normal of the surface, or of the face, on the side that is seen. */
static i32x4 normals_of(const struct filling *filling, const struct four *four)
{
    const f32x4 x = four->values[NORMAL], y = four->values[NORMAL + 1], z = four->values[NORMAL + 2];
    const float *face = filling->face;
    const i32x4 is_smooth = (i32x4){0} + (filling->is_flat ? 0 : -1);
    const i32x4 is_known = (x * x + y * y + z * z > 1e-8f) & is_smooth;
    const f32x4 side = f32x4_with_sign((f32x4){0} + 1, x * face[0] + y * face[1] + z * face[2]);
    return octahedral(f32x4_choose(is_known, side * x, (f32x4){0} + face[0]),
                      f32x4_choose(is_known, side * y, (f32x4){0} + face[1]),
                      f32x4_choose(is_known, side * z, (f32x4){0} + face[2]));
}

/* log2, off by less than a hundredth: steps of mip levels are coarser. */
static f32x4 rough_log2(f32x4 v)
{
    const f32x4 exponent = __builtin_convertvector(((i32x4)v >> 23) - 127, f32x4);
    const f32x4 mantissa = (f32x4)(((i32x4)v & 0x7fffff) | 0x3f800000);
    return exponent + (-0.3358f * mantissa + 2.0f) * mantissa - 1.6565f;
}

/* How far the texture goes on from one sample to the next, as llvmpipe measures it: the largest of the four. */
static i32x4 footprints_of(const struct filling *filling, const struct four *four)
{
    f32x4 most = {1e-7f, 1e-7f, 1e-7f, 1e-7f};
    if (!filling->has_texcoords)
        return (i32x4){1, 1, 1, 1};
    for (int i = UV; i < UV + 2; i++) {
        const f32x4 by_x = filling->by_x[i] - four->values[i] * filling->by_x[VALUES];
        const f32x4 by_y = filling->by_y[i] - four->values[i] * filling->by_y[VALUES];
        most = f32x4_max(most, f32x4_max(f32x4_abs(by_x), f32x4_abs(by_y)) * four->w * filling->texels[i - UV]);
    }
    const f32x4 place = 1.5f + 128 * (24 + rough_log2(most));
    return __builtin_convertvector(f32x4_min(place, (f32x4){0} + 4095), i32x4);
}

static i32x4 bytes_of(f32x4 values)
{
    const f32x4 rounded = f32x4_max(values + 0.5f, (f32x4){0});
    return __builtin_convertvector(f32x4_min(rounded, (f32x4){0} + 255), i32x4);
}

static i32x4 colors_of(const struct filling *filling, const struct four *four)
{
    if (!filling->has_colors)
        return (i32x4){0} + 0xffffff;
    return bytes_of(four->values[COLOR]) | bytes_of(four->values[COLOR + 1]) << 8 |
           bytes_of(four->values[COLOR + 2]) << 16;
}

/* Those of four samples whose lane is not 0. */
static void put_four(const struct filling *filling, const struct four *four, i32x4 lanes, struct gathered_sample *out)
{
    const i32x4 footprints = footprints_of(filling, four);
    const i32x4 normals = normals_of(filling, four) | footprints >> 8 << 28;
    const i32x4 colors = colors_of(filling, four) | footprints << 24;
    for (int i = 0; i < GATHER_LANES; i++)
        if (lanes[i] != 0)
            out[i] = (struct gathered_sample){
                .normal = (uint32_t)normals[i],
                .color = (uint32_t)colors[i],
                .uv = {filling->has_texcoords ? four->values[UV][i] : filling->uv[0],
                       filling->has_texcoords ? four->values[UV + 1][i] : filling->uv[1]},
            };
}

void gather_fill(struct gather *gather, uint32_t number)
{
    const struct gather_triangle *triangle = &gather->triangles[number];
    struct filling filling;
    struct gather_box box;
    if (!gather_measure(gather, triangle, &box, &filling.planes))
        return;
    prepare(gather, triangle, &filling);
    for (int32_t y = box.first_y; y <= box.last_y; y++) {
        const uint32_t *nearest = gather->nearest + (size_t)y * gather->width;
        struct gathered_sample *out =
            gather->samples + ((size_t)y - gather->first_y) * gather->columns - gather->first_x;
        for (int32_t x = box.first_x; x <= box.last_x; x += GATHER_LANES) {
            const i32x4 lanes = (i32x4_load(nearest + x) == (int32_t)number) & (LANES <= box.last_x - x);
            if ((lanes[0] | lanes[1] | lanes[2] | lanes[3]) == 0)
                continue;
            struct four four;
            const f32x4 dx = __builtin_convertvector(LANES + x, f32x4) + (0.5f - filling.planes.x);
            evaluate(&filling, dx, (float)y + 0.5f - filling.planes.y, &four);
            put_four(&filling, &four, lanes, out + x);
        }
    }
}
