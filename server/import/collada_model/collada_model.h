/* collada_model.h - one COLLADA file while it is read: its elements, what they became in the baked model, and the parts
 * that read them.
 *
 * The order: the file (import/collada/collada.h), axes, nodes, materials, instances with their meshes and skins,
 * cameras, clips. Each part adds its arrays to the builder. All return 0 or a negative ERR_ code and name the element.
 * Spaces and units are the file's own. One thread. */
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
    const struct collada_archive *archive; /* the .zae around it, or NULL */

    /* Of nodes: [collada.node_count], in the order of the builder. */
    struct dmat4 *parent_from_node; /* at rest */
    uint32_t *depths;
    uint32_t *by_element; /* nodes, sorted by their element, then by their order */

    struct collada_material *materials; /* [material_count], as the builder has them */
    uint32_t material_count;
    int32_t default_material; /* of the builder, for parts without one: -1 until one is needed */

    /* Nodes of the builder that show a mesh with morph targets. */
    struct morphed_node {
        uint32_t node, weight_source; /* weight_source: element */
    } * morphed;
    uint32_t morphed_count;
    uint32_t skin_count;
    uint64_t *skin_hashes; /* [skin_count]: of the builder's skins */
};

/* A <material>, and by which coordinates its textures lie: what textures call them, or NULL. */
struct collada_material {
    uint32_t element;
    const char *texcoords[2];
};

/* What is wrong with an element is said with this before it. */
const char *collada_id(const struct xml *xml, uint32_t element);

/* --- collada_nodes.c --- */

/* Axes, unit and generator into import->info. */
void collada_read_asset(struct collada_model *model);
/* The nodes with their parents, names and rest transforms, and the members of struct collada_model that are of nodes.
 */
int collada_read_nodes(struct collada_model *model, struct err *err);
/* Fills translation, rotation and scale of a node, and its matrix where that is more than those. */
int collada_set_transform(struct collada_model *model, struct node *node, const struct dmat4 *parent_from_node,
                          struct err *err);
/* What a node is called in messages. */
const char *collada_node_name(const struct collada_model *model, uint32_t n);
/* Of the nodes of this element the one with the nearest common ancestor with `near`; -1: it is not in the scene. */
int64_t collada_node_of(const struct collada_model *model, uint32_t element, uint32_t near);
/* Behind the last node below node `n`. */
uint32_t collada_node_end(const struct collada_model *model, uint32_t n);

/* --- collada_material.c, collada_effect.c, collada_image.c --- */

int collada_read_materials(struct collada_model *model, struct err *err);
/* The material of parts that have none, grey and seen from both sides. Its index, or a negative ERR_. */
int32_t collada_default_material(struct collada_model *model, struct err *err);

/* --- collada_instance.c: and meshes, skins --- */

int collada_read_instances(struct collada_model *model, struct err *err);

/* --- collada_skin.c --- */

/* The joints of one instance of a skin. */
struct collada_skin {
    int32_t skin;    /* of the builder */
    int32_t *joints; /* [joint_count]: joints of the file as those of the skin, or -1: they have no node */
    uint32_t joint_count;
    uint32_t shape_joint; /* for index -1 of the file, where it has that */
    bool is_whole;        /* all joints have nodes */
};

/* `instance`: an <instance_controller> of node `n`; `skin`: the <skin> that it shows. Adds the skin to the builder,
 * unless it has the same joints and matrices already. */
int collada_skin_read(struct collada_model *model, uint32_t instance, uint32_t n, uint32_t skin,
                      struct collada_skin *out, struct err *err);
void collada_skin_fini(struct collada_skin *skin);

/* --- collada_camera.c, collada_clips.c --- */

int collada_read_cameras(struct collada_model *model, struct err *err);
int collada_add_clips(struct collada_model *model, struct err *err);
