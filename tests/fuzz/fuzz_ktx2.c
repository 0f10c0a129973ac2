/* KTX 2 without its container: bytes become BasisLZ's global data and a level, or blocks of UASTC, of a small picture,
 * so that they reach the codebooks and slices whatever the header would say. */
#include "import/ktx2/ktx2.h"

#include <stdlib.h>
#include <string.h>

enum { HEAD_BYTES = 6 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Two bytes are the sides, one the kind, one the levels and two the size of the level. Level and global data are one
 * block, as in a file; either may be the one whose end is seen. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < HEAD_BYTES)
        return 0;
    struct ktx2 ktx2 = {.width = 1 + data[0] % 64u, .height = 1 + data[1] % 64u, .level_count = 1 + data[3] % 6u};
    const size_t left = size - HEAD_BYTES, wanted = (size_t)(data[4] | data[5] << 8);
    const size_t level_bytes = wanted < left ? wanted : left, global_bytes = left - level_bytes;
    const bool is_level_first = (data[3] & 64) == 0;
    uint8_t *file = malloc(left > 0 ? left : 1);
    uint8_t *rgba = malloc((size_t)4 * ktx2.width * ktx2.height);
    if (file == NULL || rgba == NULL)
        abort();
    ktx2.file = file;
    ktx2.level = (struct ktx2_span){file + (is_level_first ? 0 : global_bytes), level_bytes};
    ktx2.global = (struct ktx2_span){file + (is_level_first ? level_bytes : 0), global_bytes};
    memcpy(file + (ktx2.level.bytes - file), data + HEAD_BYTES, level_bytes);
    memcpy(file + (ktx2.global.bytes - file), data + HEAD_BYTES + level_bytes, global_bytes);
    ktx2.texels = (data[2] & 2) != 0 ? KTX2_PLAIN : (data[2] & 1) != 0 ? KTX2_UASTC : KTX2_ETC1S;
    ktx2.packing = ktx2.texels == KTX2_ETC1S ? KTX2_BASIS_LZ : (data[2] & 16) != 0 ? KTX2_UNPACKED : KTX2_ZSTD;
    ktx2.channels = 1 + (data[2] >> 6);
    ktx2.is_blue_first = ktx2.channels > 2 && data[3] > 127;
    ktx2.samples = 1 + (data[2] >> 3 & 1);
    ktx2.level_size_bytes = ktx2.texels == KTX2_UASTC ? 16ull * ((ktx2.width + 3) / 4) * ((ktx2.height + 3) / 4)
                                                      : (uint64_t)ktx2.width * ktx2.height * ktx2.channels;
    struct err err = {0};
    if (ktx2_decode(&ktx2, rgba, &err) < 0 && err.message[0] == '\0')
        abort();
    free(rgba);
    free(file);
    return 0;
}
