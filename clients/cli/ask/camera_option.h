/* camera_option.h - the option --camera-json. */
#pragma once

#include "clients/cli/command_line/args.h"

/* Makes the camera of the file the parameter `camera` of the body. Returns 0, or -1 with a message in *problem. */
int camera_option_read(struct args *args, struct text *problem);
