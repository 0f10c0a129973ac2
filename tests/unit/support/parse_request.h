/* parse_request.h - targets as requests, with default limits. */
#pragma once

#include "wire/request/request.h"

enum { PARSE_CANONICAL_SIZE = 17 };

/* Returns what request_parse() does. *request: request_init() or what a call before made of it. The target lies in a
 * block of its own size, so that ASan sees a read past it, and is overwritten before the return. accept: or NULL. */
int parse_request_as(struct request *request, const char *method, const char *target, const char *accept,
                     struct err *err);

/* A GET that must succeed; request_fini() it. */
struct request parse_request(const char *target);
/* Its canonical hash. */
void parse_canonical(const char *target, const char *accept, char out[PARSE_CANONICAL_SIZE]);
