/* shadow.c - draws a height map from below, blurs it in layers and projects it. */
#include "render/draw/shadow.h"

#include "anim/pose/skin.h"
#include "base/mem.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum { SIDE = SHADOW_SIDE };

/* The map extends beyond the model by this share of its size, so that blurred shadows end inside it. */
static const double BORDER = 0.28;

/* The layers: the height above the ground up to which things belong to it, relative to the model's size; its blur,
 * relative to the map; and its darkness. Chosen by eye. */
static const struct {
    float height, blur, darkness;
} LAYERS[] = {{0.03f, 0.012f, 0.34f}, {0.25f, 0.035f, 0.26f}, {2.0f, 0.075f, 0.22f}};

/* The ground in view space. */
struct ground_plane {
    double up[3], along[3], across[3]; /* unit vectors */
    double low, high;                  /* heights of the model */
    double first[2], last[2], size;    /* of the square of the map, along and across */
};

static void set_axes(struct ground_plane *ground, const struct model *model, const struct posed_model *posed)
{
    const double up[3] = {(double)model->infos[0].up[0], (double)model->infos[0].up[1], (double)model->infos[0].up[2]};
    dmat4_direction(&posed->camera.view_from_scene, up, ground->up);
    unit3(ground->up);
    double *a = ground->along, *u = ground->up, *c = ground->across;
    const double helper[3] = {fabs(u[0]) < 0.8, fabs(u[0]) >= 0.8, 0};
    cross3(helper, u, a);
    unit3(a);
    cross3(u, a, c);
}

/* Triangles: corner i is points[indices[i]], or points[i]. */
struct soup {
    const struct vec3 *points;
    const uint32_t *indices; /* or NULL */
    uint64_t corner_count;
};

/* Returns a corner as along, across, height. */
static void place(const struct ground_plane *ground, const struct soup *soup, uint64_t corner, double out[3])
{
    const struct vec3 v = soup->points[soup->indices == NULL ? corner : soup->indices[corner]];
    const double *p = DOUBLE3(v);
    out[0] = dot3(ground->along, p);
    out[1] = dot3(ground->across, p);
    out[2] = dot3(ground->up, p);
}

typedef void visit_soup(struct shadow *shadow, struct ground_plane *ground, const struct soup *soup);

/* Visits the skinned triangles of each draw, or those of the bones. */
static int visit(struct shadow *shadow, struct ground_plane *ground, const struct model *model,
                 const struct posed_model *posed, visit_soup *each, struct err *err)
{
    uint64_t most = posed->skeleton.vertex_count;
    for (uint32_t d = 0; d < posed->draw_count; d++) {
        const uint64_t count = model->primitives[model->draws[posed->draws[d].draw].primitive].vertex_count;
        most = count > most ? count : most;
    }
    shadow->points = mem_reserve(shadow->points, &shadow->point_capacity, most, sizeof *shadow->points);
    if (shadow->points == NULL)
        return err_set(err, ERR_NO_MEMORY, "no memory for the shadow of %llu vertices", (unsigned long long)most);
    for (uint32_t d = 0; d < posed->draw_count; d++) {
        const struct draw *draw = &model->draws[posed->draws[d].draw];
        const struct primitive *primitive = &model->primitives[draw->primitive];
        const struct skin_palette palette = posed_model_palette(posed, model, draw->skin);
        if (primitive->topology != TOPOLOGY_TRIANGLES)
            continue;
        skin_positions(model, draw->primitive, &palette, posed_model_bind(posed, model, &posed->draws[d]),
                       shadow->points);
        each(shadow, ground,
             &(struct soup){shadow->points, model->indices + primitive->index_first, primitive->index_count});
    }
    for (uint32_t v = 0; v < posed->skeleton.vertex_count; v++) {
        const struct vec3 b = posed->skeleton.positions[v];
        double to[3];
        dmat4_point(&posed->camera.view_from_scene, DOUBLE3(b), to);
        shadow->points[v] = (struct vec3){(float)to[0], (float)to[1], (float)to[2]};
    }
    each(shadow, ground, &(struct soup){shadow->points, NULL, posed->skeleton.vertex_count});
    return 0;
}

static void measure(struct shadow *shadow, struct ground_plane *ground, const struct soup *soup)
{
    (void)shadow;
    for (uint64_t c = 0; c < soup->corner_count; c++) {
        double p[3];
        place(ground, soup, c, p);
        ground->low = fmin(ground->low, p[2]);
        ground->high = fmax(ground->high, p[2]);
        for (int i = 0; i < 2; i++) {
            ground->first[i] = fmin(ground->first[i], p[i]);
            ground->last[i] = fmax(ground->last[i], p[i]);
        }
    }
}

static void lower(struct shadow *shadow, double x, double y, float height)
{
    if (!(x >= 0 && y >= 0 && x < SIDE && y < SIDE))
        return;
    float *here = &shadow->darkness[(int)y][(int)x];
    *here = fminf(*here, height);
}

/* Draws a triangle into the height map, at the centres of its squares. corners: map x, map y, height. */
static void draw_triangle(struct shadow *shadow, double c[3][3])
{
    const double area = (c[1][0] - c[0][0]) * (c[2][1] - c[0][1]) - (c[2][0] - c[0][0]) * (c[1][1] - c[0][1]);
    const double low_x = fmin(c[0][0], fmin(c[1][0], c[2][0])), high_x = fmax(c[0][0], fmax(c[1][0], c[2][0]));
    const double low_y = fmin(c[0][1], fmin(c[1][1], c[2][1])), high_y = fmax(c[0][1], fmax(c[1][1], c[2][1]));
    for (int i = 0; i < 3; i++) /* keeps what is thinner than a square */
        lower(shadow, c[i][0], c[i][1], (float)c[i][2]);
    if (area == 0 || !(high_x >= 0 && high_y >= 0 && low_x < SIDE && low_y < SIDE))
        return;
    const int last_x = (int)fmin(SIDE - 1, high_x), last_y = (int)fmin(SIDE - 1, high_y);
    for (int y = (int)fmax(0, low_y); y <= last_y; y++)
        for (int x = (int)fmax(0, low_x); x <= last_x; x++) {
            double share[3];
            for (int i = 0; i < 3; i++) {
                const double *a = c[(i + 1) % 3], *b = c[(i + 2) % 3];
                share[i] = ((a[0] - x - 0.5) * (b[1] - y - 0.5) - (b[0] - x - 0.5) * (a[1] - y - 0.5)) / area;
            }
            if (share[0] >= 0 && share[1] >= 0 && share[2] >= 0)
                lower(shadow, x, y, (float)(share[0] * c[0][2] + share[1] * c[1][2] + share[2] * c[2][2]));
        }
}

static void draw_heights(struct shadow *shadow, struct ground_plane *ground, const struct soup *soup)
{
    const double scale = SIDE / ground->size, tall = fmax(ground->high - ground->low, ground->size / 2);
    for (uint64_t t = 0; t + 2 < soup->corner_count; t += 3) {
        double corners[3][3];
        for (uint64_t i = 0; i < 3; i++) {
            place(ground, soup, t + i, corners[i]);
            corners[i][0] = (corners[i][0] - ground->first[0]) * scale;
            corners[i][1] = (corners[i][1] - ground->first[1]) * scale;
            corners[i][2] = (corners[i][2] - ground->low) / tall;
        }
        draw_triangle(shadow, corners);
    }
}

/* Box-blurs one line, `stride` apart. Three passes are nearly a Gaussian. */
static void blur_line(float *line, int stride, int radius)
{
    float sums[SIDE + 1] = {0};
    for (int i = 0; i < SIDE; i++)
        sums[i + 1] = sums[i] + line[i * stride];
    for (int i = 0; i < SIDE; i++) {
        const int from = i - radius < 0 ? 0 : i - radius, to = i + radius + 1 > SIDE ? SIDE : i + radius + 1;
        line[i * stride] = (sums[to] - sums[from]) / (float)(2 * radius + 1);
    }
}

static void blur(float map[SIDE][SIDE], int radius)
{
    for (int pass = 0; pass < 3; pass++)
        for (int i = 0; i < SIDE; i++) {
            blur_line(map[i], 1, radius);
            blur_line(&map[0][i], SIDE, radius);
        }
}

/* Converts heights to darkness. */
static void lay_layers(struct shadow *shadow)
{
    static float layer[SIDE][SIDE], light[SIDE][SIDE]; /* the worker's only thread */
    for (int i = 0; i < SIDE * SIDE; i++)
        light[i / SIDE][i % SIDE] = 1;
    for (size_t l = 0; l < sizeof LAYERS / sizeof *LAYERS; l++) {
        for (int i = 0; i < SIDE * SIDE; i++)
            layer[i / SIDE][i % SIDE] = shadow->darkness[i / SIDE][i % SIDE] < LAYERS[l].height;
        blur(layer, (int)(LAYERS[l].blur * SIDE + 0.5f));
        for (int i = 0; i < SIDE * SIDE; i++)
            light[i / SIDE][i % SIDE] *= 1 - LAYERS[l].darkness * layer[i / SIDE][i % SIDE];
    }
    for (int i = 0; i < SIDE * SIDE; i++)
        shadow->darkness[i / SIDE][i % SIDE] = 1 - light[i / SIDE][i % SIDE];
}

static void multiply3(const double a[9], const double b[9], double out[9])
{
    for (int r = 0; r < 3; r++)
        for (int c = 0; c < 3; c++)
            out[3 * r + c] = a[3 * r] * b[c] + a[3 * r + 1] * b[3 + c] + a[3 * r + 2] * b[6 + c];
}

static bool invert3(const double m[9], double out[9])
{
    for (int r = 0; r < 3; r++)
        for (int c = 0; c < 3; c++) {
            const int r1 = (c + 1) % 3, r2 = (c + 2) % 3, c1 = (r + 1) % 3, c2 = (r + 2) % 3;
            out[3 * r + c] = m[3 * r1 + c1] * m[3 * r2 + c2] - m[3 * r1 + c2] * m[3 * r2 + c1];
        }
    const double det = m[0] * out[0] + m[1] * out[3] + m[2] * out[6];
    for (int i = 0; i < 9; i++)
        out[i] /= det;
    return isnormal(det);
}

/* The ground's points (a, b, 1) are at clip_from_view * (a along + b across + low up): three columns, of whose rows x,
 * y and w count. The inverse maps a pixel back, times 1 / w, which is positive in front of the eye. */
static bool aim(struct shadow *shadow, const struct ground_plane *ground, const struct posed_model *posed,
                uint32_t width, uint32_t height)
{
    const double *m = posed->camera.clip_from_view.m;
    static const int ROWS[3] = {0, 1, 3};
    double clip_from_ground[9], ground_from_clip[9], ground_from_pixel[9];
    for (int r = 0; r < 3; r++) {
        const double row[3] = {m[ROWS[r]], m[4 + ROWS[r]], m[8 + ROWS[r]]};
        clip_from_ground[3 * r] = dot3(row, ground->along);
        clip_from_ground[3 * r + 1] = dot3(row, ground->across);
        clip_from_ground[3 * r + 2] = ground->low * dot3(row, ground->up) + m[12 + ROWS[r]];
    }
    const double clip_from_pixel[9] = {2.0 / width, 0, -1, 0, -2.0 / height, 1, 0, 0, 1};
    const double scale = SIDE / ground->size;
    const double map_from_ground[9] = {scale, 0, -ground->first[0] * scale, 0, scale, -ground->first[1] * scale, 0,
                                       0,     1};
    if (!invert3(clip_from_ground, ground_from_clip))
        return false;
    multiply3(ground_from_clip, clip_from_pixel, ground_from_pixel);
    multiply3(map_from_ground, ground_from_pixel, shadow->map_from_pixel);
    const bool is_perspective = m[11] != 0;
    return is_perspective ? ground->low < 0 : ground->up[2] > 0;
}

int shadow_make(struct shadow *shadow, const struct model *model, const struct posed_model *posed, uint32_t width,
                uint32_t height, struct err *err)
{
    struct ground_plane ground = {
        .low = DBL_MAX, .high = -DBL_MAX, .first = {DBL_MAX, DBL_MAX}, .last = {-DBL_MAX, -DBL_MAX}};
    shadow->is_seen = false;
    set_axes(&ground, model, posed);
    if (visit(shadow, &ground, model, posed, measure, err) < 0)
        return err->code;
    ground.size = fmax(ground.last[0] - ground.first[0], ground.last[1] - ground.first[1]);
    if (!(ground.size > 0) || !isfinite(ground.size) || !isfinite(ground.low))
        return 0;
    ground.first[0] -= BORDER * ground.size;
    ground.first[1] -= BORDER * ground.size;
    ground.size *= 1 + 2 * BORDER;
    shadow->is_seen = aim(shadow, &ground, posed, width, height);
    if (!shadow->is_seen)
        return 0;
    for (int i = 0; i < SIDE * SIDE; i++)
        shadow->darkness[i / SIDE][i % SIDE] = FLT_MAX;
    if (visit(shadow, &ground, model, posed, draw_heights, err) < 0)
        return err->code;
    lay_layers(shadow);
    return 0;
}

/* Samples the map linearly between the centres of its squares; 0 outside. */
static float darkness_at(const struct shadow *shadow, double x, double y)
{
    x -= 0.5;
    y -= 0.5;
    if (!(x >= 0 && y >= 0 && x < SIDE - 1 && y < SIDE - 1))
        return 0;
    const int left = (int)x, top = (int)y;
    const float right_share = (float)(x - left), low_share = (float)(y - top);
    const float *upper = &shadow->darkness[top][left], *below = &shadow->darkness[top + 1][left];
    return (upper[0] * (1 - right_share) + upper[1] * right_share) * (1 - low_share) +
           (below[0] * (1 - right_share) + below[1] * right_share) * low_share;
}

/* Fades towards the picture's edges, which would cut the shadow off. */
static float fade(uint32_t at, uint32_t size)
{
    const float margin = 0.08f * (float)size, left = (float)at + 0.5f, right = (float)size - left;
    const float share = fminf(1, fminf(left, right) / margin);
    return share * share * (3 - 2 * share);
}

void shadow_fill(const struct shadow *shadow, uint32_t width, uint32_t height, uint8_t *out)
{
    const double *m = shadow->map_from_pixel;
    memset(out, 0, (size_t)width * height);
    if (!shadow->is_seen)
        return;
    for (uint32_t y = 0; y < height; y++) {
        const float share = 255 * fade(y, height);
        for (uint32_t x = 0; x < width; x++, out++) {
            const double px = x + 0.5, py = y + 0.5, w = m[6] * px + m[7] * py + m[8];
            const float dark =
                w <= 0 ? 0
                       : darkness_at(shadow, (m[0] * px + m[1] * py + m[2]) / w, (m[3] * px + m[4] * py + m[5]) / w);
            if (dark > 0)
                *out = (uint8_t)(share * fade(x, width) * dark + 0.5f);
        }
    }
}
