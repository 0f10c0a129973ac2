/* fork_server.h - lets a fork server (worker/fork_server.h) make processes: a program that is linked and confined only
 * once. Each process is a struct child like a started one. Loop thread only.
 *
 * The fork server starts when it is first needed. It is replaced when it has ended, when it is stopped or asleep while
 * a request waits (which is noticed within a second), and after a number of processes: all processes of one fork server
 * share their addresses, so one file could learn them for the next (server/docs/hostile-files.md). */
#pragma once

#include "daemon/process/child.h"
#include "daemon/process/worker_command.h"

#include <uv.h>

struct fork_server;

/* Makes the object without starting a process. Borrows `command`, whose program is a fork server. */
struct fork_server *fork_server_new(uv_loop_t *loop, const struct worker_command *command);

/* Starts the fork server if there is none, so that the first process need not wait for it. The first request for a
 * process reports a failure. */
void fork_server_begin(struct fork_server *server);

/* Requests a process with copies of these descriptors, as FORK_FILES and FORK_RESULT of worker/fork_server.h. Returns
 * like child_start(); after a later failure, ended() gets exit.start_error. */
int fork_server_start_child(struct fork_server *server, struct child *child, int files_fd, int result_fd,
                            const struct child_events *events);

/* Returns its program, for messages. */
const char *fork_server_program(const struct fork_server *server);

/* Makes the next process come from a new fork server. Existing processes continue. */
void fork_server_renew(struct fork_server *server);

/* Ends it and gives up requested processes that do not exist yet; cleanup ends while the loop runs. */
void fork_server_free(struct fork_server *server);
