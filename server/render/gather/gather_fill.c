/* gather_fill.c - interpolates normals, colours and texture coordinates of samples with perspective. */
#include "render/gather/gather_internal.h"
#include "render/gather/gather_vector.h"

#include "anim/model/color.h"

#include <math.h>
#include <string.h>

/* The interpolated values. */
enum { NORMAL = 0, UV = 3, COLOR = 5, TANGENT = COLOR, VALUES = 8 };

/* A triangle prepared for its samples: values times 1 / w, and 1 / w itself, as planes over the screen. */
struct filling {
    struct gather_planes planes;
    float first[VALUES + 1], by_x[VALUES + 1], by_y[VALUES + 1]; /* last: 1 / w */
    float face[3];                                               /* its normal on the visible side */
    float texels[2], uv[2];                                      /* place of all samples without texture coordinates */
    bool is_flat, has_texcoords, has_colors, has_tangents, has_bumps;
    float tangent_side; /* of the vertices' tangents: 1 or -1 */
    float edges[2][3];  /* from the first corner to the others, counter-clockwise on the screen */
    float steps[2][2];  /* change of the texture coordinates along them */
};

static void values_of(const struct gather_mesh *mesh, uint32_t vertex, float out[VALUES])
{
    const float *m = mesh->uv_from_texcoord;
    memcpy(out + NORMAL, &mesh->normals[vertex], 3 * sizeof *out);
    for (int i = 0; i < 2; i++)
        out[UV + i] = mesh->texcoords == NULL ? m[3 * i + 2]
                                              : m[3 * i] * mesh->texcoords[vertex].x +
                                                    m[3 * i + 1] * mesh->texcoords[vertex].y + m[3 * i + 2];
    if (mesh->has_bumps && mesh->tangents != NULL) {
        memcpy(out + TANGENT, &mesh->tangents[vertex], 3 * sizeof *out);
        return;
    }
    const struct rgba16 c = mesh->colors == NULL ? RGBA16_WHITE : mesh->colors[vertex];
    out[COLOR] = c.r;
    out[COLOR + 1] = c.g;
    out[COLOR + 2] = c.b;
}

static void cross(const float a[3], const float b[3], float out[3])
{
    out[0] = a[1] * b[2] - a[2] * b[1];
    out[1] = a[2] * b[0] - a[0] * b[2];
    out[2] = a[0] * b[1] - a[1] * b[0];
}

/* Computes the edges and their normal, which is zero without an area. Counter-clockwise on the screen means that it
 * faces the eye. */
static void find_face(const struct gather_mesh *mesh, const uint32_t corners[3], bool is_turned, struct filling *out)
{
    const struct vec3 *a = &mesh->positions[corners[0]];
    for (int e = 0; e < 2; e++) {
        const struct vec3 *b = &mesh->positions[corners[is_turned ? 2 - e : 1 + e]];
        const float edge[3] = {b->x - a->x, b->y - a->y, b->z - a->z};
        memcpy(out->edges[e], edge, sizeof edge);
    }
    cross(out->edges[0], out->edges[1], out->face);
}

/* Finds the data for tangents. values: of the corners. */
static void find_tangents(const struct gather_mesh *mesh, const struct gather_triangle *triangle, bool is_turned,
                          float values[3][VALUES + 1], struct filling *out)
{
    const uint32_t *corners = triangle->corners;
    for (int e = 0; e < 2; e++)
        for (int i = 0; i < 2; i++)
            out->steps[e][i] = values[is_turned ? 2 - e : 1 + e][UV + i] - values[0][UV + i];
    if (mesh->tangents == NULL)
        return;
    const struct vec4 *t = mesh->tangents;
    out->tangent_side = t[corners[0]].w + t[corners[1]].w + t[corners[2]].w < 0 ? -1 : 1;
}

static void prepare(const struct gather *gather, const struct gather_triangle *triangle, struct filling *out)
{
    const struct gather_mesh *mesh = &gather->meshes[triangle->mesh];
    const struct gather_planes *planes = &out->planes;
    float values[3][VALUES + 1];
    for (int i = 0; i < 3; i++)
        values_of(mesh, triangle->corners[i], values[i]);
    const bool is_turned = planes->by_x[0] * planes->by_y[1] - planes->by_y[0] * planes->by_x[1] < 0;
    find_face(mesh, triangle->corners, is_turned, out);
    if (mesh->has_bumps)
        find_tangents(mesh, triangle, is_turned, values, out);
    for (int i = 0; i < 3; i++) {
        const float per_w = gather_corner(gather, triangle, i)->per_w;
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
    memcpy(out->texels, mesh->texels, sizeof out->texels);
    out->uv[0] = mesh->uv_from_texcoord[2];
    out->uv[1] = mesh->uv_from_texcoord[5];
    out->is_flat = mesh->is_flat;
    out->has_texcoords = mesh->texcoords != NULL;
    out->has_bumps = mesh->has_bumps;
    out->has_tangents = mesh->has_bumps && mesh->tangents != NULL;
    out->has_colors = !mesh->has_bumps && mesh->colors != NULL;
}

/* Four samples side by side. */
struct four {
    f32x4 values[VALUES + 1];
    f32x4 w;
    f32x4 normal[3], side; /* on the visible side; -1 where the vertices' normal is on the other */
};

static f32x4 plane_at(const struct filling *filling, int value, f32x4 dx, float dy)
{
    return filling->first[value] + filling->by_y[value] * dy + filling->by_x[value] * dx;
}

static void evaluate(const struct filling *filling, f32x4 dx, float dy, struct four *out)
{
    const int end = filling->has_colors || filling->has_tangents ? VALUES : filling->has_texcoords ? COLOR : UV;
    out->values[VALUES] = plane_at(filling, VALUES, dx, dy);
    out->w = 1 / out->values[VALUES];
    for (int v = 0; v < end; v++)
        out->values[v] = plane_at(filling, v, dx, dy) * out->w;
}

/* Computes the octahedral coordinates of a direction, -1 to 1. */
static void find_octahedral(const f32x4 n[3], f32x4 out[2])
{
    const f32x4 sum = f32x4_abs(n[0]) + f32x4_abs(n[1]) + f32x4_abs(n[2]);
    const f32x4 scale = 1 / f32x4_max(sum, f32x4_all(1e-30f)), x = n[0] * scale, y = n[1] * scale;
    out[0] = f32x4_choose(n[2] < 0, f32x4_with_sign(1 - f32x4_abs(y), x), x);
    out[1] = f32x4_choose(n[2] < 0, f32x4_with_sign(1 - f32x4_abs(x), y), y);
}

/* Converts -1 to 1 to an integer of `bits` bits. */
static i32x4 bits_of(f32x4 value, int bits)
{
    const float half = 0.5f * (float)((1 << bits) - 1);
    return __builtin_convertvector(value * half + (half + 0.5f), i32x4);
}

/* Computes the normal of the surface, or of the face, on the visible side. */
static void find_normals(const struct filling *filling, struct four *four)
{
    const f32x4 x = four->values[NORMAL], y = four->values[NORMAL + 1], z = four->values[NORMAL + 2];
    const float *face = filling->face;
    const i32x4 is_smooth = i32x4_all(filling->is_flat ? 0 : -1);
    const i32x4 is_known = (x * x + y * y + z * z > 1e-8f) & is_smooth;
    const f32x4 side = f32x4_with_sign(f32x4_all(1), x * face[0] + y * face[1] + z * face[2]);
    for (int i = 0; i < 3; i++)
        four->normal[i] = f32x4_choose(is_known, side * four->values[NORMAL + i], f32x4_all(face[i]));
    four->side = f32x4_choose(is_known, side, f32x4_all(1));
}

static i32x4 normals_of(const struct four *four)
{
    f32x4 place[2];
    find_octahedral(four->normal, place);
    return bits_of(place[0], 14) | bits_of(place[1], 14) << 14;
}

static f32x4 dot(const f32x4 a[3], const f32x4 b[3]) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }

static void cross_four(const f32x4 a[3], const f32x4 b[3], f32x4 out[3])
{
    for (int i = 0; i < 3; i++)
        out[i] = a[(i + 1) % 3] * b[(i + 2) % 3] - a[(i + 2) % 3] * b[(i + 1) % 3];
}

/* Finds the directions along the surface in which the texture coordinates grow, as bumped() in surface.glsl does: that
 * of the first coordinate, and the side on which the second one lies. */
static void find_places(const struct filling *filling, const f32x4 normal[3], f32x4 along[3], f32x4 *side)
{
    const struct filling *f = filling;
    f32x4 edges[2][3], by_first[3], by_second[3], up[3], across[3];
    for (int e = 0; e < 2; e++)
        for (int i = 0; i < 3; i++)
            edges[e][i] = f32x4_all(f->edges[e][i]);
    cross_four(edges[1], normal, by_first);
    cross_four(normal, edges[0], by_second);
    for (int i = 0; i < 3; i++) {
        along[i] = by_first[i] * f->steps[0][0] + by_second[i] * f->steps[1][0];
        up[i] = -(by_first[i] * f->steps[0][1] + by_second[i] * f->steps[1][1]);
    }
    cross_four(normal, along, across);
    *side = f32x4_with_sign(f32x4_all(1), dot(across, up));
}

/* Encodes tangents as in struct gathered_sample. A back shows the same dents from behind, so both directions of its
 * texture are reversed. */
static i32x4 tangents_of(const struct filling *filling, const struct four *four)
{
    f32x4 along[3], side, place[2];
    find_places(filling, four->normal, along, &side);
    if (filling->has_tangents) {
        const i32x4 is_known = dot(&four->values[TANGENT], &four->values[TANGENT]) > 1e-12f;
        for (int i = 0; i < 3; i++)
            along[i] = f32x4_choose(is_known, four->values[TANGENT + i], along[i]);
        side = f32x4_choose(is_known, four->side * filling->tangent_side, side);
    }
    const i32x4 is_none = dot(along, along) <= 0;
    for (int i = 0; i < 3; i++)
        along[i] *= four->side;
    find_octahedral(along, place);
    i32x4 second = bits_of(place[1], 12);
    second += second == 4095; /* -1: never all ones */
    const i32x4 behind = (i32x4)(side < 0) & (1 << 23);
    const i32x4 all = bits_of(place[0], 11) | second << 11 | behind;
    return i32x4_choose(is_none, i32x4_all(0xffffff), all);
}

/* log2 with an error below a hundredth, which is finer than steps of mip levels. */
static f32x4 rough_log2(f32x4 v)
{
    const f32x4 exponent = __builtin_convertvector(((i32x4)v >> 23) - 127, f32x4);
    const f32x4 mantissa = (f32x4)(((i32x4)v & 0x7fffff) | 0x3f800000);
    return exponent + (-0.3358f * mantissa + 2.0f) * mantissa - 1.6565f;
}

/* Computes how far the texture moves from one sample to the next, as llvmpipe does: the largest of the four. */
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
    return __builtin_convertvector(f32x4_min(place, f32x4_all(4095)), i32x4);
}

/* values: of 16 bits. */
static i32x4 roots_of(f32x4 values)
{
    const f32x4 shares = f32x4_max(values * (1.0f / UINT16_MAX), (f32x4){0});
    const f32x4 roots = {sqrtf(shares[0]), sqrtf(shares[1]), sqrtf(shares[2]), sqrtf(shares[3])};
    return __builtin_convertvector(f32x4_min(roots * 255 + 0.5f, f32x4_all(255)), i32x4);
}

static i32x4 colors_of(const struct filling *filling, const struct four *four)
{
    if (filling->has_bumps)
        return tangents_of(filling, four);
    if (!filling->has_colors)
        return i32x4_all(0xffffff);
    return roots_of(four->values[COLOR]) | roots_of(four->values[COLOR + 1]) << 8 |
           roots_of(four->values[COLOR + 2]) << 16;
}

/* Stores those of the four samples whose lane is not 0. */
static void put_four(const struct filling *filling, struct four *four, i32x4 lanes, struct gathered_sample *out)
{
    const i32x4 footprints = footprints_of(filling, four);
    find_normals(filling, four);
    const i32x4 normals = normals_of(four) | footprints >> 8 << 28;
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
