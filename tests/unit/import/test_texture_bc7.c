/* Blocks of BC7: those of each mode compared with Pillow's, and a reserved one. */
#include "tests/unit/support/check.h"

#include "import/texture/texture_bc7.h"

#include <string.h>

enum { MODES = 8, BLOCKS = 1024 };

/* FNV-1a of what Pillow 9.4 decodes the blocks of a mode to. */
static const uint32_t HASHES[MODES] = {0x183c1e6a, 0x57bfd8c4, 0x24a3cd87, 0xc2d0eb43,
                                       0x14415c27, 0xf3c7ca1d, 0x1cd24fc6, 0xc79c5948};

static uint32_t hash_of(uint32_t hash, const uint8_t rgba[BC7_PIXELS][4])
{
    for (int p = 0; p < BC7_PIXELS; p++)
        for (int c = 0; c < 4; c++)
            hash = (uint32_t)((hash ^ rgba[p][c]) * UINT64_C(16777619));
    return hash;
}

TEST(bc7_blocks_of_every_mode_and_partition)
{
    for (uint32_t mode = 0; mode < MODES; mode++) {
        uint32_t word = mode + 1, hash = 0x811c9dc5;
        for (int b = 0; b < BLOCKS; b++) {
            uint8_t block[BC7_BYTES], rgba[BC7_PIXELS][4];
            for (int i = 0; i < BC7_BYTES; i++) {
                word = (uint32_t)(word * UINT64_C(1664525) + 1013904223);
                block[i] = (uint8_t)(word >> 24);
            }
            block[0] = (uint8_t)((uint32_t)block[0] >> (mode + 1) << (mode + 1) | 1u << mode);
            bc7_decode(block, rgba);
            hash = hash_of(hash, (const uint8_t(*)[4])rgba);
        }
        assert_int_equal(hash, HASHES[mode]);
    }
}

TEST(bc7_reserved_block_is_clear)
{
    uint8_t block[BC7_BYTES], rgba[BC7_PIXELS][4];
    memset(block, 0xff, sizeof block);
    block[0] = 0;
    bc7_decode(block, rgba);
    for (int p = 0; p < BC7_PIXELS; p++)
        for (int c = 0; c < 4; c++)
            assert_int_equal(rgba[p][c], 0);
}
