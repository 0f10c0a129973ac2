#include "tests/unit/support/parse_request.h"

#include "tests/unit/support/check.h"

#include <stdlib.h>
#include <string.h>

int parse_request_as(struct request *request, const char *method, const char *target, const char *accept,
                     struct err *err)
{
    static struct limits limits;
    const size_t size = strlen(target);
    limits_default(&limits);
    char *copy = malloc(size == 0 ? 1 : size);
    assert_non_null(copy);
    memcpy(copy, target, size);
    const struct request_head head = {
        .method = method, .target = copy, .target_bytes = size, .accept = accept, .if_none_match = "\"e\""};
    const int rc = request_parse(request, &head, &limits, err);
    memset(copy, 'x', size); /* nothing may point into it */
    free(copy);
    return rc;
}

struct request parse_request(const char *target)
{
    struct request request;
    struct err err = {0};
    request_init(&request);
    if (parse_request_as(&request, "GET", target, NULL, &err) != 0)
        fail_msg("%s: %s", target, err.message);
    return request;
}

void parse_canonical(const char *target, const char *accept, char out[PARSE_CANONICAL_SIZE])
{
    struct request request;
    struct err err = {0};
    request_init(&request);
    if (parse_request_as(&request, "GET", target, accept, &err) != 0)
        fail_msg("%s: %s", target, err.message);
    assert_int_equal(strlen(request.canonical), PARSE_CANONICAL_SIZE - 1);
    memcpy(out, request.canonical, PARSE_CANONICAL_SIZE);
    request_fini(&request);
}
