/* file_client.h - the importer's side of worker/import_files.h: asks the daemon to open files and to list folders.
 * Single-threaded. */
#pragma once

#include "base/err.h"
#include "worker/import_files.h"

/* The server end: posed, or a test's substitute. */
struct file_client {
    /* Fills *reply as defined in worker/import_files.h. Returns the accompanying descriptor, which the caller then
     * owns, or -1. */
    int (*ask)(const void *context, const struct import_file_request *request, struct import_file_reply *reply);
    const void *context;
};

/* Makes a client that uses the socket. The caller keeps the socket; the client needs no cleanup. */
struct file_client file_client_on_socket(const int *socket);

/* Returns the descriptor, which the caller then owns, or -1. */
int file_client_ask(const struct file_client *client, enum import_file_kind kind, const char *path, const char *suffix,
                    struct import_file_reply *reply);

/* Whether a reply's error comes from one of the daemon's rules (IMPORT_REFUSED()). Such an error does not reveal
 * whether the file exists. */
bool file_client_is_refusal(int error);
/* Converts a reply's error, which is not 0, to an error about `path`. */
int file_client_error(const char *path, int error, struct err *err);
