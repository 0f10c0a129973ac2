/* Arbitrary bytes as an STL file: read and finished, or refused with a reason. */
#include "tests/fuzz/reader_target.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct limits limits;
    reader_limits(&limits);
    reader_run("fuzz.stl", import_stl, data, size, &limits);
    return 0;
}
