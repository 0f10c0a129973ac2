/* vrm.h - what the glTF extensions VRM (0.x), VRMC_vrm and VRMC_vrm_animation say of a human: the nodes of its bones,
 * its expressions and its gaze; and constraints of nodes (vrm-specification). Single-threaded. */
#pragma once

#include "import/gltf_file/gltf_json.h"
#include "import/source/import.h"

/* Adds humanoid_bones, expressions, expression_binds and gazes to the builder, and sets MODEL_T_POSE and, for VRM 0,
 * where the model faces. root: the file's JSON, of which only the glTF lists have passed the schema check; the builder
 * has the nodes with their morph weights and the materials, as the file numbers them. Parts of the extensions that do
 * not fit the file are left out with a warning: a file with a broken face is still a model. Returns 0,
 * ERR_IMPORT_MEMORY or ERR_MODEL_LIMIT. */
int vrm_read(struct import *import, const cJSON *root, struct err *err);

/* Adds the constraints of nodes (VRMC_node_constraint), which files may have without the other extensions. Those that
 * cannot be evaluated are left out with a warning. Same contract. */
int vrm_read_constraints(struct import *import, const cJSON *root, struct err *err);
