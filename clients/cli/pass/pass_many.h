/* pass_many.h - what convert and bake share when they work on several models: a pass (pass.h) that makes one file of
 * each, in the same tree under the output folder. */
#pragma once

#include "clients/cli/pass/pass.h"

/* Returns whether the command line means several models: several arguments, folders, patterns, or options that are only
 * for them. */
bool pass_many_is_meant(const struct args *args);
/* Returns whether the path is an existing folder. Links are followed. */
bool pass_many_is_folder(const char *path);
/* The next two regard the first `path_count` arguments. They return 0, or an exit status after printing the error. */
/* Refuses an output folder that is one of the folders of models: files of other origin may lie there. */
int pass_many_check_out(const struct pass *pass, size_t path_count);
/* Lists the models of all parts of --shard, names the outputs, and then keeps the models of this part. `leave_out`
 * removes listed models before they are named, and returns the same; it may be NULL. */
int pass_many_list(struct pass *pass, size_t path_count, const char *extension, int (*leave_out)(struct pass *pass));
