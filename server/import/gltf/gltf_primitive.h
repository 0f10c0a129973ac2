/* gltf_primitive.h - the parts of one mesh primitive while it is read into the builder: vertices, indices, influences,
 * morph targets. One thread; functions return 0 or a negative ERR_ code that names the primitive. */
#pragma once

#include "import/gltf/gltf_accessor.h"

/* JOINTS_0..63: 256 influences of one vertex. A bit each in a 64-bit number. */
enum { JOINT_SETS_MAX = 64 };

struct primitive_reader {
    struct gltf *gltf;
    const cJSON *json;
    char where[64]; /* "meshes[2].primitives[0]" */
    struct primitive out;
    struct texcoord_sets texcoord_use;
    int64_t position, normal, tangent, color; /* accessors, or -1 */
    int64_t texcoords[2];                     /* those of texcoord_use, likewise */
    int64_t joints[JOINT_SETS_MAX], weights[JOINT_SETS_MAX];
    uint32_t set_count;            /* one above the highest set that is there */
    struct primitive_draco *draco; /* or NULL: not compressed */
};

/* Opens an attribute and checks that it has as many rows as POSITION. `name` is "NORMAL", "TEXCOORD_0", ... */
int primitive_open(const struct primitive_reader *reader, const char *name, int64_t index, unsigned types,
                   unsigned components, struct accessor *accessor, struct err *err);

/* The same check of an attribute that is not compressed, without opening it: for rows that were read before. */
int primitive_describe(const struct primitive_reader *reader, const char *name, int64_t index, unsigned types,
                       unsigned components, struct accessor *accessor, struct err *err);

/* gltf_vertex.c: positions, normals, tangents, texture coordinates, colours; fills out.vertex_first, vertex_count and
 * flags. */
int primitive_read_vertices(struct primitive_reader *reader, struct err *err);
/* Smooth normals from the triangles, each face weighted by its area, where the file has none, so that its vertices
 * stay those of the file; the specification asks for flat ones (3.7.2.1), which PRIMITIVE_FLAT tells the renderer to
 * draw. After the indices. */
void primitive_make_normals(struct primitive_reader *reader);

/* gltf_index.c: strips, fans and loops unrolled; fills out.topology, index_first, index_count. */
int primitive_read_indices(struct primitive_reader *reader, struct err *err);

/* gltf_influence.c: influence_firsts of each vertex, and what they point at. */
int primitive_read_influences(struct primitive_reader *reader, struct err *err);

/* gltf_draco.c: decodes the primitive's Draco mesh, where it has one; close in any case. The rows of its attributes and
 * its triangles' indices then come from there, until it is closed. */
int primitive_draco_open(struct primitive_reader *reader, struct err *err);
void primitive_draco_close(struct primitive_reader *reader);
void primitive_draco_indices(const struct primitive_reader *reader, struct accessor *accessor);
