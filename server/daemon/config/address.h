/* address.h - converts "ADDR:PORT" texts and socket addresses. Start-up only, because resolving names may block. */
#pragma once

#include "base/err.h"
#include "wire/proxy/peer_address.h"

#include <sys/socket.h>

enum { ADDRESS_SIZE = 64 };

/* "127.0.0.1:7878", "[::1]:7878", "localhost:7878"; port 0 to 65535. Returns 0 or ERR_BAD_PARAMETER. */
int address_parse(const char *text, struct sockaddr_storage *out, struct err *err);

/* Checks the form of such a text, without looking up its host. Errors likewise. */
int address_check(const char *text, struct err *err);

/* Writes "127.0.0.1:7878" or "[::1]:7878"; "-" for an address of another family. */
void address_format(const struct sockaddr *address, char out[ADDRESS_SIZE]);

/* PEER_NONE for an address of another family. */
struct peer_address address_peer(const struct sockaddr *address);
