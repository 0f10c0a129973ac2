/* cache_policy.h - what Cache-Control says of answers about a model: for how long caches may keep them without asking.
 * Pure; any thread. */
#pragma once

#include "base/err.h"

#include <stdbool.h>

enum { CACHE_POLICY_SIZE = 128 };

/* The values of the header. */
struct cache_policy {
    char plain[CACHE_POLICY_SIZE];     /* the request does not say which content is meant */
    char immutable[CACHE_POLICY_SIZE]; /* it does, by hash= */
};

/* From "no-cache", or a list of directives with seconds up to a year, each at most once: max-age, which must be there,
 * stale-while-revalidate and stale-if-error (RFC 9111, RFC 5861). is_private: answers need a token, so only the cache
 * of who sent it may keep them. ERR_BAD_PARAMETER names what cannot be read. */
int cache_policy_parse(const char *text, bool is_private, struct cache_policy *out, struct err *err);
