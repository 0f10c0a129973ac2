/* ending.h - the ending of -o FILE, which says in what form the server's answer is wanted. */
#pragma once

#include "clients/cli/command_line/args.h"

/* *format: what format= the ending asks for; NULL where there is no file, no ending, or it is the server's own choice.
 * Returns 0, or STATUS_USAGE after complaining: no file is written under an ending that is another form's. */
int output_format_choose(const struct args *args, const char **format);
