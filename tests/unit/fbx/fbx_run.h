/* fbx_run.h - ASCII files of 7.4 in tests: read up to their nodes, without meshes and clips. */
#pragma once

#include "import/fbx/fbx.h"

struct fbx_run {
    struct limits limits;
    struct bake_builder builder;
    struct import import;
    char *text;
    struct fbx fbx;
    struct err err;
    int rc; /* of the scene, then of its nodes */
};

/* settings: lines of properties; objects and connections: records. ' stands for ". Reads the scene, the settings and
 * the nodes. */
void fbx_run_nodes(struct fbx_run *run, const char *settings, const char *objects, const char *connections);
void fbx_run_fini(struct fbx_run *run);

bool fbx_run_is_text(const struct fbx_run *run, struct str str, const char *text);
bool fbx_run_warned(const struct fbx_run *run, const char *code);

/* A Model with properties; a property of three numbers, and of one. */
#define FBX_MODEL_OF(id, name, kind, properties)                                                                       \
    "Model: " id ", 'Model::" name "', '" kind "' {\n Properties70: {\n" properties "}\n}\n"
#define FBX_P3(name, numbers) "P: '" name "', '', '', 'A'," numbers "\n"
#define FBX_P1(name, number)  "P: '" name "', '', '', ''," number "\n"
