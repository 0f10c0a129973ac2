/* Any bytes as an FBX file: counted, and its user properties read, whatever they are. */
#include "base/json_check.h"
#include "import/fbx/fbx_properties.h"
#include "import/fbx/fbx_scan.h"
#include "import/fbx/fbx_takes.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const struct fbx_findings losses = fbx_scan(data, size);
    if (losses.cubic_count > losses.curve_count || losses.stepped_count > losses.curve_count - losses.cubic_count)
        abort();
    struct fbx_properties properties;
    fbx_properties_read(&properties, data, size);
    for (uint32_t i = 0; i < properties.object_count; i++) {
        const struct fbx_span json = properties.objects[i].json;
        if (json.size_bytes > 0 && !json_is_compact(properties.text.data + json.at, json.size_bytes))
            abort();
    }
    fbx_properties_fini(&properties);
    uint8_t *widened;
    size_t widened_bytes;
    fbx_widen_takes(data, size, &widened, &widened_bytes);
    free(widened);
    return 0;
}
