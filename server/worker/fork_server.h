/* fork_server.h - how posed has importers made: the contract between posed and `posed-import --fork-server`.
 *
 * A fork server is a process that is linked and confined once and then only makes processes like itself, each of which
 * imports one model. It has one end of a SOCK_SEQPACKET socket pair as file descriptor FORK_SERVER_FD, gets one byte
 * with FORK_FD_COUNT descriptors (SCM_RIGHTS) and answers struct fork_reply, in order. It reads nothing else: what is
 * to be imported lies in the socket that it passes on (import_files.h).
 *
 * The new process is a child of posed and not of the fork server (CLONE_PARENT): posed waits for it, kills it and knows
 * how it ended, as if it had started it. It leads a process group of its own. End of stream: the fork server exits. */
#pragma once

#include <stdint.h>

enum { FORK_SERVER_FD = 3 };

/* Which descriptors of the new process those of a message become. */
enum { FORK_STDERR, FORK_FILES, FORK_RESULT, FORK_FD_COUNT };

struct fork_reply {
    int32_t pid;   /* 0: there is no process, because of */
    int32_t error; /* an errno */
};
