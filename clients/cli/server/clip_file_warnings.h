/* clip_file_warnings.h - what an answer says of a file whose clips move another model. */
#pragma once

#include "clients/cli/output/json.h"

/* Adds to a list of {"code", "message"} which nodes of the file have no counterpart in the model, and the warnings
 * about the file. clip_file: the member of an answer (protocol/answers.md), or NULL. name: what to call the file in
 * front of each message, or NULL. */
void clip_file_add_warnings(const cJSON *clip_file, const char *name, cJSON *list);
