/* root_files_open.h - an files whose files come straight from the daemon's side, without a socket between. */
#pragma once

#include "import/source/source_files.h"

/* root_fd: -1 = no file can be opened. */
struct source_files *root_files_open(int root_fd, const char *model_path, const struct limits *limits);
