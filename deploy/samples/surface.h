/* surface.h - the skin of a sample model: tubes and sheets with normals, texture coordinates and joint weights. */
#pragma once

#include "paint.h"
#include "rig.h"

#include <stdint.h>

struct vertex {
    struct v3 position, normal;
    struct v3 tangent; /* where u grows; with the normal it leaves the picture's way up for the third */
    double u, v;
    uint8_t joints[4];
    double weights[4];
};

struct surface {
    struct vertex *vertices; /* heap */
    uint32_t *indices;       /* heap; triangles, counter-clockwise from outside */
    uint32_t vertex_count, index_count;
};

/* A cross-section on the way of a tube. */
struct ring {
    struct v3 center;
    double side, up; /* half axes */
    int joint;       /* what moves it; between two rings the weights cross over */
};

struct tube {
    struct v3 up;      /* which way the rings' up axis looks; not along the tube */
    double squareness; /* 2 = ellipse, larger = rounded box */
    int segments;      /* around */
    int steps;         /* rings made between two given ones */
    struct rect rect;  /* texture: u runs around from the underside, v along */
};

/* Adds a tube through `rings` (Catmull-Rom). Ends with half axes of 0 are closed. */
void surface_tube(struct surface *surface, const struct ring *rings, int ring_count, const struct tube *tube);

/* An ellipsoid on one joint, its poles along `axis`: eyes, balls, feet. */
void surface_ball(struct surface *surface, struct v3 center, struct v3 axis, struct v3 radii, int joint,
                  const struct tube *tube);

/* Adds a grid of rows x columns vertices (position, joints and weights filled, row by row); normals, tangents,
 * texture coordinates and triangles are made here. is_round: the first and last column are the same points. */
void surface_grid(struct surface *surface, const struct vertex *grid, int rows, int columns, bool is_round,
                  struct rect rect);

void surface_free(struct surface *surface);
