/* Records of binary FBX files: arbitrary bytes after a header, which the first byte of the input selects. */
#include "tests/fuzz/support/fbx_walk.h"

#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const uint32_t VERSIONS[4] = {7400, 7500, 6100, 5000};
    enum { MAGIC_BYTES = 22, HEADER_BYTES = 27 };
    if (size == 0)
        return 0;
    const bool is_big_endian = (data[0] & 4) != 0;
    const uint32_t version = VERSIONS[data[0] & 3];
    uint8_t *copy = malloc(HEADER_BYTES + size - 1);
    if (copy == NULL)
        return 0;
    memcpy(copy, "Kaydara FBX Binary  \0\x1a", MAGIC_BYTES);
    copy[MAGIC_BYTES] = is_big_endian;
    for (int i = 0; i < 4; i++)
        copy[MAGIC_BYTES + 1 + (is_big_endian ? 3 - i : i)] = (uint8_t)(version >> (8 * i));
    memcpy(copy + HEADER_BYTES, data + 1, size - 1);
    fbx_walk(copy, HEADER_BYTES + size - 1);
    free(copy);
    return 0;
}
