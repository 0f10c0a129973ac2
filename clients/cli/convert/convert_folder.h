/* convert_folder.h - posectl convert of several models: a pass (pass.h) that makes a GLB file of each. */
#pragma once

#include "clients/cli/convert/convert_clips.h"

/* Returns whether the command line means several models: folders, patterns, several arguments, a folder as output, or
 * options that are only for them. */
bool convert_is_of_folder(const struct args *args);
/* Converts them. Returns an exit status after printing errors. */
int convert_folder(const struct convert_clips *clips);
