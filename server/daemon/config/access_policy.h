/* access_policy.h - decides who may send requests, by the options and the files that they name.
 *
 * A policy never changes. Each loop holds a reference to its current one. A reload creates a new policy, and the old
 * one is freed with its last reference. */
#pragma once

#include "daemon/config/config.h"
#include "wire/http/access.h"

#include <stdatomic.h>

struct access_policy {
    struct access access;
    atomic_uint refs;
    uint32_t added_count; /* tokens that the previous policy lacked */
};

/* Makes a policy, with one reference in *out. before: the previous policy, from which it derives the revoked tokens; or
 * NULL. Without --allow-host a server on a loopback address answers only to loopback names, on other addresses to any
 * name. It reads config->token_file and the FILE of each @FILE list, so it waits for the file system; any thread.
 * ERR_BAD_PARAMETER names the option, the file and the line. */
int access_policy_new(const struct config *config, const struct access_policy *before, struct access_policy **out,
                      struct err *err);
/* Any thread. */
struct access_policy *access_policy_ref(struct access_policy *policy);
void access_policy_unref(struct access_policy *policy); /* NULL is fine */

/* True if an option names a file, which a reload would read again. */
bool access_policy_has_files(const struct config *config);
/* Appends a summary of these files, compared with the previous policy: "3 tokens (1 added, 2 removed), --cors
 * unchanged". It contains no token. */
void access_policy_put_changes(const struct config *config, const struct access_policy *before,
                               const struct access_policy *after, struct buf *out);

/* True if clients from other machines can reach `config`'s address without a token. */
bool access_policy_is_open(const struct config *config);
/* True if they could change models there without a token. */
bool access_policy_edits_are_open(const struct config *config);
