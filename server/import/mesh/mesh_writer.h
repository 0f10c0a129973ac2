/* mesh_writer.h - polygons with attributes of their corners to a primitive of the model: equal corners become one
 * vertex, polygons become triangles. One thread.
 *
 * A polygon that touches a point which is not finite is left out. One without an area is kept: it draws nothing. */
#pragma once

#include "import/mesh/influences.h"
#include "import/mesh/triangulate.h"
#include "import/mesh/vertex_set.h"

#include "anim/model/mat.h"

/* All that tells corners apart. No padding: compared as bytes. */
struct mesh_vertex {
    uint32_t point;
    uint32_t morph; /* tells corners apart whose normals differ in morph targets */
    struct vec3 normal;
    struct vec2 texcoords[2]; /* rows of a texture go down */
    struct rgba8 color;
    struct vec4 tangent; /* as model.h has it */
};

/* Zeroes but for the first fields are a valid one. */
struct mesh_writer {
    struct import *import;
    const char *where;                   /* what messages call the mesh */
    const double (*points)[3];           /* borrowed */
    const struct dmat4 *out_from_points; /* what positions are multiplied by, or NULL */
    const struct influences *influences; /* of points, or NULL */
    bool is_clockwise;                   /* triangles turn the other way than their polygons */

    /* the primitive that is being made */
    struct mesh_vertex *vertices; /* [vertex_count] */
    uint32_t *first_corners;      /* [vertex_count]: its first corner, of those since mesh_writer_start() */
    uint32_t *indices;            /* [index_count] */
    uint32_t vertex_count, index_count;

    /* inside */
    struct mesh_vertex *corners; /* of the polygon that is open */
    uint32_t *found;             /* their vertices */
    double (*places)[3];
    uint32_t corner_count, closed_count, left_out;
    size_t vertex_capacity, first_capacity, index_capacity, corner_capacity, found_capacity, place_capacity;
    struct vertex_set set;
    struct triangulator triangulator;
};

/* Begins a primitive of at most so many corners. */
void mesh_writer_start(struct mesh_writer *writer, size_t corner_max);
/* A corner of the polygon that is open. */
void mesh_writer_corner(struct mesh_writer *writer, const struct mesh_vertex *vertex);
/* Ends it: a point, a line, or a polygon of three corners or more. */
void mesh_writer_close(struct mesh_writer *writer);
/* After the last polygon: warns of those that were left out. False: no polygon is left, so there is no primitive. */
bool mesh_writer_end(struct mesh_writer *writer);
/* Adds vertices with the attributes of primitive->flags, indices and influences, and fills primitive's counts. Morph
 * targets, and the primitive itself, are left to the caller. Returns 0, ERR_MODEL_LIMIT or what import_full() does. */
int mesh_writer_put(struct mesh_writer *writer, struct primitive *primitive, struct err *err);
void mesh_writer_fini(struct mesh_writer *writer);

/* [point_count], heap: of each point the first one at the same place, as the model has places: in 32-bit floats, where
 * -0 is 0. */
uint32_t *mesh_first_points(const double (*points)[3], uint32_t point_count);
