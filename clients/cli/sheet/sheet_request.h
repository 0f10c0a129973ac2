/* sheet_request.h - a sheet or turntable, asked for in parts where it takes long or is larger than one picture of the
 * server may be (protocol/http.md, "Parts of a sheet"), and joined to the same bytes. */
#pragma once

#include "clients/cli/command_line/args.h"
#include "clients/cli/output/text.h"
#include "clients/cli/server/connection.h"

#include <stdbool.h>

struct sheet_request {
    struct connection *connection;
    const struct args *args; /* of sheet or turntable */
    const char *model;
    const char *format; /* as the extension of the file says it; NULL: as args or the server say */
    const char *body;   /* what only a body can say; NULL: nothing */
};

/* Whether the command is one of these, and asks for pixels. */
bool sheet_request_is(const struct args *args);
/* Shows how far it is. The answer is as that of one request; `joined` holds its bytes where it came in parts. Returns
 * an exit status after printing what went wrong. */
int sheet_request(const struct sheet_request *request, struct text *joined, struct posed_packet *answer);
/* Prints how long that takes and how large the file is, as estimate_print(). Returns an exit status. */
int sheet_request_estimate(const struct sheet_request *request);
