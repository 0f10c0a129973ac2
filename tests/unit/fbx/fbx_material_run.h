/* fbx_material_run.h - the materials of a small ASCII FBX file that a test writes, with pictures beside it. */
#pragma once

#include "tests/unit/support/temp_tree.h"

#include "import/fbx/fbx_material.h"

struct fbx_material_run {
    struct temp_tree tree;
    struct limits limits;
    struct bake_builder builder;
    struct import import;
    struct fbx fbx;
    struct err err;
    int rc; /* of fbx_scene_read() and fbx_read_materials() */
};

void fbx_material_run_init(struct fbx_material_run *run);
void fbx_material_run_fini(struct fbx_material_run *run);
/* A picture of 2 x 1, 32-bit TGA, rows top first; texels are RGBA. */
void fbx_material_run_picture(const struct fbx_material_run *run, const char *path, const uint8_t texels[8]);
/* Reads a whole file. The generator is what its Creator would be, or NULL. */
void fbx_material_run_read(struct fbx_material_run *run, const char *generator, const char *text, size_t size_bytes);
/* Reads a file of these objects and connections; fails the test where that fails. */
void fbx_material_run_objects(struct fbx_material_run *run, const char *generator, const char *objects,
                              const char *connections);

/* The only material of an object with these properties (Properties70), with a shading model and no texture. */
struct material fbx_material_of(const char *generator, const char *model, const char *properties);
bool fbx_material_run_warned(const struct fbx_material_run *run, const char *code);
/* The picture of a slot of material 0. */
const struct texture *fbx_material_run_texture(const struct fbx_material_run *run, enum texture_slot slot);
