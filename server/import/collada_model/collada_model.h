/* collada_model.h - the state of one COLLADA import: the file's elements, their counterparts in the baked model, and
 * the functions that read them.
 *
 * They run in this order: the file (import/collada/collada.h), axes, nodes, materials, instances with their meshes and
 * skins, cameras, clips. Each adds its arrays to the builder. All return 0 or a negative ERR_ code and name the
 * element. Spaces and units are the file's own. One thread. */
#pragma once

#include "import/collada/collada.h"
#include "import/collada_mesh/collada_mesh.h"
#include "import/collada_model/collada_archive.h"
#include "import/source/import.h"

#include "anim/model/mat.h"

struct collada_model {
    struct import *import;
    struct bake_builder *builder;
    struct collada collada;
    const struct collada_archive *archive; /* the .zae that contains the file, or NULL */

    /* Arrays of [collada.node_count] in the builder's node order. */
    struct dmat4 *parent_from_node; /* at rest */
    uint32_t *depths;
    uint32_t *by_element; /* nodes, sorted by their element, then by their order */

    struct collada_material *materials; /* [material_count], in the builder's order */
    uint32_t material_count;
    int32_t default_material; /* the builder's, for parts without one; -1 until needed */

    /* The builder's nodes whose mesh has morph targets. */
    struct morphed_node {
        uint32_t node, weight_source; /* weight_source: element */
    } * morphed;
    uint32_t morphed_count;
    uint32_t skin_count;
    uint64_t *skin_hashes; /* [skin_count]: of the builder's skins */
};

/* A <material> and the names that its textures give to their texture coordinates, or NULL. */
struct collada_material {
    uint32_t element;
    const char *texcoords[2];
};

/* Returns the element's id, with which error messages begin. */
const char *collada_id(const struct xml *xml, uint32_t element);

/* --- collada_nodes.c --- */

/* Reads axes, unit and generator into import->info. */
void collada_read_asset(struct collada_model *model);
/* Keeps the copyright of the first contributor for files made of the model. */
int collada_read_copyright(struct collada_model *model, struct err *err);
/* Title, author and others, for files made of the model. */
int collada_read_facts(struct collada_model *model, struct err *err);
/* Adds the nodes with their parents, names and rest transforms, and fills the node arrays of struct collada_model. */
int collada_read_nodes(struct collada_model *model, struct err *err);
/* Fills translation, rotation and scale of a node, and its matrix if they cannot express it. */
int collada_set_transform(struct collada_model *model, struct node *node, const struct dmat4 *parent_from_node,
                          struct err *err);
/* Returns the node's name for messages. */
const char *collada_node_name(const struct collada_model *model, uint32_t n);
/* Returns the node of this element whose common ancestor with `near` is nearest; -1 if the element is not in the
 * scene. */
int64_t collada_node_of(const struct collada_model *model, uint32_t element, uint32_t near);
/* Returns the index after the last descendant of node `n`. */
uint32_t collada_node_end(const struct collada_model *model, uint32_t n);

/* --- collada_material.c, collada_effect.c, collada_image.c --- */

int collada_read_materials(struct collada_model *model, struct err *err);
/* Returns the index of the white, double-sided material for parts without one, or a negative ERR_. */
int32_t collada_default_material(struct collada_model *model, struct err *err);

/* --- collada_instance.c: instances with their meshes and skins --- */

int collada_read_instances(struct collada_model *model, struct err *err);

/* --- collada_skin.c --- */

/* The joints of one instance of a skin. */
struct collada_skin {
    int32_t skin;    /* of the builder */
    int32_t *joints; /* [joint_count]: the skin's joint for each joint of the file; -1: no node */
    uint32_t joint_count;
    uint32_t shape_joint; /* joint for the file's index -1, if it uses that */
    bool is_whole;        /* all joints have nodes */
};

/* Reads the <skin> `skin` of the <instance_controller> `instance` of node `n`. Adds it to the builder, unless the
 * builder has a skin with the same joints and matrices. */
int collada_skin_read(struct collada_model *model, uint32_t instance, uint32_t n, uint32_t skin,
                      struct collada_skin *out, struct err *err);
void collada_skin_fini(struct collada_skin *skin);

/* --- collada_camera.c, collada_clips.c --- */

int collada_read_cameras(struct collada_model *model, struct err *err);
int collada_add_clips(struct collada_model *model, struct err *err);
