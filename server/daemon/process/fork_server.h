/* fork_server.h - has processes made by a fork server (worker/fork_server.h): a program that was linked and confined
 * once. Each is a struct child as if it had been started. Loop thread only.
 *
 * The fork server starts when it is first needed, and anew when it has ended, is stopped or asleep while somebody waits
 * (which is noticed within a second), or has made so many processes that another is due: addresses are the same in all
 * that one fork server makes, so none of them may teach a file much about the next (server/docs/hostile-files.md). */
#pragma once

#include "daemon/process/child.h"
#include "daemon/process/worker_command.h"

#include <uv.h>

struct fork_server;

/* `command`, of a program that is a fork server, is borrowed. Starts nothing. */
struct fork_server *fork_server_new(uv_loop_t *loop, const struct worker_command *command);

/* Starts the fork server if there is none, so that the first process need not wait for it. A failure is told to the
 * first that asks for a process. */
void fork_server_begin(struct fork_server *server);

/* Has a process made with these descriptors, which are copied, as FORK_FILES and FORK_RESULT of worker/fork_server.h.
 * As child_start(); where it fails later, ended() finds exit.start_error. */
int fork_server_start_child(struct fork_server *server, struct child *child, int files_fd, int result_fd,
                            const struct child_events *events);

/* Its program, for messages. */
const char *fork_server_program(const struct fork_server *server);

/* The next process comes from another fork server. Those that are there live on. */
void fork_server_renew(struct fork_server *server);

/* Ends it. Processes that were asked for and are not there yet are given up; the rest ends while the loop runs. */
void fork_server_free(struct fork_server *server);
