/* collada_primitive.h - the state while one mesh of the builder is made from geometries, skin and morph. One thread. */
#pragma once

#include "import/collada_model/collada_model.h"
#include "import/collada_model/collada_vertex.h"
#include "import/mesh/mesh_writer.h"

/* A morph target of the mesh, read from its geometry. */
struct collada_morph_target {
    struct collada_mesh mesh;
    bool is_usable; /* it has as many positions as the base */
};

struct collada_mesh_reader {
    struct collada_model *model;
    uint32_t mesh; /* of the builder */
    struct collada_mesh geometry;
    struct influences influences;         /* per position; firsts is NULL without a skin */
    struct collada_morph morph;           /* count 0: none */
    struct collada_morph_target *targets; /* [morph.count] */
    uint32_t *first_points;               /* mesh_first_points() */
    bool may_weld;                        /* no skin or morph distinguishes coinciding positions */
    struct vec3 **made_normals;
    struct mesh_writer writer; /* writes the current primitive */
    char where[160];
};

/* The material and texture coordinate sets of a part. */
struct collada_binding {
    int32_t material; /* of the builder, or -1 */
    uint32_t sets[2]; /* of texture coordinates for each slot; SET_FIRST: the first set, SET_NONE: none */
};

#define SET_FIRST UINT32_MAX
#define SET_NONE  (UINT32_MAX - 1)

/* collada_bind.c: resolves <bind_material> of an instance for a primitive element. */
struct collada_binding collada_bind(const struct collada_model *model, uint32_t instance, uint32_t primitive);

/* Adds part `p` of the geometry as a primitive of the mesh; a part without faces adds nothing. */
int collada_add_primitive(struct collada_mesh_reader *reader, uint32_t p, const struct collada_binding *binding,
                          struct err *err);
