/* pose_option.h - the options --pose, --pose-weight and --pose-mode. */
#pragma once

#include "clients/cli/command_line/args.h"

/* Makes the files of --pose the last layers of the request, in the order given. Below them are those of --layers, or
 * the clip of --clip and the other options about it as a layer, or without such options the rest pose. Returns 0, or -1
 * with a message in *problem. */
int pose_option_read(struct args *args, struct text *problem);
/* Says which files the last layers are from, if the server's error is about a layer. */
void pose_option_explain(const struct args *args, const char *message);
