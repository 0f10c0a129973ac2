/* glb_extras.h - what posed tells beside a model in asset.extras of a GLB file (protocol/glb.md), of several parts of
 * one file. Pure. */
#pragma once

#include "clients/cli/output/json.h"

/* Adds to the first file what the part tells: its clip files, and warnings that the first lacks. */
void glb_extras_join(cJSON *glb, cJSON *part);
/* Adds to the list what it lacks of the other one. */
void glb_add_missing(cJSON *to, const cJSON *from);
