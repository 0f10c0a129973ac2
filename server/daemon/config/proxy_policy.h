/* proxy_policy.h - how the server stands behind proxies and caches: --trusted-proxy and --cache-control. */
#pragma once

#include "daemon/config/config.h"
#include "wire/proxy/cache_policy.h"
#include "wire/proxy/trusted_proxies.h"

/* Read-only once it is made, for any thread. */
struct proxy_policy {
    struct trusted_proxies trusted;
    struct cache_policy cache;
};

/* On failure *out has nothing to free. ERR_BAD_PARAMETER names the option and what is wrong with it. */
int proxy_policy_init(const struct config *config, struct proxy_policy *out, struct err *err);
void proxy_policy_fini(struct proxy_policy *policy);
