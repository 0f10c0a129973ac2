/* estimate.h - what --estimate prints instead of an answer: how long that takes and how large it is. */
#pragma once

#include "clients/cli/command_line/args.h"
#include "clients/cli/output/text.h"
#include "clients/cli/server/long_request.h"

/* Whether --estimate is given; takes it out of the query. */
bool estimate_is_wanted(const struct args *args, struct text *query);

/* Prints the estimate of a request as long_request() has it: a line, with --json the server's JSON. Returns an exit
 * status. */
int estimate_print(struct connection *connection, const char *what, const char *operation, const char *model,
                   const char *query);

/* "about 12 s, 3.4 MB" */
void estimate_print_line(const struct long_request_estimate *estimate);
/* Of what comes in parts, as the server's JSON has it. */
void estimate_print_json(const struct long_request_estimate *estimate);
