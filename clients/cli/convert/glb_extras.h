/* glb_extras.h - joins what several parts of one file have in asset.extras: posed's remarks about the model
 * (protocol/glb.md). Pure functions. */
#pragma once

#include "clients/cli/output/json.h"

/* Adds to the first file the clip files of the part, and the warnings that the first lacks. */
void glb_extras_join(cJSON *glb, cJSON *part);
/* Adds to the list the entries of the other one that it lacks. */
void glb_add_missing(cJSON *to, const cJSON *from);
