/* access_policy.h - who may send requests, from the options and the token file. Start-up only. */
#pragma once

#include "wire/http/access.h"
#include "daemon/config/config.h"

/* Without --allow-host a server on a loopback address answers loopback names only, one elsewhere any name. Reads
 * config->token_file. On failure *out has nothing to free. ERR_BAD_PARAMETER names the option, the file and the line.
 */
int access_policy_init(const struct config *config, struct access *out, struct err *err);

/* True when others than this machine's users can reach `config`'s address without a token. */
bool access_policy_is_open(const struct config *config);
/* True when they could change models there without one. */
bool access_policy_edits_are_open(const struct config *config);
