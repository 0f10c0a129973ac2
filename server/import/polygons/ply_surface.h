/* ply_surface.h - reads the surface of a PLY file: vertices, faces, triangle strips, edges. One thread. */
#pragma once

#include "import/polygons/ply.h"

/* Polygons of one kind: concatenated corner lists. */
struct ply_polygons {
    uint32_t *corners; /* [corner_count]: valid vertex indices */
    uint32_t *starts;  /* [count + 1] */
    uint32_t corner_count, count;
    size_t corner_capacity, start_capacity;
};

struct ply_surface {
    double (*points)[3];
    double (*normals)[3]; /* [vertex_count] or NULL, like texcoords and colors */
    double (*texcoords)[2];
    double (*colors)[4];
    uint32_t vertex_count;
    struct ply_polygons faces;     /* of three corners or more */
    struct ply_polygons edges;     /* of two */
    double (*corner_texcoords)[2]; /* [faces.corner_count]; NULL if faces have no texture coordinates */
    double (*face_colors)[4];      /* [faces.count], or NULL */
    size_t corner_texcoord_capacity, face_color_capacity;
    uint32_t faces_left_out; /* of fewer than three corners */
};

/* Reads all elements into a zeroed `surface`. Elements of other names are skipped with a warning. Returns 0,
 * ERR_BAD_MODEL (names element and position) or ERR_MODEL_LIMIT. */
int ply_surface_read(struct ply_surface *surface, struct import *import, const struct ply_header *header,
                     struct err *err);
void ply_surface_fini(struct ply_surface *surface);

/* Reads all rows of `element`, which are faces, strips or edges; the cursor is at the first row. */
int ply_faces_read(struct ply_surface *surface, struct import *import, struct ply_cursor *cursor,
                   const struct ply_element *element, struct err *err);
