/* root_files_open.h - opens source files through the daemon's code directly, without a socket. */
#pragma once

#include "import/source/source_files.h"

/* root_fd: -1: no file can be opened. */
struct source_files *root_files_open(int root_fd, const char *model_path, const struct limits *limits);
