/* gather_parts.h - what the rasterizer and the filling of samples share. Private to gather*.c. */
#pragma once

#include "render/gather/gather.h"

#define GATHER_NOTHING UINT32_MAX

/* The nearest surface at a sample. */
struct gather_cell {
    float depth; /* 0 to 1, as in the depth buffer */
    uint32_t triangle;
};

/* A vertex on the screen. */
struct gather_point {
    int32_t x, y; /* in 1/256 of a sample's side */
    float depth, per_w;
};

struct gather_triangle {
    uint32_t corners[3]; /* of its mesh */
    uint32_t mesh;
};

/* The samples whose middles a triangle's bounds hold; first > last: none. */
struct gather_box {
    int32_t first_x, first_y, last_x, last_y;
};

/* A triangle on the screen, its shares of the corners 1 and 2 as planes: share = at the corner 0 0, and by x and y. */
struct gather_planes {
    float x, y; /* of the corner 0, in samples */
    float by_x[2], by_y[2];
};

static inline const struct gather_point *gather_corner(const struct gather *gather,
                                                       const struct gather_triangle *triangle, int corner)
{
    const struct gather_mesh *mesh = &gather->meshes[triangle->mesh];
    return &gather->points[mesh->point_first + triangle->corners[corner]];
}

/* False when it has no area. */
bool gather_measure(const struct gather *gather, const struct gather_triangle *triangle, struct gather_box *box,
                    struct gather_planes *planes);
/* Fills in the samples that show the triangle. */
void gather_fill(struct gather *gather, uint32_t triangle);
