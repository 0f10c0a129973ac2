#include "daemon/conn/large_request.h"

#include "base/mem.h"
#include "daemon/threads/work.h"

#include <stdlib.h>

struct leftover {
    struct work work;
    struct request request;
};

static void free_parts(struct work *work) { request_fini(&((struct leftover *)work->data)->request); }

static void on_freed(struct work *work, int status __attribute__((unused))) { free(work->data); }

void large_request_free(uv_loop_t *loop, struct request *request)
{
    if (request_parts_bytes(request) <= LARGE_REQUEST_BYTES) {
        request_fini(request);
        return;
    }
    struct leftover *leftover = mem_zalloc(1, sizeof *leftover);
    leftover->work.data = leftover;
    leftover->request = *request;
    request_init(request);
    work_start(loop, WORK_COMPUTES, &leftover->work, free_parts, on_freed);
}
