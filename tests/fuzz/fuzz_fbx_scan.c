/* Any bytes as an FBX file: counted, whatever they are. */
#include "../../server/import/fbx_scan.h"
#include "../../server/import/fbx_takes.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const struct fbx_losses losses = fbx_scan(data, size);
    if (losses.cubic_count > losses.curve_count || losses.stepped_count > losses.curve_count - losses.cubic_count)
        abort();
    uint8_t *widened;
    size_t widened_bytes;
    fbx_widen_takes(data, size, &widened, &widened_bytes);
    free(widened);
    return 0;
}
