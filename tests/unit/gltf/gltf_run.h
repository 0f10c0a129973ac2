/* gltf_run.h - imports glTF files written in a test as posed-import does. */
#pragma once

#include "import/source/import.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct gltf_run {
    struct limits limits; /* set by gltf_run_init(); a test may lower some */
    struct bake_builder builder;
    struct source_files *files;
    struct err err;
    int rc; /* of import_gltf() and bake_finish() */
};

void gltf_run_init(struct gltf_run *run);
void gltf_run_fini(struct gltf_run *run);

/* Imports the bytes. Companions are searched in the directory `root_fd`, or nowhere if it is -1. */
void gltf_run_bytes(struct gltf_run *run, int root_fd, const void *bytes, size_t size_bytes);

/* Imports a JSON text, in which ' stands for ". */
void gltf_run_json(struct gltf_run *run, const char *json);

/* The same in a GLB, with a binary chunk. */
void gltf_run_glb(struct gltf_run *run, const char *json, const void *bin, size_t bin_bytes);

/* Makes such a GLB. The caller frees *out. */
size_t gltf_make_glb(const char *json, const void *bin, size_t bin_bytes, uint8_t **out);

/* Returns true if the import failed with `code` and its message contains `part`. Prints the result otherwise. */
bool gltf_failed(const struct gltf_run *run, int code, const char *part);
/* The same for success, and for a warning of this code. */
bool gltf_succeeded(const struct gltf_run *run);
bool gltf_warned(const struct gltf_run *run, const char *code);
bool gltf_str_is(const struct gltf_run *run, struct str str, const char *text);
