/* limit_hint.h - what a user of posectl can do about an error, where the server's words are those of requests. */
#pragma once

#include "clients/cli/server/connection.h"

/* Appends "; POSED_IMPORT_CPU sets it here" to `out` if the last error of the connection names an option for a limit,
 * "see --import-cpu 15", and the server is a private one. posectl lacks the options of servers, but a private server
 * takes them from the environment. Where bones of a human are missing, which the error tells how to name by the
 * parameters bones and clip_bones, appends which options of posectl do so. */
void limit_hint_put(const struct connection *connection, struct text *out);
