/* fork_server.h - how posed gets importer processes: the contract between posed and `posed-import --fork-server`.
 *
 * A fork server is a process that is linked and confined once and then only makes copies of itself, each of which
 * imports one model. It has one end of a SOCK_SEQPACKET socket pair as file descriptor FORK_SERVER_FD. For each message
 * of one byte with FORK_FD_COUNT descriptors (SCM_RIGHTS) it answers with a struct fork_reply, in order. It reads
 * nothing else: the import order is in the socket that it passes on (import_files.h).
 *
 * The new process is a child of posed and not of the fork server (CLONE_PARENT), so posed waits for it, kills it and
 * learns how it ended, as if posed had started it. It leads its own process group. At end of stream the fork server
 * exits. */
#pragma once

#include <stdint.h>

enum { FORK_SERVER_FD = 3 };

/* The order of the descriptors in a message, and their roles in the new process. */
enum { FORK_STDERR, FORK_FILES, FORK_RESULT, FORK_FD_COUNT };

struct fork_reply {
    int32_t pid;   /* 0: no process was made, because of */
    int32_t error; /* an errno */
};
