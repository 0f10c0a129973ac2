/* vrm_internal.h - shared by the files of vrm.h. */
#pragma once

#include "import/vrm/vrm.h"

enum vrm_kind { VRM_0, VRM_1, VRM_ANIMATION };

/* The extension of a file. */
struct vrm {
    struct import *import;
    struct bake_builder *builder;
    const cJSON *root;
    const cJSON *extension; /* an object */
    enum vrm_kind kind;
    uint32_t node_count, material_count; /* of the file's lists */
};

/* --- vrm.c: members of objects that no schema has checked --- */

/* Returns a member, or NULL where `object` is no object, or has none. */
const cJSON *vrm_member(const cJSON *object, const char *name);
/* Returns the first item of a list, or NULL. */
const cJSON *vrm_list(const cJSON *object, const char *name);
/* True for a whole number below `count`. */
bool vrm_index(const cJSON *object, const char *name, uint32_t count, uint32_t *out);
/* Returns a number, or `missing` where there is none, or none that is finite as a float. */
float vrm_number(const cJSON *object, const char *name, float missing);
/* Fills out[count] from a list of as many finite numbers. False, with *out unchanged, for anything else. */
bool vrm_numbers(const cJSON *object, const char *name, int count, float *out);

/* --- one function each --- */

int vrm_read_humanoid(const struct vrm *vrm, struct err *err);
int vrm_read_expressions(const struct vrm *vrm, struct err *err);
int vrm_read_gaze(const struct vrm *vrm, struct err *err);

/* The binds of one expression, while they are collected. */
struct vrm_binds {
    struct expression_bind *items;
    uint32_t count;
    uint64_t searched; /* nodes and materials, for VRM 0 */
    bool is_cut;       /* some do not fit the file, or are too many */
};
void vrm_add_bind(struct vrm_binds *binds, const struct expression_bind *bind);
/* Adds the bind of a morph weight, if the node has it. */
void vrm_add_morph(const struct vrm *vrm, struct vrm_binds *binds, uint32_t node, uint32_t index, float weight);
/* vrm_0.c: a member of blendShapeGroups. */
const char *vrm_0_name(const cJSON *group, bool *is_preset); /* NULL: it has none */
void vrm_0_read_binds(const struct vrm *vrm, const cJSON *group, struct vrm_binds *binds);
