/* endings.h - which file names are models, from protocol/formats.def. Pure; any thread. */
#pragma once

#include <stdbool.h>

/* True when an importer knows the name's ending. A path or a bare name. */
bool file_type_is_known(const char *name);

/* The ending (without dot) of the file whose companion one of this ending is: "md5mesh" for "bob.md5anim".
 * NULL when it is nobody's. */
const char *file_type_companion_of(const char *name);
