/* facets.h - the triangles of one solid of an STL file, and their conversion to a mesh. One thread. */
#pragma once

#include "import/polygons/polygon_mesh.h"

/* Triangles as read: three points and a normal each. */
struct facets {
    double (*points)[3];  /* [3 * count] */
    double (*normals)[3]; /* [count]: of any length, or 0 */
    double (*colors)[4];  /* [count]: as in struct polygon_mesh; NULL if facets have no colours */
    uint32_t count;
    size_t point_capacity, normal_capacity;
};

void facets_fini(struct facets *facets);

/* Appends a facet without a colour: a normal and three points. */
void facets_add(struct facets *facets, const double normal[3], const double points[3][3]);

/* Adds a mesh of these facets and a node that shows it; does nothing without facets. A zero or non-finite normal is
 * computed from the facet's points. If all normals are 0, the surface is smooth except at hard edges. Returns 0 or an
 * error of polygon_mesh_add(). */
int facets_add_mesh(struct import *import, const struct facets *facets, struct str name, const char *where,
                    struct err *err);

/* Reads the solids of an ASCII STL file, each as a mesh, and skips empty ones. The first word must be "solid" in any
 * case. Returns 0, ERR_BAD_MODEL, which names the line, or an error of facets_add_mesh(). */
int stl_read_text(struct import *import, struct err *err);
