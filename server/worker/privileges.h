/* privileges.h - a worker process gives up what its user may do beyond others: every capability, and root's number.
 * Linux. No step fails: what could not be given up is in the texts, which say what the kernel says afterwards.
 *
 * Root's workers become nobody in two steps, because what they load before they see a byte from outside may be root's
 * alone. The first puts nobody's number aside as the saved one, for which a process needs no capability later
 * (setresuid(2)); only then is every capability dropped. */
#pragma once

#include <stdbool.h>
#include <sys/types.h>

struct privileges {
    pid_t parent;
    uid_t own;
    bool is_leaving_root;
    int user_error;                  /* why root stays root; 0 = it does not, or never was */
    char user[96], capabilities[96]; /* of privileges_read() */
};

/* What capabilities are needed for; before the first thread. has_to_stay: the user stays what it is. A root that could
 * not end its workers afterwards (CAP_KILL) stays root as well. */
void privileges_prepare(struct privileges *privileges, bool has_to_stay);

/* Drops all capabilities (effective, permitted, inheritable, ambient, bounding); before the first thread. Files of the
 * user can still be opened. */
void privileges_drop(void);

/* The user becomes nobody in all threads, if privileges_prepare() found that it can. */
void privileges_leave_root(struct privileges *privileges);

/* Fills the texts: "65534", "0 (Operation not permitted)"; "none", which begins SANDBOX_NO_CAPABILITIES, or what is
 * left. Returns true when the thread has no capability and cannot get one. */
bool privileges_read(struct privileges *privileges);
