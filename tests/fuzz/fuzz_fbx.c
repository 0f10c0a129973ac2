/* Arbitrary bytes as an FBX file: read and finished, or refused with a reason. No companion files. */
#include "tests/fuzz/reader_target.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct limits limits;
    reader_limits(&limits);
    reader_run("fuzz.fbx", import_fbx, data, size, &limits);
    return 0;
}
