/* polygon_mesh.h - converts polygons with corner attributes to a primitive of the model. It joins equal corners to one
 * vertex, triangulates polygons and computes missing normals. One thread. */
#pragma once

#include "import/mesh/corner_normals.h"
#include "import/source/import.h"

/* An attribute of corners. Everything is borrowed. */
struct corner_values {
    const double *values;      /* [value][component of the attribute]; NULL: corners lack the attribute */
    const uint32_t *of_corner; /* [corners]: index of the value; NULL: index of the corner's point */
};

struct polygon_mesh {
    struct polygons polygons;
    uint32_t topology;              /* TOPOLOGY_: polygons have at least three corners, two, or one */
    bool is_clockwise;              /* winding seen from the front; the file's normals stay unchanged */
    struct smoothing smoothing;     /* if the file has no normals */
    struct corner_values normals;   /* of any length; a zero or non-finite normal is computed */
    struct corner_values texcoords; /* u, v: v grows upwards in the picture */
    struct corner_values colors;    /* red, green, blue, alpha of 0 to 1; sRGB */
};

/* Adds the polygons as a primitive of mesh `mesh`, which must be the last mesh so far. `material` is an index of the
 * model, or -1. Polygons with a non-finite point are left out with a warning; without remaining polygons no primitive
 * is added. Messages call the polygons `where`. Returns 0, ERR_MODEL_LIMIT or ERR_IMPORT_MEMORY. */
int polygon_mesh_add(struct import *import, const struct polygon_mesh *from, uint32_t mesh, int32_t material,
                     const char *where, struct err *err);

/* Adds an unnamed double-sided material, white or with this texture. It is double-sided because formats without
 * materials do not define the front of every face. Returns its index, or an ERR_. */
int polygon_mesh_add_material(struct import *import, int32_t texture, struct err *err);

/* Adds a mesh without primitives and a root of the scene that shows it. Returns the mesh's index, or an ERR_. */
int polygon_mesh_add_root(struct import *import, struct str name, struct err *err);
