/* proxy_policy.h - settings for proxies and caches in front of the server: --trusted-proxy and --cache-control. */
#pragma once

#include "daemon/config/config.h"
#include "wire/proxy/cache_policy.h"
#include "wire/proxy/trusted_proxies.h"

/* Read-only after proxy_policy_init(); any thread. */
struct proxy_policy {
    struct trusted_proxies trusted;
    struct cache_policy cache;
};

/* On failure *out has nothing to free. ERR_BAD_PARAMETER names the option and its fault. */
int proxy_policy_init(const struct config *config, struct proxy_policy *out, struct err *err);
void proxy_policy_fini(struct proxy_policy *policy);
