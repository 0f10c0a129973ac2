/* gltf_schema.h - types, required members and index ranges of a whole glTF file, before anything is read from it.
 * The table is gltf_schema.def. */
#pragma once

#include "import/gltf/gltf.h"

/* gltf->root and gltf->lists are set. Linear in the file. Members that the table does not have are not looked at.
 * Returns 0 or ERR_BAD_MODEL: "nodes[3].children is a number, expected an array". */
int gltf_schema_check(const struct gltf *gltf, struct err *err);
