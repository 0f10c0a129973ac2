/* obj_run.h - OBJ files written in a test, read by posed's own reader. */
#pragma once

#include "tests/unit/assimp/assimp_run.h"

/* Reads bytes as a.obj, without finishing the model. The run is initialised. */
void obj_run_bytes(struct assimp_run *run, const char *bytes, size_t size_bytes);
/* Initialises the run and reads the text as a.obj, with a.mtl beside it unless `mtl` is NULL. */
void obj_run_text(struct assimp_run *run, const char *text, const char *mtl);
/* The same for a file that must be read. */
void obj_run_good(struct assimp_run *run, const char *text, const char *mtl);
/* The vertex at this place, of those that triangles, lines or points use. */
uint32_t obj_run_vertex(const struct assimp_run *run, double x, double y, double z);
bool obj_run_is_text(const struct assimp_run *run, struct str str, const char *text);
