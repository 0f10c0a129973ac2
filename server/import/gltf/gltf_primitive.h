/* gltf_primitive.h - reads the parts of one mesh primitive into the builder: vertices, indices, influences, morph
 * targets. Single-threaded. Functions return 0 or a negative ERR_ code and name the primitive. */
#pragma once

#include "import/gltf/gltf_accessor.h"

/* JOINTS_0..63: up to 256 influences per vertex. A 64-bit number has one bit for each set. */
enum { JOINT_SETS_MAX = 64 };

struct primitive_reader {
    struct gltf *gltf;
    const cJSON *json;
    char where[64]; /* "meshes[2].primitives[0]" */
    struct primitive out;
    struct texcoord_sets texcoord_use;
    int64_t position, normal, tangent, color; /* accessors, or -1 */
    int64_t texcoords[2];                     /* the accessors of texcoord_use, or -1 */
    int64_t joints[JOINT_SETS_MAX], weights[JOINT_SETS_MAX];
    uint32_t set_count;            /* one more than the highest set in the file */
    struct primitive_draco *draco; /* NULL if not compressed */
};

/* Opens an attribute and checks that its row count equals that of POSITION. `name` is "NORMAL", "TEXCOORD_0", ... */
int primitive_open(const struct primitive_reader *reader, const char *name, int64_t index, unsigned types,
                   unsigned components, struct accessor *accessor, struct err *err);

/* Checks an attribute in the same way without opening it, for rows that were read before. The attribute is not
 * compressed. */
int primitive_describe(const struct primitive_reader *reader, const char *name, int64_t index, unsigned types,
                       unsigned components, struct accessor *accessor, struct err *err);

/* gltf_vertex.c: reads positions, normals, tangents, texture coordinates and colours. Fills out.vertex_first,
 * vertex_count and flags. */
int primitive_read_vertices(struct primitive_reader *reader, struct err *err);

/* gltf_index.c: converts strips, fans and loops to lists. Fills out.topology, index_first and index_count. */
int primitive_read_indices(struct primitive_reader *reader, struct err *err);

/* gltf_influence.c: reads influence_firsts of each vertex and the influences. */
int primitive_read_influences(struct primitive_reader *reader, struct err *err);

/* gltf_draco.c: decodes the primitive's Draco mesh if it has one. Until it is closed, the mesh provides the primitive's
 * attribute rows and triangle indices. The caller closes it in any case. */
int primitive_draco_open(struct primitive_reader *reader, struct err *err);
void primitive_draco_close(struct primitive_reader *reader);
void primitive_draco_indices(const struct primitive_reader *reader, struct accessor *accessor);
