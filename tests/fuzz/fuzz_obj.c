/* Any bytes as an OBJ file and as its library, which a line "---" parts: read and finished, or refused with a reason.
 */
#include "tests/fuzz/reader_target.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct limits limits;
    reader_limits(&limits);
    limits.value[LIMIT_NODES] = 1000;
    reader_run_beside("fuzz.obj", import_obj, "a.mtl", data, size, &limits);
    return 0;
}
