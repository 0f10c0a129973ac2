/* gather.c - projects meshes and finds the nearest triangle of each sample. */
#include "render/gather/gather_parts.h"

#include "base/mem.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { STEPS = 256 }; /* of a sample's side, as most rasterizers have */

/* How far beyond the picture corners may lie, in samples: products of differences stay far from 2^63. */
static const float REACH = 1 << 15;
/* Of 24 bits: so much farther than computed, so that what another draw puts at the same place is not hidden by how the
 * two round. */
enum { DEPTH_SLACK = 8 };

int gather_begin(struct gather *gather, uint32_t width, uint32_t height, uint64_t vertex_count, uint64_t triangle_count,
                 struct err *err)
{
    const uint64_t count = (uint64_t)width * height;
    gather->cells = mem_room(gather->cells, &gather->cell_capacity, count, sizeof *gather->cells);
    gather->points = mem_room(gather->points, &gather->point_capacity, vertex_count, sizeof *gather->points);
    gather->triangles =
        mem_room(gather->triangles, &gather->triangle_capacity, triangle_count, sizeof *gather->triangles);
    if (gather->cells == NULL || gather->points == NULL || gather->triangles == NULL)
        return err_set(err, ERR_NO_MEMORY, "no memory to rasterize %llu triangles", (unsigned long long)triangle_count);
    gather->width = width;
    gather->height = height;
    gather->first_x = width;
    gather->first_y = height;
    gather->last_x = gather->last_y = gather->mesh_count = 0;
    gather->point_count = gather->triangle_count = 0;
    for (uint64_t i = 0; i < count; i++)
        gather->cells[i] = (struct gather_cell){INFINITY, GATHER_NOTHING};
    return 0;
}

/* False when the vertex is not within what the rasterizer and the depth buffer take. */
static bool project(const struct gather *gather, const struct mat4 *clip_from_view, const struct vec3 *p,
                    struct gather_point *out)
{
    const float *m = clip_from_view->m;
    float clip[4];
    for (int r = 0; r < 4; r++)
        clip[r] = m[r] * p->x + m[4 + r] * p->y + m[8 + r] * p->z + m[12 + r];
    if (!(clip[3] > 0) || !(fabsf(clip[2]) <= clip[3]))
        return false;
    const float per_w = 1 / clip[3];
    const float x = (clip[0] * per_w * 0.5f + 0.5f) * (float)gather->width;
    const float y = (clip[1] * per_w * 0.5f + 0.5f) * (float)gather->height;
    if (!(fabsf(x) < REACH && fabsf(y) < REACH) || !isfinite(per_w))
        return false;
    *out = (struct gather_point){.x = (int32_t)lrintf(x * STEPS),
                                 .y = (int32_t)lrintf(y * STEPS),
                                 .depth = clip[2] * per_w * 0.5f + 0.5f,
                                 .per_w = per_w};
    return true;
}

static int64_t twice_area(const struct gather_point *a, const struct gather_point *b, const struct gather_point *c)
{
    return (int64_t)(b->x - a->x) * (c->y - a->y) - (int64_t)(b->y - a->y) * (c->x - a->x);
}

static int32_t least3(int32_t a, int32_t b, int32_t c) { return a < b ? (a < c ? a : c) : (b < c ? b : c); }
static int32_t most3(int32_t a, int32_t b, int32_t c) { return a > b ? (a > c ? a : c) : (b > c ? b : c); }

bool gather_measure(const struct gather *gather, const struct gather_triangle *triangle, struct gather_box *box,
                    struct gather_planes *planes)
{
    const struct gather_point *a = gather_corner(gather, triangle, 0), *b = gather_corner(gather, triangle, 1),
                              *c = gather_corner(gather, triangle, 2);
    const int64_t area = twice_area(a, b, c);
    const int32_t half = STEPS / 2, last_x = (int32_t)gather->width - 1, last_y = (int32_t)gather->height - 1;
    box->first_x = (least3(a->x, b->x, c->x) + half - 1) >> 8;
    box->first_y = (least3(a->y, b->y, c->y) + half - 1) >> 8;
    box->last_x = (most3(a->x, b->x, c->x) - half) >> 8;
    box->last_y = (most3(a->y, b->y, c->y) - half) >> 8;
    box->first_x = box->first_x > 0 ? box->first_x : 0;
    box->first_y = box->first_y > 0 ? box->first_y : 0;
    box->last_x = box->last_x < last_x ? box->last_x : last_x;
    box->last_y = box->last_y < last_y ? box->last_y : last_y;
    if (area == 0 || box->first_x > box->last_x || box->first_y > box->last_y)
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

/* A side of a triangle whose inside is to its left: how far a sample is from it, and by how much that grows. */
struct side {
    int64_t distance, by_x, by_y; /* inside: not below 0 */
};

/* What lies on a side belongs to the triangle whose left or upper side it is. */
static struct side side_of(const struct gather_point *from, const struct gather_point *to, const struct gather_box *box)
{
    const int64_t dx = to->x - from->x, dy = to->y - from->y;
    const int64_t x = (int64_t)box->first_x * STEPS + STEPS / 2 - from->x;
    const int64_t y = (int64_t)box->first_y * STEPS + STEPS / 2 - from->y;
    const bool is_own = dy < 0 || (dy == 0 && dx < 0);
    return (struct side){.distance = dx * y - dy * x - !is_own, .by_x = -dy * STEPS, .by_y = dx * STEPS};
}

static void widen(struct gather *gather, const struct gather_box *box)
{
    const uint32_t x = (uint32_t)box->first_x, y = (uint32_t)box->first_y;
    gather->first_x = x < gather->first_x ? x : gather->first_x;
    gather->first_y = y < gather->first_y ? y : gather->first_y;
    gather->last_x = (uint32_t)box->last_x >= gather->last_x ? (uint32_t)box->last_x + 1 : gather->last_x;
    gather->last_y = (uint32_t)box->last_y >= gather->last_y ? (uint32_t)box->last_y + 1 : gather->last_y;
}

/* Puts the triangle where it is nearer than what is there, or as near. */
static void rasterize(struct gather *gather, uint32_t number)
{
    const struct gather_triangle *triangle = &gather->triangles[number];
    const enum gather_cull seen = gather->meshes[triangle->mesh].seen;
    const struct gather_point *a = gather_corner(gather, triangle, 0), *b = gather_corner(gather, triangle, 1),
                              *c = gather_corner(gather, triangle, 2);
    const bool is_turned = twice_area(a, b, c) < 0;
    struct gather_box box;
    struct gather_planes planes;
    if ((seen == GATHER_COUNTERCLOCKWISE && is_turned) || (seen == GATHER_CLOCKWISE && !is_turned) ||
        !gather_measure(gather, triangle, &box, &planes))
        return;
    const float to_b = b->depth - a->depth, to_c = c->depth - a->depth;
    const float by_x = planes.by_x[0] * to_b + planes.by_x[1] * to_c;
    const float by_y = planes.by_y[0] * to_b + planes.by_y[1] * to_c;
    const struct gather_point *second = is_turned ? c : b, *third = is_turned ? b : c;
    struct side s = side_of(a, second, &box), t = side_of(second, third, &box), u = side_of(third, a, &box);
    widen(gather, &box);
    for (int32_t y = box.first_y; y <= box.last_y; y++) {
        struct gather_cell *cell = gather->cells + (size_t)y * gather->width + box.first_x;
        const float row_depth = a->depth + by_y * ((float)y + 0.5f - planes.y);
        int64_t ds = s.distance, dt = t.distance, du = u.distance;
        for (int32_t x = box.first_x; x <= box.last_x; x++, cell++, ds += s.by_x, dt += t.by_x, du += u.by_x) {
            if ((ds | dt | du) < 0)
                continue;
            const float depth = row_depth + by_x * ((float)x + 0.5f - planes.x);
            if (depth <= cell->depth)
                *cell = (struct gather_cell){depth, number};
        }
        s.distance += s.by_y;
        t.distance += t.by_y;
        u.distance += u.by_y;
    }
}

bool gather_add(struct gather *gather, const struct gather_mesh *mesh, const struct mat4 *clip_from_view)
{
    const uint64_t first = gather->point_count, triangle_first = gather->triangle_count;
    const uint32_t count = mesh->index_count / 3;
    if (gather->mesh_count == GATHER_MESHES_MAX || triangle_first + count > gather->triangle_capacity ||
        first + mesh->vertex_count > gather->point_capacity)
        return false;
    for (uint32_t v = 0; v < mesh->vertex_count; v++)
        if (!project(gather, clip_from_view, &mesh->positions[v], &gather->points[first + v]))
            return false;
    gather->meshes[gather->mesh_count] = *mesh;
    gather->meshes[gather->mesh_count].point_first = first;
    gather->point_count += mesh->vertex_count;
    gather->triangle_count += count;
    for (uint32_t t = 0; t < count; t++) {
        struct gather_triangle *out = &gather->triangles[triangle_first + t];
        memcpy(out->corners, mesh->indices + 3 * (size_t)t, sizeof out->corners);
        out->mesh = gather->mesh_count;
        rasterize(gather, (uint32_t)triangle_first + t);
    }
    gather->mesh_count++;
    return true;
}

/* Depth as the buffer has it, a little farther, and the mesh. */
static uint32_t depth_stencil(const struct gather *gather, const struct gather_cell *cell)
{
    const double far = (1 << 24) - 1;
    if (cell->triangle == GATHER_NOTHING)
        return (uint32_t)((1 << 24) - 1) << 8;
    const uint32_t depth = (uint32_t)fmin(far, fmax(0, (double)cell->depth) * far + DEPTH_SLACK);
    return depth << 8 | (gather->triangles[cell->triangle].mesh + 1);
}

int gather_finish(struct gather *gather, struct err *err)
{
    gather->first_x &= ~1u; /* shaders look at squares of four */
    gather->first_y &= ~1u;
    gather->last_x += gather->last_x % 2 != 0 && gather->last_x < gather->width;
    gather->last_y += gather->last_y % 2 != 0 && gather->last_y < gather->height;
    gather->columns = gather->last_x > gather->first_x ? gather->last_x - gather->first_x : 0;
    gather->rows = gather->columns > 0 ? gather->last_y - gather->first_y : 0;
    const uint64_t count = (uint64_t)gather->columns * gather->rows;
    gather->samples = mem_room(gather->samples, &gather->sample_capacity, count, sizeof *gather->samples);
    gather->depth_stencils =
        mem_room(gather->depth_stencils, &gather->depth_capacity, count, sizeof *gather->depth_stencils);
    if (gather->samples == NULL || gather->depth_stencils == NULL)
        return err_set(err, ERR_NO_MEMORY, "no memory for %llu samples", (unsigned long long)count);
    memset(gather->samples, 0, count * sizeof *gather->samples);
    for (uint32_t y = 0; y < gather->rows; y++)
        for (uint32_t x = 0; x < gather->columns; x++)
            gather->depth_stencils[(size_t)y * gather->columns + x] = depth_stencil(
                gather, gather->cells + (size_t)(gather->first_y + y) * gather->width + gather->first_x + x);
    for (uint64_t t = 0; t < gather->triangle_count; t++)
        gather_fill(gather, (uint32_t)t);
    return 0;
}

void gather_fini(struct gather *gather)
{
    free(gather->samples);
    free(gather->depth_stencils);
    free(gather->cells);
    free(gather->points);
    free(gather->triangles);
    *gather = (struct gather){0};
}
