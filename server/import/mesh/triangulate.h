/* triangulate.h - polygons to triangles. Pure; one thread a triangulator.
 *
 * Ears are cut from the polygon's projection along its normal (Meisters, "Polygons have ears", 1975; the normal by
 * Newell's sum, as in Sutherland, Sproull, Schumacker, "A characterization of ten hidden-surface algorithms", 1974).
 * A grid finds the corners that could lie in an ear, so that the time is near-linear: only corners that are not convex
 * are in it, and an ear looks only at the cells that its triangle touches. How often is limited by the number of
 * corners: a polygon that is made to defeat the grid gets triangles that overlap. */
#pragma once

#include <stddef.h>
#include <stdint.h>

/* Memory that polygons share one after the other. Zeroes are a valid empty one. */
struct triangulator {
    struct triangulate_corner *corners;
    uint32_t *cells;
    uint32_t corner_capacity, cell_capacity;
};

void triangulator_fini(struct triangulator *triangulator);

/* Fills out[3 * (count - 2)] with triangles of corners 0..count-1, turning as the polygon does; count is at least 3.
 * `points` are finite. A polygon that touches or crosses itself, or that has no area, gives as many triangles, some of
 * them perhaps without area or overlapping. */
void triangulate(struct triangulator *triangulator, const double (*points)[3], uint32_t count, uint32_t *out);
