/* estimate.h - prints for --estimate how long an answer takes and how large it is, instead of the answer. */
#pragma once

#include "clients/cli/command_line/args.h"
#include "clients/cli/output/text.h"
#include "clients/cli/server/long_request.h"

/* Returns whether --estimate was given, and removes it from the query. */
bool estimate_is_wanted(const struct args *args, struct text *query);

/* Prints the estimate of a request; the arguments are those of long_request(). It prints a line, or the server's JSON
 * with --json. Returns an exit status. */
int estimate_print(struct connection *connection, const char *what, const char *operation, const char *model,
                   const char *query);

/* Prints "about 12 s, 3.4 MB". */
void estimate_print_line(const struct long_request_estimate *estimate);
/* Prints the estimate of an answer in parts, with the same members as the server's JSON. */
void estimate_print_json(const struct long_request_estimate *estimate);
