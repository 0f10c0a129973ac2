/* limit_hint.h - how to raise the limit of a private server that a request has met. */
#pragma once

#include "clients/cli/server/connection.h"

/* Appends "; POSED_IMPORT_CPU sets it here" to `out` if the last error of the connection names an option for a limit,
 * "see --import-cpu 15", and the server is a private one. posectl lacks the options of servers, but a private server
 * takes them from the environment. */
void limit_hint_put(const struct connection *connection, struct text *out);
