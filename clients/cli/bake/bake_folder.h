/* bake_folder.h - posectl bake of several models: a pass (pass.h) that makes an .npz file of each, and an index of all.
 */
#pragma once

#include "clients/cli/bake/bake.h"
#include "clients/cli/pass/pass_many.h"

/* Bakes the models of the first path_count arguments. The argument behind them, if there is one, is the model of
 * --onto. Returns an exit status after printing errors. */
int bake_folder(const struct args *args, size_t path_count);

/* bake_index.c: the name of the index in the output folder. */
#define BAKE_INDEX "index.json"
/* Adds to an entry's output what the index tells of a table. */
void bake_index_describe(const struct bake *bake, cJSON *output);
/* Writes the index of all tables in the output folder, also of earlier runs, if it says something new. Returns 0, or an
 * exit status after printing the error. */
int bake_index_write(const struct pass *pass);
