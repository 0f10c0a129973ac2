/* gather_raster.c - finds the samples of a triangle, four at a time for small ones, as nearly all are. */
#include "render/gather/gather_internal.h"
#include "render/gather/gather_vector.h"

#include <math.h>

enum { STEPS = GATHER_STEPS, HALF = STEPS / 2 };
/* In steps: products of two such differences, and their sums, stay far below 2^31. */
enum { SMALL = 64 * STEPS };

static int32_t least3(int32_t a, int32_t b, int32_t c) { return a < b ? (a < c ? a : c) : (b < c ? b : c); }
static int32_t most3(int32_t a, int32_t b, int32_t c) { return a > b ? (a > c ? a : c) : (b > c ? b : c); }
static int32_t larger(int32_t a, int32_t b) { return a > b ? a : b; }
static int32_t smaller(int32_t a, int32_t b) { return a < b ? a : b; }

static int64_t twice_area(const struct gather_point *a, const struct gather_point *b, const struct gather_point *c)
{
    return (int64_t)(b->x - a->x) * (c->y - a->y) - (int64_t)(b->y - a->y) * (c->x - a->x);
}

/* False when no sample centre is within the bounds. Shifts round down. */
static bool find_box(const struct gather *gather, const struct gather_point *a, const struct gather_point *b,
                     const struct gather_point *c, struct gather_box *box)
{
    box->first_x = larger((least3(a->x, b->x, c->x) + HALF - 1) >> 8, 0);
    box->first_y = larger((least3(a->y, b->y, c->y) + HALF - 1) >> 8, 0);
    box->last_x = smaller((most3(a->x, b->x, c->x) - HALF) >> 8, (int32_t)gather->width - 1);
    box->last_y = smaller((most3(a->y, b->y, c->y) - HALF) >> 8, (int32_t)gather->height - 1);
    return box->first_x <= box->last_x && box->first_y <= box->last_y;
}

bool gather_measure(const struct gather *gather, const struct gather_triangle *triangle, struct gather_box *box,
                    struct gather_planes *planes)
{
    const struct gather_point *a = gather_corner(gather, triangle, 0), *b = gather_corner(gather, triangle, 1),
                              *c = gather_corner(gather, triangle, 2);
    const int64_t area = twice_area(a, b, c);
    if (area == 0 || !find_box(gather, a, b, c, box))
        return false;
    const float per_area = STEPS / (float)area;
    planes->x = (float)a->x / STEPS;
    planes->y = (float)a->y / STEPS;
    planes->by_x[0] = (float)(c->y - a->y) * per_area;
    planes->by_y[0] = -(float)(c->x - a->x) * per_area;
    planes->by_x[1] = -(float)(b->y - a->y) * per_area;
    planes->by_y[1] = (float)(b->x - a->x) * per_area;
    return true;
}

/* An edge function of a triangle whose inside is to the left: the distance of a sample, and its increments. */
struct side {
    int64_t distance, by_x, by_y; /* inside: not below 0 */
};

/* A sample on an edge belongs to the triangle of which it is the left or upper edge. */
static struct side side_of(const struct gather_point *from, const struct gather_point *to, const struct gather_box *box)
{
    const int64_t dx = to->x - from->x, dy = to->y - from->y;
    const int64_t x = (int64_t)box->first_x * STEPS + HALF - from->x;
    const int64_t y = (int64_t)box->first_y * STEPS + HALF - from->y;
    const bool is_own = dy < 0 || (dy == 0 && dx < 0);
    return (struct side){.distance = dx * y - dy * x - !is_own, .by_x = -dy * STEPS, .by_y = dx * STEPS};
}

/* The state of rasterizing a triangle over its box. */
struct raster {
    struct gather_box box;
    struct side sides[3];
    float depth, by_x, by_y; /* at the first sample of the box, and its increments */
    uint32_t number;
};

static void put_small(struct gather *gather, const struct raster *raster)
{
    const struct gather_box *box = &raster->box;
    i32x4 starts[3], by_x[3], by_y[3];
    for (int s = 0; s < 3; s++) {
        const int32_t step = (int32_t)raster->sides[s].by_x;
        starts[s] = (int32_t)raster->sides[s].distance + step * LANES;
        by_x[s] = i32x4_all(GATHER_LANES * step);
        by_y[s] = i32x4_all((int32_t)raster->sides[s].by_y);
    }
    const f32x4 depth_start = raster->depth + raster->by_x * __builtin_convertvector(LANES, f32x4);
    for (int32_t y = box->first_y; y <= box->last_y; y++) {
        const size_t row = (size_t)y * gather->width;
        f32x4 depth = depth_start + raster->by_y * (float)(y - box->first_y);
        i32x4 s = starts[0], t = starts[1], u = starts[2];
        for (int32_t x = box->first_x; x <= box->last_x; x += GATHER_LANES) {
            float *const depths = gather->depths + row + x;
            uint32_t *const nearest = gather->nearest + row + x;
            const f32x4 there = f32x4_load(depths);
            const i32x4 mask = ((s | t | u) >= 0) & (LANES <= box->last_x - x) & (depth <= there);
            const f32x4 nearer = f32x4_choose(mask, depth, there);
            const i32x4 numbers = i32x4_choose(mask, i32x4_all((int32_t)raster->number), i32x4_load(nearest));
            memcpy(depths, &nearer, sizeof nearer);
            memcpy(nearest, &numbers, sizeof numbers);
            s += by_x[0];
            t += by_x[1];
            u += by_x[2];
            depth += GATHER_LANES * raster->by_x;
        }
        for (int i = 0; i < 3; i++)
            starts[i] += by_y[i];
    }
}

static void put_large(struct gather *gather, const struct raster *raster)
{
    const struct gather_box *box = &raster->box;
    int64_t starts[3] = {raster->sides[0].distance, raster->sides[1].distance, raster->sides[2].distance};
    for (int32_t y = box->first_y; y <= box->last_y; y++) {
        const size_t row = (size_t)y * gather->width;
        const float row_depth = raster->depth + raster->by_y * (float)(y - box->first_y);
        int64_t s = starts[0], t = starts[1], u = starts[2];
        for (int32_t x = box->first_x; x <= box->last_x; x++) {
            const float depth = row_depth + raster->by_x * (float)(x - box->first_x);
            if ((s | t | u) >= 0 && depth <= gather->depths[row + (size_t)x]) {
                gather->depths[row + (size_t)x] = depth;
                gather->nearest[row + (size_t)x] = raster->number;
            }
            s += raster->sides[0].by_x;
            t += raster->sides[1].by_x;
            u += raster->sides[2].by_x;
        }
        for (int i = 0; i < 3; i++)
            starts[i] += raster->sides[i].by_y;
    }
}

static bool is_small(const struct gather_point *a, const struct gather_point *b, const struct gather_point *c)
{
    return most3(a->x, b->x, c->x) - least3(a->x, b->x, c->x) <= SMALL &&
           most3(a->y, b->y, c->y) - least3(a->y, b->y, c->y) <= SMALL;
}

static void widen(struct gather *gather, const struct gather_box *box)
{
    const uint32_t x = (uint32_t)box->first_x, y = (uint32_t)box->first_y;
    gather->first_x = x < gather->first_x ? x : gather->first_x;
    gather->first_y = y < gather->first_y ? y : gather->first_y;
    gather->last_x = (uint32_t)box->last_x >= gather->last_x ? (uint32_t)box->last_x + 1 : gather->last_x;
    gather->last_y = (uint32_t)box->last_y >= gather->last_y ? (uint32_t)box->last_y + 1 : gather->last_y;
}

void gather_rasterize(struct gather *gather, uint32_t number)
{
    const struct gather_triangle *triangle = &gather->triangles[number];
    const enum gather_cull seen = gather->meshes[triangle->mesh].seen;
    const struct gather_point *a = gather_corner(gather, triangle, 0), *b = gather_corner(gather, triangle, 1),
                              *c = gather_corner(gather, triangle, 2);
    const bool is_turned = twice_area(a, b, c) < 0;
    struct raster raster = {.number = number};
    struct gather_planes planes;
    if ((seen == GATHER_COUNTERCLOCKWISE && is_turned) || (seen == GATHER_CLOCKWISE && !is_turned) ||
        !gather_measure(gather, triangle, &raster.box, &planes))
        return;
    const float to_b = b->depth - a->depth, to_c = c->depth - a->depth;
    raster.by_x = planes.by_x[0] * to_b + planes.by_x[1] * to_c;
    raster.by_y = planes.by_y[0] * to_b + planes.by_y[1] * to_c;
    raster.depth = a->depth + raster.by_x * ((float)raster.box.first_x + 0.5f - planes.x) +
                   raster.by_y * ((float)raster.box.first_y + 0.5f - planes.y);
    const struct gather_point *second = is_turned ? c : b, *third = is_turned ? b : c;
    raster.sides[0] = side_of(a, second, &raster.box);
    raster.sides[1] = side_of(second, third, &raster.box);
    raster.sides[2] = side_of(third, a, &raster.box);
    widen(gather, &raster.box);
    (is_small(a, b, c) ? put_small : put_large)(gather, &raster);
}
