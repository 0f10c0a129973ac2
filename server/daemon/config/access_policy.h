/* access_policy.h - who may send requests, from the options and the files that they name.
 *
 * A policy never changes. Each loop holds a reference to the one that it decides by; when the files are read again
 * there is another one, and the old one goes with its last reference. */
#pragma once

#include "daemon/config/config.h"
#include "wire/http/access.h"

#include <stdatomic.h>

struct access_policy {
    struct access access;
    atomic_uint refs;
    uint32_t added_count; /* tokens that the policy before lacked */
};

/* before: the policy that this one follows, to find out which tokens are revoked; or NULL. Without --allow-host a
 * server on a loopback address answers loopback names only, one elsewhere any name. Reads config->token_file and the
 * FILE of each list that is given as @FILE, so it waits for the file system; any thread. *out: one reference.
 * ERR_BAD_PARAMETER names the option, the file and the line. */
int access_policy_new(const struct config *config, const struct access_policy *before, struct access_policy **out,
                      struct err *err);
/* Any thread. */
struct access_policy *access_policy_ref(struct access_policy *policy);
void access_policy_unref(struct access_policy *policy); /* NULL is fine */

/* Whether an option names a file that another access_policy_new() would read again. */
bool access_policy_has_files(const struct config *config);
/* Appends what such files say, compared with the policy before: "3 tokens (1 added, 2 removed), --cors unchanged".
 * Never a token. */
void access_policy_put_changes(const struct config *config, const struct access_policy *before,
                               const struct access_policy *after, struct buf *out);

/* True when others than this machine's users can reach `config`'s address without a token. */
bool access_policy_is_open(const struct config *config);
/* True when they could change models there without one. */
bool access_policy_edits_are_open(const struct config *config);
