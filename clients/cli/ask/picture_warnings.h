/* picture_warnings.h - the warnings about clips of other files, which the answer to a question about a picture only
 * counts. */
#pragma once

#include "clients/cli/command_line/args.h"
#include "clients/cli/server/connection.h"

/* Prints the warnings about each clip file of the picture that `args` ask for: one of poses with the same parameters
 * has them. Prints nothing without clip files, and nothing where that question fails: the picture is there. */
void picture_warnings_print(const struct args *args, struct connection *connection, const char *model);
