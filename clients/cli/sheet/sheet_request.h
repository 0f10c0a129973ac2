/* sheet_request.h - asks for a sheet or turntable. It asks in parts if the answer takes long or exceeds the size of one
 * picture of the server (protocol/http.md, "Parts of a sheet"), and joins them to the same bytes. */
#pragma once

#include "clients/cli/command_line/args.h"
#include "clients/cli/output/text.h"
#include "clients/cli/server/connection.h"

#include <stdbool.h>

struct sheet_request {
    struct connection *connection;
    const struct args *args; /* of sheet or turntable */
    const char *model;
    const char *format; /* given by the extension of the file; NULL: args or the server choose it */
    const char *body;   /* the parameters that only a body can have, or NULL */
};

/* Returns whether the command is one of the two, and asks for pixels. */
bool sheet_request_is(const struct args *args);
/* Sends the request and shows the progress. The answer is the same as that of one request; `joined` holds its bytes if
 * it came in parts. Returns an exit status after printing an error. */
int sheet_request(const struct sheet_request *request, struct text *joined, struct posed_packet *answer);
/* Prints how long the request takes and how large the file is, as estimate_print() does. Returns an exit status. */
int sheet_request_estimate(const struct sheet_request *request);
