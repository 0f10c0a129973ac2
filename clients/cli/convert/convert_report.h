/* convert_report.h - what is said of a GLB file that the server has made: what is in it, and how it differs from the
 * model (asset.extras, protocol/glb.md). */
#pragma once

#include "clients/c/posed.h"
#include "clients/cli/output/json.h"

/* Prints the report of one model: warnings on stderr, and unless `file` is "-" a line or JSON on stdout. */
void convert_report(const char *model, const char *file, const struct posed_packet *answer);
/* Adds the numbers of "nodes", "skins", "meshes", "clips" and "textures". */
void convert_report_add_counts(const cJSON *glb, cJSON *json);
/* Adds "warnings", "approximations" and "dropped", with those of clip files among the warnings. */
void convert_report_add_remarks(const cJSON *glb, cJSON *json);
