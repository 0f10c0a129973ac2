/* broker.h - the importer's side of worker/import_files.h: files from the daemon, which opens them. One thread. */
#pragma once

#include "import/source/source_files.h"

/* A source that asks on the socket, which is the caller's; nothing of it needs freeing. */
struct file_client file_client_on_socket(const int *socket);
