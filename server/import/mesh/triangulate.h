/* triangulate.h - converts polygons to triangles. Pure; one thread per triangulator.
 *
 * It cuts ears from the polygon's projection along its normal (Meisters, "Polygons have ears", 1975). Newell's sum
 * gives the normal (Sutherland, Sproull, Schumacker, "A characterization of ten hidden-surface algorithms", 1974). A
 * grid holds only the corners that are not convex, because only these can be inside an ear. A test for an ear reads
 * only the cells that its triangle touches, so the time is near-linear. The number of corners limits the number of
 * cells read, so a polygon designed to defeat the grid gets overlapping triangles. */
#pragma once

#include <stddef.h>
#include <stdint.h>

/* Memory that successive polygons reuse. Zero-initialised: valid and empty. */
struct triangulator {
    struct triangulate_corner *corners;
    uint32_t *cells;
    uint32_t corner_capacity, cell_capacity;
};

void triangulator_fini(struct triangulator *triangulator);

/* Fills out[3 * (count - 2)] with triangles of corners 0..count-1 that have the polygon's winding. count is at least 3
 * and `points` are finite. A polygon that touches or crosses itself, or that has no area, gives the same number of
 * triangles; some may have no area or overlap. */
void triangulate(struct triangulator *triangulator, const double (*points)[3], uint32_t count, uint32_t *out);
