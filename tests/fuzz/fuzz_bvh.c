/* Any bytes as a BVH file: read and finished, or refused with a reason. */
#include "tests/fuzz/reader_target.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct limits limits;
    reader_limits(&limits);
    limits.value[LIMIT_NODES] = 1000;
    reader_run("fuzz.bvh", import_bvh, data, size, &limits);
    return 0;
}
