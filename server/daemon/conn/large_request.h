/* large_request.h - requests that take milliseconds to parse and to free. */
#pragma once

#include "wire/request/request.h"

#include <uv.h>

/* Up to this size, a loop parses JSON. An empty layer has three bytes and takes a microsecond, so it may take 2 ms. */
enum { LARGE_JSON_BYTES = 6144 };

/* Up to this size, the parts of a request take a fraction of a millisecond. */
enum { LARGE_REQUEST_BYTES = 16384 };

/* From this size on, a work thread parses a binary crowd or raycast. That takes about a second for a gigabyte, a
 * hundredth of the time of JSON. */
enum { LARGE_BINARY_BYTES = 524288 };

/* Frees the parts of *request and leaves it empty; a work thread frees large numbers of parts. On the loop. */
void large_request_free(uv_loop_t *loop, struct request *request);
