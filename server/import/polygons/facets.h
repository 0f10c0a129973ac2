/* facets.h - the triangles of one solid of an STL file, and what they become in the model. One thread. */
#pragma once

#include "import/polygons/polygon_mesh.h"

/* As read: three points and a normal each. */
struct facets {
    double (*points)[3];  /* [3 * count] */
    double (*normals)[3]; /* [count]: of any length, or 0 */
    double (*colors)[4];  /* [count]: as struct polygon_mesh has them, or NULL: facets have none */
    uint32_t count;
    size_t point_capacity, normal_capacity;
};

void facets_fini(struct facets *facets);

/* Appends a facet without a colour: a normal and three points. */
void facets_add(struct facets *facets, const double normal[3], const double points[3][3]);

/* Adds a mesh of these facets and a node that shows it; without facets nothing happens. A normal that is 0 or not
 * finite becomes that of the facet's points; where all are 0, the surface is smooth up to its edges. Returns 0 or what
 * polygon_mesh_add() does. */
int facets_add_mesh(struct import *import, const struct facets *facets, struct str name, const char *where,
                    struct err *err);

/* The solids of an STL file in ASCII, each a mesh; empty ones are passed over. The first word is "solid", in letters of
 * any case. Returns 0, ERR_BAD_MODEL, which names the line, or what facets_add_mesh() does. */
int stl_read_text(struct import *import, struct err *err);
