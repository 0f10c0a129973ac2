/* broker.h - the importer's side of worker/import_files.h: files from the daemon, which opens them. One thread. */
#pragma once

#include "import/source/opener.h"

/* A source that asks on the socket, which is the caller's; nothing of it needs freeing. */
struct file_source broker_source(const int *socket);
