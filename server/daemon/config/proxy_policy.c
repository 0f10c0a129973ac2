#include "daemon/config/proxy_policy.h"

static int fill(const struct config *config, struct proxy_policy *out, struct err *err)
{
    const bool is_private = config->token_file != NULL && config->token_for == TOKEN_FOR_ALL;
    struct err why;
    if (config->trusted_proxy != NULL && trusted_proxies_add(&out->trusted, config->trusted_proxy, &why) < 0)
        return err_set(err, ERR_BAD_PARAMETER, "--trusted-proxy: %s", why.message);
    if (cache_policy_parse(config->cache_control, is_private, &out->cache, &why) < 0)
        return err_set(err, ERR_BAD_PARAMETER, "--cache-control: %s", why.message);
    return 0;
}

int proxy_policy_init(const struct config *config, struct proxy_policy *out, struct err *err)
{
    *out = (struct proxy_policy){0};
    const int rc = fill(config, out, err);
    if (rc < 0)
        proxy_policy_fini(out);
    return rc;
}

void proxy_policy_fini(struct proxy_policy *policy) { trusted_proxies_fini(&policy->trusted); }
