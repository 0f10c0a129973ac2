/* mesh_writer.h - converts polygons with corner attributes to a primitive of the model: equal corners become one
 * vertex, and polygons become triangles. Single-threaded.
 *
 * A polygon that uses a non-finite point is left out. A polygon without an area is kept; it draws nothing. */
#pragma once

#include "import/mesh/influences.h"
#include "import/mesh/triangulate.h"
#include "import/mesh/vertex_set.h"

#include "anim/model/mat.h"

/* Everything that distinguishes corners. The struct has no padding, because it is compared as bytes. */
struct mesh_vertex {
    uint32_t point;
    uint32_t morph; /* distinguishes corners whose normals differ in morph targets */
    struct vec3 normal;
    struct vec2 texcoords[2]; /* v points down */
    struct rgba16 rgba;       /* linear */
    struct vec4 tangent;      /* as in model.h */
};

/* The caller sets the first fields and zeroes the rest. */
struct mesh_writer {
    struct import *import;
    const char *where;                   /* names the mesh in messages */
    const double (*points)[3];           /* borrowed */
    const struct dmat4 *out_from_points; /* the matrix that transforms positions, or NULL */
    const struct influences *influences; /* influences of the points, or NULL */
    bool is_clockwise;                   /* triangles have the opposite winding of their polygons */

    /* the current primitive */
    struct mesh_vertex *vertices; /* [vertex_count] */
    uint32_t *first_corners;      /* [vertex_count]: index of its first corner since mesh_writer_start() */
    uint32_t *indices;            /* [index_count] */
    uint32_t vertex_count, index_count;

    /* internal */
    struct mesh_vertex *corners; /* corners of the open polygon */
    uint32_t *found;             /* vertices of these corners */
    double (*places)[3];
    uint32_t corner_count, closed_count, left_out;
    size_t vertex_capacity, first_capacity, index_capacity, corner_capacity, found_capacity, place_capacity;
    struct vertex_set set;
    struct triangulator triangulator;
};

/* Begins a primitive of at most `corner_max` corners. */
void mesh_writer_start(struct mesh_writer *writer, size_t corner_max);
/* Adds a corner to the open polygon. */
void mesh_writer_corner(struct mesh_writer *writer, const struct mesh_vertex *vertex);
/* Ends the polygon, which is a point, a line, or a polygon of three or more corners. */
void mesh_writer_close(struct mesh_writer *writer);
/* Call after the last polygon. Warns of polygons that were left out. Returns false if no polygon remains, so there is
 * no primitive. */
bool mesh_writer_end(struct mesh_writer *writer);
/* Adds vertices with the attributes of primitive->flags, indices and influences, fills the primitive's counts and does
 * mesh_repair(). The caller adds morph targets, then calls mesh_put(). Returns 0, ERR_MODEL_LIMIT or the error of
 * import_full(). */
int mesh_writer_put(struct mesh_writer *writer, struct primitive *primitive, struct err *err);
void mesh_writer_fini(struct mesh_writer *writer);

/* For each point, gives the first point at the same position as the model stores it: in 32-bit floats, where -0 equals
 * 0. With `influences`, which may be NULL, their influences are the same, too. [point_count], heap. */
uint32_t *mesh_first_points(const double (*points)[3], uint32_t point_count, const struct influences *influences);
