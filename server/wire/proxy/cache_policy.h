/* cache_policy.h - the Cache-Control of responses about a model: how long caches may use them without revalidation.
 * Pure; any thread. */
#pragma once

#include "base/err.h"

#include <stdbool.h>

enum { CACHE_POLICY_SIZE = 128 };

/* The header values. */
struct cache_policy {
    char plain[CACHE_POLICY_SIZE];     /* for requests that do not specify a content hash */
    char immutable[CACHE_POLICY_SIZE]; /* for requests with hash= */
};

/* Parses "no-cache", or a list of directives with seconds up to a year, each at most once: max-age (required),
 * stale-while-revalidate and stale-if-error (RFC 9111, RFC 5861). is_private: responses need a token, so only the
 * client's own cache may store them. ERR_BAD_PARAMETER names the invalid part. */
int cache_policy_parse(const char *text, bool is_private, struct cache_policy *out, struct err *err);
