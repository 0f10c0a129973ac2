/* documents.h - what is made from the tables of options.def: help, completions, man page. All print to stdout and
 * return an exit status. */
#pragma once

#include "clients/cli/command_line/args.h"

/* NULL: of posectl as a whole. */
int print_help(const struct command *command);
int print_completion(const struct args *args);
int print_man(void);
