/* Any bytes as an X3D file: read and finished, or refused with a reason. No pictures beside it. */
#include "tests/fuzz/reader_target.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct limits limits;
    reader_limits(&limits);
    reader_run("fuzz.x3d", import_x3d, data, size, &limits);
    return 0;
}
