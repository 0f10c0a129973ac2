/* skeleton.h - the joints of a model by name, each with the nearest joint above it, to compare models by. */
#pragma once

#include "clients/cli/check/check.h"

struct joint {
    char *name;
    int64_t parent; /* the nearest joint above; -1: there is none */
};

struct skeleton {
    char *path;           /* of the model, under the root */
    bool has_skins;       /* false: a file of clips alone; its joints are all nodes that have a name and no mesh */
    struct joint *joints; /* in the order of the nodes */
    size_t *order;        /* [count]: joints by name */
    size_t count;
};

/* The caller frees it. */
struct skeleton *skeleton_of(const struct inspection *model, const char *path);
/* Of the model at `path`, which `value` of a rule file names; NULL after printing why there is none. */
struct skeleton *skeleton_read(struct connection *connection, const char *path, const struct rule_file *file,
                               const cJSON *value);
void skeleton_free(struct skeleton *skeleton);
/* A joint of that name; -1: there is none. */
int64_t skeleton_find(const struct skeleton *skeleton, const char *name);
/* The path under the root that a key "reference_skeleton" of the file means; the caller frees it. NULL: it leads out.
 */
char *skeleton_place(const struct rule_file *file, const char *path);
