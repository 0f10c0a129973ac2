/* gather.c - projects meshes, and turns visible samples into results. */
#include "render/gather/gather_internal.h"

#include "base/mem.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* How far outside the picture corners may be, in samples, so that products of differences stay far below 2^63. */
static const float REACH = 1 << 15;
/* In steps of 24 bits: depths are stored this much farther, so that rounding does not hide what OpenGL draws at the
 * same place. For something two metres deep it is a tenth of a millimetre. */
enum { DEPTH_SLACK = 1024 };

int gather_begin(struct gather *gather, uint32_t width, uint32_t height, uint64_t vertex_count, uint64_t triangle_count,
                 struct err *err)
{
    const uint64_t count = (uint64_t)width * height;
    gather->depths = mem_reserve(gather->depths, &gather->depth_capacity, count + GATHER_LANES, sizeof *gather->depths);
    gather->nearest =
        mem_reserve(gather->nearest, &gather->nearest_capacity, count + GATHER_LANES, sizeof *gather->nearest);
    gather->points = mem_reserve(gather->points, &gather->point_capacity, vertex_count, sizeof *gather->points);
    gather->triangles =
        mem_reserve(gather->triangles, &gather->triangle_capacity, triangle_count, sizeof *gather->triangles);
    if (gather->depths == NULL || gather->nearest == NULL || gather->points == NULL || gather->triangles == NULL)
        return err_set(err, ERR_NO_MEMORY, "no memory to rasterize %llu triangles", (unsigned long long)triangle_count);
    gather->width = width;
    gather->height = height;
    gather->first_x = width;
    gather->first_y = height;
    gather->last_x = gather->last_y = gather->mesh_count = 0;
    gather->point_count = gather->triangle_count = 0;
    for (uint64_t i = 0; i < count; i++)
        gather->depths[i] = INFINITY;
    memset(gather->nearest, 0xff, count * sizeof *gather->nearest); /* GATHER_NOTHING */
    return 0;
}

/* False when the vertex exceeds what the rasterizer and the depth buffer accept. */
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
    *out = (struct gather_point){.x = (int32_t)lrintf(x * GATHER_STEPS),
                                 .y = (int32_t)lrintf(y * GATHER_STEPS),
                                 .depth = clip[2] * per_w * 0.5f + 0.5f,
                                 .per_w = per_w};
    return true;
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
        out->mesh = (uint16_t)gather->mesh_count;
        out->is_seen = false;
        gather_rasterize(gather, (uint32_t)triangle_first + t);
    }
    gather->mesh_count++;
    return true;
}

/* Finishes a row of the rectangle: depths as in the buffer, slightly farther, and mesh numbers; marks visible
 * triangles. */
static void finish_row(struct gather *gather, const float *depths, const uint32_t *nearest, uint32_t *out)
{
    const uint32_t farthest = (1 << 24) - 1;
    for (uint32_t x = 0; x < gather->columns; x++) {
        if (nearest[x] == GATHER_NOTHING) {
            out[x] = farthest << 8;
            continue;
        }
        struct gather_triangle *triangle = &gather->triangles[nearest[x]];
        const uint32_t depth = (uint32_t)(depths[x] > 0 ? depths[x] * (float)(1 << 24) : 0) + DEPTH_SLACK;
        triangle->is_seen = true;
        out[x] = (depth < farthest ? depth : farthest) << 8 | (triangle->mesh + 1u);
    }
}

int gather_finish(struct gather *gather, struct err *err)
{
    gather->first_x &= ~1u; /* shaders process squares of four */
    gather->first_y &= ~1u;
    gather->last_x += gather->last_x % 2 != 0 && gather->last_x < gather->width;
    gather->last_y += gather->last_y % 2 != 0 && gather->last_y < gather->height;
    gather->columns = gather->last_x > gather->first_x ? gather->last_x - gather->first_x : 0;
    gather->rows = gather->columns > 0 ? gather->last_y - gather->first_y : 0;
    const uint64_t count = (uint64_t)gather->columns * gather->rows;
    gather->samples = mem_reserve(gather->samples, &gather->sample_capacity, count, sizeof *gather->samples);
    gather->depth_stencils =
        mem_reserve(gather->depth_stencils, &gather->stencil_capacity, count, sizeof *gather->depth_stencils);
    if (gather->samples == NULL || gather->depth_stencils == NULL)
        return err_set(err, ERR_NO_MEMORY, "no memory for %llu samples", (unsigned long long)count);
    memset(gather->samples, 0, count * sizeof *gather->samples);
    for (uint32_t y = 0; y < gather->rows; y++) {
        const size_t from = (size_t)(gather->first_y + y) * gather->width + gather->first_x;
        finish_row(gather, gather->depths + from, gather->nearest + from,
                   gather->depth_stencils + (size_t)y * gather->columns);
    }
    for (uint64_t t = 0; t < gather->triangle_count; t++)
        if (gather->triangles[t].is_seen)
            gather_fill(gather, (uint32_t)t);
    return 0;
}

void gather_fini(struct gather *gather)
{
    free(gather->samples);
    free(gather->depth_stencils);
    free(gather->depths);
    free(gather->nearest);
    free(gather->points);
    free(gather->triangles);
    *gather = (struct gather){0};
}
