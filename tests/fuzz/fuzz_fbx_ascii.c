/* Arbitrary bytes as an FBX file, mostly with the tokens of ASCII ones. */
#include "tests/fuzz/support/fbx_walk.h"

#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    uint8_t *copy = malloc(size > 0 ? size : 1);
    if (copy == NULL)
        return 0;
    if (size > 0)
        memcpy(copy, data, size);
    fbx_walk(copy, size);
    free(copy);
    return 0;
}
