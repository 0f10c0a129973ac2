/* Decodes arbitrary bytes as a baked model, and uses everything of an accepted model. */
#include "anim/bake/bake.h"

#include "tests/unit/support/walk_model.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    void *block = NULL;
    struct model model;
    struct err err;
    if (posix_memalign(&block, BAKE_ALIGNMENT, size) != 0)
        abort();
    if (size > 0)
        memcpy(block, data, size);
    if (bake_decode(block, size, &model, &err) == 0)
        walk_model(&model);
    free(block);
    return 0;
}
