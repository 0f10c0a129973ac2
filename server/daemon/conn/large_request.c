#include "daemon/conn/large_request.h"

#include "daemon/threads/work.h"

static void free_parts(void *request) { request_fini(request); }

void large_request_free(uv_loop_t *loop, struct request *request)
{
    if (request_parts_bytes(request) <= LARGE_REQUEST_BYTES) {
        request_fini(request);
        return;
    }
    work_free(loop, request, sizeof *request, free_parts);
    request_init(request);
}
