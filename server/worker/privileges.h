/* privileges.h - drops what a worker's user may do beyond others: every capability, and root's user id. Linux. No step
 * fails. The texts say what the kernel reports afterwards, including what could not be dropped.
 *
 * A worker of root becomes nobody in two steps, because only root may be able to read what it loads before it sees
 * outside data. The first step sets nobody's user id as the saved one, to which a process can switch later without a
 * capability (setresuid(2)). Only then is every capability dropped. */
#pragma once

#include <stdbool.h>
#include <sys/types.h>

struct privileges {
    pid_t parent;
    uid_t own;
    bool is_leaving_root;
    int user_error;                  /* why root stays root; 0 = it does not, or was not root */
    char user[96], capabilities[96]; /* filled by privileges_read() */
};

/* Does what needs capabilities; call it before the first thread. has_to_stay: the user must not change. A root that
 * could not kill its workers afterwards (CAP_KILL) also stays root. */
void privileges_prepare(struct privileges *privileges, bool has_to_stay);

/* Drops all capabilities (effective, permitted, inheritable, ambient, bounding); call it before the first thread. The
 * user's files can still be opened. */
void privileges_drop(void);

/* Makes the user nobody in all threads, if privileges_prepare() found that this is possible. */
void privileges_leave_root(struct privileges *privileges);

/* Fills the texts: "65534" or "0 (Operation not permitted)" for the user; "none", which begins SANDBOX_NO_CAPABILITIES,
 * or the remaining capabilities. Returns true when the thread has no capability and cannot get one. */
bool privileges_read(struct privileges *privileges);
