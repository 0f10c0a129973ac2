/* assimp_run.h - imports models written in a test as posed-import does. */
#pragma once

#include "tests/unit/support/temp_tree.h"

#include "anim/pose/pose.h"
#include "import/source/import.h"

#include <stdbool.h>

struct assimp_run {
    struct temp_tree tree;
    struct limits limits;
    struct source_files *files;
    struct bake_builder builder;
    struct err err;
    int rc;             /* of the reader, bake_finish() and bake_encode() */
    void *block;        /* aligned */
    struct model model; /* the decoded view, when rc is 0 */
    struct pose pose;
};

void assimp_run_init(struct assimp_run *run);
void assimp_run_fini(struct assimp_run *run);
/* Imports a file of the tree, COLLADA and OBJ by their own readers and all others by assimp. */
void assimp_run_import(struct assimp_run *run, const char *path);
/* Imports it by this reader. */
void assimp_run_read(struct assimp_run *run, const char *path, int (*read)(struct import *import, struct err *err));
/* Writes a picture of 2 x 1, 32-bit TGA, rows top first; texels are RGBA here. */
void assimp_run_put_tga(const struct assimp_run *run, const char *path, const uint8_t texels[8]);
/* Writes the file and imports it by this reader, which warns of numbers that it has repaired. */
void assimp_run_repair(struct assimp_run *run, void (*write)(const struct temp_tree *tree), const char *path,
                       int (*read)(struct import *import, struct err *err));
/* Ends one of many readings whose return code is run->rc: it is finished, or refused with a reason. The run is then
 * ready for the next. */
void assimp_run_end_one(struct assimp_run *run);
/* Prepares the import for tests of single steps: source files, and a builder with its info. */
struct import assimp_run_start(struct assimp_run *run, const char *path);
/* Finishes, encodes and decodes the contents of the builder. */
void assimp_run_finish(struct assimp_run *run);

/* Returns the index of the node of this name. Fails the test if it does not exist. */
uint32_t assimp_run_node(const struct assimp_run *run, const char *name);
bool assimp_run_warned(const struct assimp_run *run, const char *code);
/* Evaluates the clip and transforms point p of node n to scene space. */
void assimp_run_point(struct assimp_run *run, int32_t clip, double time_s, uint32_t n, const double p[3],
                      double out[3]);
