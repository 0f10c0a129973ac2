#include "surface.h"

#include "anim/model/trig.h"
#include "base/mem.h"

#include <math.h>
#include <stdlib.h>

static const double PI = 3.14159265358979323846;

static const struct vertex *at(const struct vertex *grid, int columns, int row, int column)
{
    return &grid[row * columns + column];
}

/* The grid's direction from column to column, by central differences that wrap around a round grid. */
static struct v3 grid_across(const struct vertex *grid, int columns, int row, int column, bool is_round)
{
    const int last = columns - 1;
    int left = column - 1, right = column + 1;
    if (is_round) {
        left = left < 0 ? last - 1 : left;
        right = right > last ? 1 : right;
    } else {
        left = left < 0 ? 0 : left;
        right = right > last ? last : right;
    }
    return v3_sub(at(grid, columns, row, right)->position, at(grid, columns, row, left)->position);
}

/* The cross product of the grid's two directions. */
static struct v3 grid_normal(const struct vertex *grid, int rows, int columns, int row, int column, bool is_round)
{
    const int below = row > 0 ? row - 1 : 0, above = row < rows - 1 ? row + 1 : rows - 1;
    const struct v3 along =
        v3_sub(at(grid, columns, above, column)->position, at(grid, columns, below, column)->position);
    return v3_cross(along, grid_across(grid, columns, row, column, is_round));
}

/* At a closed end the ring is a point: its normal is the tube's direction. */
static struct v3 pole_normal(const struct vertex *grid, int rows, int columns, int row)
{
    const int inner = row == 0 ? 1 : rows - 2;
    struct v3 center = v3_of(0, 0, 0);
    for (int c = 0; c < columns - 1; c++)
        center = v3_add(center, v3_scale(at(grid, columns, inner, c)->position, 1.0 / (columns - 1)));
    return v3_sub(at(grid, columns, row, 0)->position, center);
}

/* Of a pole that of the row beside it. */
static struct v3 grid_tangent(const struct vertex *grid, int rows, int columns, int row, int column, bool is_round,
                              struct v3 normal)
{
    struct v3 across = grid_across(grid, columns, row, column, is_round);
    if (v3_dot(across, across) < 1e-18)
        across = grid_across(grid, columns, row == 0 ? 1 : rows - 2, column, is_round);
    return v3_unit(v3_sub(across, v3_scale(normal, v3_dot(across, normal))));
}

void surface_grid(struct surface *surface, const struct vertex *grid, int rows, int columns, bool is_round,
                  struct rect rect)
{
    const uint32_t first = surface->vertex_count;
    const uint32_t added = (uint32_t)(rows * columns);
    surface->vertices = mem_realloc(surface->vertices, (first + added) * sizeof *surface->vertices);
    for (int row = 0; row < rows; row++)
        for (int column = 0; column < columns; column++) {
            struct vertex *vertex = &surface->vertices[surface->vertex_count++];
            *vertex = *at(grid, columns, row, column);
            vertex->normal = v3_unit(grid_normal(grid, rows, columns, row, column, is_round));
            if (is_round && v3_dot(vertex->normal, vertex->normal) < 0.5)
                vertex->normal = v3_unit(pole_normal(grid, rows, columns, row));
            vertex->tangent = grid_tangent(grid, rows, columns, row, column, is_round, vertex->normal);
            const double u = (double)column / (columns - 1), v = (double)row / (rows - 1);
            vertex->u = ((rect.x + CANVAS_MARGIN + u * (rect.width - 2 * CANVAS_MARGIN)) / CANVAS_SIDE);
            vertex->v = ((rect.y + CANVAS_MARGIN + v * (rect.height - 2 * CANVAS_MARGIN)) / CANVAS_SIDE);
        }
    const uint32_t quads = (uint32_t)((rows - 1) * (columns - 1));
    surface->indices = mem_realloc(surface->indices, (surface->index_count + 6 * quads) * sizeof *surface->indices);
    for (uint32_t row = 0; row + 1 < (uint32_t)rows; row++)
        for (uint32_t column = 0; column + 1 < (uint32_t)columns; column++) {
            const uint32_t a = first + row * (uint32_t)columns + column, b = a + 1;
            const uint32_t c = a + (uint32_t)columns, d = c + 1;
            const uint32_t corners[6] = {a, c, b, b, c, d};
            for (int i = 0; i < 6; i++)
                surface->indices[surface->index_count++] = corners[i];
        }
}

static double catmull_rom(double before, double from, double to, double after, double s)
{
    return from +
           0.5 * s *
               (to - before + s * (2 * before - 5 * from + 4 * to - after + s * (3 * (from - to) + after - before)));
}

/* The curve through the rings' centres and half axes at segment i, share s. */
static struct ring ring_between(const struct ring *rings, int count, int i, double s)
{
    const struct ring *p[4];
    for (int k = 0; k < 4; k++) {
        const int index = i - 1 + k;
        p[k] = &rings[index < 0 ? 0 : index > count - 1 ? count - 1 : index];
    }
#define BETWEEN(field) catmull_rom(p[0]->field, p[1]->field, p[2]->field, p[3]->field, s)
    struct ring ring = {{BETWEEN(center.x), BETWEEN(center.y), BETWEEN(center.z)}, BETWEEN(side), BETWEEN(up), 0};
#undef BETWEEN
    ring.side = fmax(ring.side, 0);
    ring.up = fmax(ring.up, 0);
    return ring;
}

static double superellipse(double x, double squareness) { return copysign(pow(fabs(x), 2 / squareness), x); }

static void fill_ring(struct vertex *row, const struct ring *ring, struct v3 tangent, const struct tube *tube)
{
    const struct v3 side = v3_unit(v3_cross(tube->up, tangent));
    const struct v3 up = v3_cross(tangent, side);
    for (int c = 0; c <= tube->segments; c++) {
        const double angle = 2 * PI * (c % tube->segments) / tube->segments;
        const double x = superellipse(-trig_sin(angle), tube->squareness),
                     y = superellipse(-trig_cos(angle), tube->squareness);
        row[c].position = v3_add(ring->center, v3_add(v3_scale(side, x * ring->side), v3_scale(up, y * ring->up)));
    }
}

static void fill_weights(struct vertex *row, int columns, int joint, int next, double s)
{
    const double share = joint == next ? 0 : smooth(0, 1, s);
    for (int c = 0; c < columns; c++) {
        row[c].joints[0] = (uint8_t)joint;
        row[c].joints[1] = (uint8_t)(share > 0 ? next : 0);
        row[c].weights[0] = 1 - share;
        row[c].weights[1] = share;
    }
}

void surface_tube(struct surface *surface, const struct ring *rings, int ring_count, const struct tube *tube)
{
    const int rows = (ring_count - 1) * tube->steps + 1, columns = tube->segments + 1;
    struct vertex *grid = mem_zalloc((size_t)rows * (size_t)columns, sizeof *grid);
    for (int row = 0; row < rows; row++) {
        const int i = row == rows - 1 ? ring_count - 2 : row / tube->steps;
        const double s = (double)(row - i * tube->steps) / tube->steps;
        const struct ring ring = ring_between(rings, ring_count, i, s);
        const struct v3 ahead = ring_between(rings, ring_count, i, s + 0.01).center;
        const struct v3 behind = ring_between(rings, ring_count, i, s - 0.01).center;
        fill_ring(&grid[row * columns], &ring, v3_unit(v3_sub(ahead, behind)), tube);
        fill_weights(&grid[row * columns], columns, rings[i].joint, rings[i + 1].joint, s);
    }
    surface_grid(surface, grid, rows, columns, true, tube->rect);
    free(grid);
}

void surface_ball(struct surface *surface, struct v3 center, struct v3 axis, struct v3 radii, int joint,
                  const struct tube *tube)
{
    enum { ROWS = 12 };
    const int columns = tube->segments + 1;
    struct vertex *grid = mem_zalloc((size_t)(ROWS + 1) * (size_t)columns, sizeof *grid);
    for (int row = 0; row <= ROWS; row++) {
        const double angle = PI * row / ROWS;
        const double along = superellipse(-trig_cos(angle), tube->squareness),
                     out = superellipse(trig_sin(angle), tube->squareness);
        const bool is_pole = row == 0 || row == ROWS;
        const struct ring ring = {v3_add(center, v3_scale(axis, along * radii.z)), is_pole ? 0 : out * radii.x,
                                  is_pole ? 0 : out * radii.y, joint};
        fill_ring(&grid[row * columns], &ring, axis, tube);
        fill_weights(&grid[row * columns], columns, joint, joint, 0);
    }
    surface_grid(surface, grid, ROWS + 1, columns, true, tube->rect);
    free(grid);
}

void surface_free(struct surface *surface)
{
    free(surface->vertices);
    free(surface->indices);
    *surface = (struct surface){0};
}
