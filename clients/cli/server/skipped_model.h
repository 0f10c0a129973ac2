/* skipped_model.h - which refused files are no fault of the models: those of another program that uses the extension,
 * and sources of Blender beside their export. */
#pragma once

#include "clients/cli/server/connection.h"
#include "clients/cli/server/model_list.h"

/* Returns whether the model, which the server has just refused over this connection, is such a file, and appends the
 * reason to `why`. */
bool skipped_model_is(const struct connection *connection, const struct model_list *list, size_t index,
                      struct text *why);
