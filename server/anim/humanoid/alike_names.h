/* alike_names.h - finds nodes by names that are the same apart from exporters' conventions: without a namespace before
 * ':', without '.', '_', '-' and blanks, in lower case ("mixamorig:LeftUpLeg" is "leftupleg"). Pure; any thread. */
#pragma once

#include "anim/model/model.h"

#include <stddef.h>

struct alike_names {
    const struct model *model;
    struct alike_entry *entries; /* sorted by name, then by node */
    uint32_t count;
    char *text;
};

/* Returns whether this is the name of an end site of a BVH file, which is where a bone ends and no joint. */
bool alike_is_end_site(const char *name, size_t size_bytes);
void alike_names_init(struct alike_names *names, const struct model *model);
void alike_names_fini(struct alike_names *names);

enum { ALIKE_NONE = -1, ALIKE_MANY = -2 };
/* Returns the node with such a name. Of several, the only one that is a joint of a skin, else ALIKE_MANY. prefix:
 * NUL-terminated, precedes `name`, which is size_bytes long. */
int32_t alike_names_find(const struct alike_names *names, const char *prefix, const char *name, size_t size_bytes);
