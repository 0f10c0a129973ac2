/* gather_internal.h - shared by the steps from meshes to samples. Private to gather*.c. */
#pragma once

#include "render/gather/gather.h"

#define GATHER_NOTHING UINT32_MAX

enum {
    GATHER_STEPS = 256, /* sub-sample precision, as in most rasterizers */
    GATHER_LANES = 4    /* samples processed at once; arrays have this many more behind the picture's last */
};

/* A vertex on the screen. */
struct gather_point {
    int32_t x, y; /* in 1 / GATHER_STEPS of a sample */
    float depth, per_w;
};

struct gather_triangle {
    uint32_t corners[3]; /* indices in its mesh */
    uint16_t mesh;
    bool is_seen; /* some sample shows it */
};

/* The samples whose centres lie in a triangle's bounds. */
struct gather_box {
    int32_t first_x, first_y, last_x, last_y;
};

/* A triangle on the screen, with the barycentric coordinates of corners 1 and 2 as planes that are 0 at corner 0. */
struct gather_planes {
    float x, y; /* of corner 0, in samples */
    float by_x[2], by_y[2];
};

static inline const struct gather_point *gather_corner(const struct gather *gather,
                                                       const struct gather_triangle *triangle, int corner)
{
    const struct gather_mesh *mesh = &gather->meshes[triangle->mesh];
    return &gather->points[mesh->point_first + triangle->corners[corner]];
}

/* False when it has no area or no sample. */
bool gather_measure(const struct gather *gather, const struct gather_triangle *triangle, struct gather_box *box,
                    struct gather_planes *planes);
/* Writes a triangle to the samples where it is nearer than, or as near as, what is there. */
void gather_rasterize(struct gather *gather, uint32_t triangle);
/* Fills in the samples that show the triangle. */
void gather_fill(struct gather *gather, uint32_t triangle);
