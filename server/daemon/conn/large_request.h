/* large_request.h - requests that take milliseconds to parse and to free. */
#pragma once

#include "wire/request/request.h"

#include <uv.h>

/* JSON up to here takes a fraction of a millisecond, and so do parts of a request. */
enum { LARGE_REQUEST_BYTES = 16384 };

/* A crowd or raycast that is not JSON is parsed at about a gigabyte a second, a hundred times as fast as JSON. From
 * this size on a work thread parses it. */
enum { LARGE_BINARY_BYTES = 524288 };

/* On the loop. Frees the parts of *request, and leaves it empty: a work thread frees them where they are many. */
void large_request_free(uv_loop_t *loop, struct request *request);
