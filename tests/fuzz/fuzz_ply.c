/* Arbitrary bytes as a PLY file: read and finished, or refused with a reason. */
#include "tests/fuzz/reader_target.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct limits limits;
    reader_limits(&limits);
    reader_run("fuzz.ply", import_ply, data, size, &limits);
    return 0;
}
