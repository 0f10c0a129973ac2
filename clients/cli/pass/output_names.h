/* output_names.h - names the files that a pass makes of many models, one of each. Pure functions. */
#pragma once

#include "clients/cli/server/model_list.h"

/* Gives each model of the list the name of its file. With the extension ".glb", "birds/crow.fbx" becomes
 * "birds/crow.glb". Where several models would get one name, they keep their extensions: "crow.fbx.glb" and
 * "crow.obj.glb". The result depends on the set of models only. Returns the number of models that keep theirs, and sets
 * *first to the index of one of them. */
size_t output_names_set(struct model_list *list, const char *extension, size_t *first);
