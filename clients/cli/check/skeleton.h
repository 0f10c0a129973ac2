/* skeleton.h - the joints of a model by name. Each knows the nearest joint above it, so that skeletons can be compared.
 */
#pragma once

#include "clients/cli/check/check.h"

struct joint {
    char *name;
    int64_t parent; /* the nearest joint above, or -1 */
};

struct skeleton {
    char *path;           /* the model's path under the root */
    bool has_skins;       /* false: the file has only clips. Its joints are all nodes with a name and without a mesh. */
    struct joint *joints; /* in the order of the nodes */
    size_t *order;        /* [count]: indices of joints, sorted by name */
    size_t count;
};

/* Makes a skeleton, which the caller frees. */
struct skeleton *skeleton_of(const struct inspection *model, const char *path);
/* Reads the skeleton of the model at `path`, which `value` of a rule file names. Returns NULL after printing the error.
 */
struct skeleton *skeleton_read(struct connection *connection, const char *path, const struct rule_file *file,
                               const cJSON *value);
void skeleton_free(struct skeleton *skeleton);
/* Returns the index of the joint with that name, or -1. */
int64_t skeleton_find(const struct skeleton *skeleton, const char *name);
/* Returns the path under the root that the file's key "reference_skeleton" means. The caller frees it. NULL: the path
 * is outside the root. */
char *skeleton_place(const struct rule_file *file, const char *path);
