/* parse_request.h - parses targets into requests, with default limits. */
#pragma once

#include "wire/request/request.h"

enum { PARSE_CANONICAL_SIZE = 17 };

/* Returns the result of request_parse(). *request: from request_init() or an earlier call. The target has a block of
 * its own size, so that ASan detects a read past it, and is overwritten before the return. accept: or NULL. */
int parse_request_as(struct request *request, const char *method, const char *target, const char *accept,
                     struct err *err);

/* Parses a GET, which must succeed. The caller calls request_fini() on it. */
struct request parse_request(const char *target);
/* Puts its canonical hash. */
void parse_canonical(const char *target, const char *accept, char out[PARSE_CANONICAL_SIZE]);
