/* file_client.h - the importer's side of worker/import_files.h: asks the daemon to open files and to list folders. One
 * thread. */
#pragma once

#include "base/err.h"
#include "worker/import_files.h"

/* The other end: posed, or a stand-in of a test. */
struct file_client {
    /* Fills *reply as worker/import_files.h has it and returns the descriptor that comes with it, which is then the
     * caller's, or -1. */
    int (*ask)(const void *context, const struct import_file_request *request, struct import_file_reply *reply);
    const void *context;
};

/* Asks on the socket, which stays the caller's; nothing of the client needs freeing. */
struct file_client file_client_on_socket(const int *socket);

/* Returns the descriptor, which is the caller's, or -1. */
int file_client_ask(const struct file_client *client, enum import_file_kind kind, const char *path, const char *suffix,
                    struct import_file_reply *reply);

/* Whether a reply's error is one of the daemon's rules (IMPORT_REFUSED()); it does not tell whether the file exists. */
bool file_client_is_refusal(int error);
/* Explains a reply's error, which is not 0, as an error about `path`. */
int file_client_error(const char *path, int error, struct err *err);
