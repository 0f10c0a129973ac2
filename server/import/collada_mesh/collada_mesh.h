/* collada_mesh.h - one <geometry> of a COLLADA file: its arrays in double precision, and the corners of its faces.
 * COLLADA 1.4.1 and 1.5.0, chapter 5, <mesh>. Borrows the file's elements. One thread. */
#pragma once

#include "import/collada/collada.h"
#include "import/mesh/influences.h"

enum collada_use {
    COLLADA_NORMAL,
    COLLADA_COLOR,
    COLLADA_TANGENT,
    COLLADA_BINORMAL,
    COLLADA_TEXCOORD,
};

/* The source of an attribute of corners. */
struct collada_input {
    enum collada_use use;
    uint32_t offset; /* index of this input among the indices of a corner */
    uint32_t set;    /* distinguishes inputs of one use; 0 if the file gives none */
    const struct value_rows *rows;
};

/* A primitive element: faces of one material. */
struct collada_part {
    uint32_t element;
    uint32_t topology;            /* TOPOLOGY_TRIANGLES: faces of three corners or more; TOPOLOGY_LINES */
    struct collada_input *inputs; /* [input_count]: inputs of the element, then of <vertices> */
    uint32_t input_count;
    struct index_list indices; /* `stride` for each of the file's corners */
    uint32_t stride, position_offset;
    uint32_t *corners; /* [starts[face_count]]: of the file's corners */
    uint32_t *starts;  /* [face_count + 1] */
    uint32_t face_count;
};

struct collada_mesh {
    const struct xml *xml;
    uint32_t geometry;   /* element */
    double (*points)[3]; /* [point_count] */
    uint32_t point_count;
    struct collada_part *parts;
    uint32_t part_count;
    struct mesh_source {
        uint32_t element;
        struct value_rows rows;
    } * *sources; /* [source_count]: each once */
    uint32_t source_count;
};

/* Reads the <mesh> of a <geometry>. Other geometry (convex_mesh, spline, brep) gives no parts and a warning. An index
 * out of range or a list that is too short is ERR_BAD_MODEL, which names element and line. Returns 0, ERR_BAD_MODEL or
 * ERR_MODEL_LIMIT; collada_mesh_fini() is needed and safe in any case. */
int collada_mesh_read(struct collada_mesh *mesh, const struct xml *xml, uint32_t geometry, const struct limits *limits,
                      struct bake_builder *builder, struct err *err);
void collada_mesh_fini(struct collada_mesh *mesh);

/* Iterate over the primitive elements of a <geometry>; XML_NONE ends it. The elements with faces or lines become the
 * parts of the mesh, in this order. */
uint32_t collada_first_primitive(const struct xml *xml, uint32_t geometry);
uint32_t collada_next_primitive(const struct xml *xml, uint32_t primitive);

/* Returns the index of corner `corner` of a part for an input at `offset`. */
static inline uint32_t collada_index(const struct collada_part *part, uint32_t corner, uint32_t offset)
{
    return part->indices.items[(size_t)part->corners[corner] * part->stride + offset];
}

/* Returns the first input of a use, and for COLLADA_TEXCOORD of a set (UINT32_MAX: any set), or NULL. */
const struct collada_input *collada_find_input(const struct collada_part *part, enum collada_use use, uint32_t set);

/* --- collada_faces.c: the lists of a primitive element --- */

/* Fills indices, corners and starts of a part whose stride is known. Returns 0, ERR_BAD_MODEL or ERR_MODEL_LIMIT. */
int collada_faces_read(struct collada_part *part, const struct xml *xml, const struct limits *limits,
                       struct bake_builder *builder, struct err *err);

/* --- collada_controller.c: skins and morphs --- */

/* The mesh and controllers of an instance. */
struct collada_shape {
    uint32_t geometry, skin, morph; /* elements: <geometry>, <skin>, <morph>; XML_NONE: none */
};

/* Follows a <geometry> or <controller> to its mesh. A skin of a morph sets both. A morph of a skin is read as a skin of
 * a morph, with a warning. Returns 0 or ERR_BAD_MODEL: a reference is missing or circular, or there are two skins. */
int collada_shape_find(const struct xml *xml, uint32_t element, struct collada_shape *shape,
                       struct bake_builder *builder, struct err *err);

/* A <morph>: vertices are base + sum of weight * delta. */
struct collada_morph {
    bool is_relative;     /* the targets hold deltas, not positions */
    uint32_t *geometries; /* [count]: elements; XML_NONE: not a mesh of the file */
    double *weights;      /* [count]: at rest */
    uint32_t count;
    uint32_t weight_source; /* the <source> of the weights, which channels drive */
};

int collada_morph_read(struct collada_morph *morph, const struct xml *xml, uint32_t element,
                       const struct limits *limits, struct err *err);
void collada_morph_fini(struct collada_morph *morph);

/* --- collada_weights.c: the weights of a <skin> --- */

/* Reads the weights. Joint j of the file is joint joints[j] of the skin; -1 means that it has no node, and its weights
 * are dropped. shape_joint replaces index -1, the bind shape itself. The caller calls influences_fini() even after an
 * error. Returns 0 or ERR_BAD_MODEL. */
int collada_weights_read(struct influences *influences, const struct xml *xml, uint32_t skin, const int32_t *joints,
                         uint32_t joint_count, uint32_t shape_joint, uint32_t point_count, struct bake_builder *builder,
                         struct err *err);
/* Whether a vertex of the skin names joint -1. */
bool collada_has_shape_joint(const struct xml *xml, uint32_t skin);
