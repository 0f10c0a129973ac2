/* root_opener.h - an opener whose files come straight from the daemon's side, without a socket between. */
#pragma once

#include "import/source/opener.h"

/* root_fd: -1 = no file can be opened. */
struct opener *root_opener(int root_fd, const char *model_path, const struct limits *limits);
