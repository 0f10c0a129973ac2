/* polygon_mesh.h - polygons with attributes of their corners, as most file formats have them, to a primitive of the
 * model: equal corners become one vertex, polygons become triangles, and normals are made where there are none.
 * One thread. */
#pragma once

#include "import/mesh/corner_normals.h"
#include "import/source/import.h"

/* Values that corners have. Everything is borrowed. */
struct corner_values {
    const double *values;      /* so many for each as the attribute has components; NULL: corners have none */
    const uint32_t *of_corner; /* [corners]: which value; NULL: that of the corner's point */
};

struct polygon_mesh {
    struct polygons polygons;
    uint32_t topology;              /* TOPOLOGY_: polygons have three corners or more, two, or one */
    bool is_clockwise;              /* as seen from their front; normals of the file stay as they are */
    struct smoothing smoothing;     /* where the file has no normals */
    struct corner_values normals;   /* of any length; one that is 0 or not finite is made */
    struct corner_values texcoords; /* u, v: v grows upwards in the picture */
    struct corner_values colors;    /* red, green, blue, alpha of 0 to 1; sRGB */
};

/* Adds it to the model as a primitive of mesh `mesh`, which is the last so far. `material`: of the model, or -1.
 * Polygons that touch a point that is not finite are left out, with a warning; where none is left there is no
 * primitive. `where` is what messages call it. Returns 0, ERR_MODEL_LIMIT or ERR_IMPORT_MEMORY. */
int polygon_mesh_add(struct import *import, const struct polygon_mesh *from, uint32_t mesh, int32_t material,
                     const char *where, struct err *err);

/* Adds a material without a name, white or of this texture, of which both sides are seen: formats without materials do
 * not say which side is the front of every face. Returns its index, or an ERR_. */
int polygon_mesh_add_material(struct import *import, int32_t texture, struct err *err);

/* Adds a mesh without primitives and a root of the scene that shows it. Returns the mesh's index, or an ERR_. */
int polygon_mesh_add_root(struct import *import, struct str name, struct err *err);
