/* texture_bc7.c - decodes a block of BC7 (Khronos Data Format Specification 1.3, 20 "BPTC compressed texture image
 * formats").
 */
#include "import/texture/texture_bc7.h"

#include <string.h>

enum { SUBSETS_MAX = 3 };

/* The bits of a block in each of eight modes. */
static const struct mode {
    uint8_t subsets, partition_bits, rotation_bits, choice_bits, color_bits, alpha_bits;
    uint8_t end_bits;      /* 1: each end has a lowest bit of its own */
    uint8_t shared_bits;   /* 1: the ends of a subset share one */
    uint8_t index_bits[2]; /* the second is 0 without a second list of indices */
} MODES[8] = {
    {3, 4, 0, 0, 4, 0, 1, 0, {3, 0}}, {2, 6, 0, 0, 6, 0, 0, 1, {3, 0}}, {3, 6, 0, 0, 5, 0, 0, 0, {2, 0}},
    {2, 6, 0, 0, 7, 0, 1, 0, {2, 0}}, {1, 0, 2, 1, 5, 6, 0, 0, {2, 3}}, {1, 0, 2, 0, 7, 8, 0, 0, {2, 2}},
    {1, 0, 0, 0, 7, 7, 1, 0, {4, 0}}, {2, 6, 0, 0, 5, 5, 1, 0, {2, 0}},
};

/* The subset of each pixel: a bit of the partitions in two, two bits of those in three, the first pixel lowest. */
static const uint16_t IN_TWO[64] = {
    0xcccc, 0x8888, 0xeeee, 0xecc8, 0xc880, 0xfeec, 0xfec8, 0xec80, 0xc800, 0xffec, 0xfe80, 0xe800, 0xffe8,
    0xff00, 0xfff0, 0xf000, 0xf710, 0x008e, 0x7100, 0x08ce, 0x008c, 0x7310, 0x3100, 0x8cce, 0x088c, 0x3110,
    0x6666, 0x366c, 0x17e8, 0x0ff0, 0x718e, 0x399c, 0xaaaa, 0xf0f0, 0x5a5a, 0x33cc, 0x3c3c, 0x55aa, 0x9696,
    0xa55a, 0x73ce, 0x13c8, 0x324c, 0x3bdc, 0x6996, 0xc33c, 0x9966, 0x0660, 0x0272, 0x04e4, 0x4e40, 0x2720,
    0xc936, 0x936c, 0x39c6, 0x639c, 0x9336, 0x9cc6, 0x817e, 0xe718, 0xccf0, 0x0fcc, 0x7744, 0xee22};
static const uint32_t IN_THREE[64] = {
    0xaa685050, 0x6a5a5040, 0x5a5a4200, 0x5450a0a8, 0xa5a50000, 0xa0a05050, 0x5555a0a0, 0x5a5a5050,
    0xaa550000, 0xaa555500, 0xaaaa5500, 0x90909090, 0x94949494, 0xa4a4a4a4, 0xa9a59450, 0x2a0a4250,
    0xa5945040, 0x0a425054, 0xa5a5a500, 0x55a0a0a0, 0xa8a85454, 0x6a6a4040, 0xa4a45000, 0x1a1a0500,
    0x0050a4a4, 0xaaa59090, 0x14696914, 0x69691400, 0xa08585a0, 0xaa821414, 0x50a4a450, 0x6a5a0200,
    0xa9a58000, 0x5090a0a8, 0xa8a09050, 0x24242424, 0x00aa5500, 0x24924924, 0x24499224, 0x50a50a50,
    0x500aa550, 0xaaaa4444, 0x66660000, 0xa5a0a5a0, 0x50a050a0, 0x69286928, 0x44aaaa44, 0x66666600,
    0xaa444444, 0x54a854a8, 0x95809580, 0x96969600, 0xa85454a8, 0x80959580, 0xaa141414, 0x96960000,
    0xaaaa1414, 0xa05050a0, 0xa0a5a5a0, 0x96000000, 0x40804080, 0xa9a8a9a8, 0xaaaaaa44, 0x2a4a5254};

/* The pixels whose index lacks its highest bit, which is 0: the first pixel for the first subset, and these for the
 * others. */
static const uint8_t ANCHORS_OF_TWO[64] = {15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15,
                                           15, 2,  8,  2,  2,  8,  8,  15, 2,  8,  2,  2,  8,  8,  2,  2,
                                           15, 15, 6,  8,  2,  8,  15, 15, 2,  8,  2,  2,  2,  15, 15, 6,
                                           6,  2,  6,  8,  15, 15, 2,  2,  15, 15, 15, 15, 15, 2,  2,  15};
static const uint8_t ANCHORS_OF_THREE[64][2] = {
    {3, 15},  {3, 8},  {15, 8},  {15, 3}, {8, 15},  {3, 15}, {15, 3},  {15, 8}, {8, 15},  {8, 15}, {6, 15},
    {6, 15},  {6, 15}, {5, 15},  {3, 15}, {3, 8},   {3, 15}, {3, 8},   {8, 15}, {15, 3},  {3, 15}, {3, 8},
    {6, 15},  {10, 8}, {5, 3},   {8, 15}, {8, 6},   {6, 10}, {8, 15},  {5, 15}, {15, 10}, {15, 8}, {8, 15},
    {15, 3},  {3, 15}, {5, 10},  {6, 10}, {10, 8},  {8, 9},  {15, 10}, {15, 6}, {3, 15},  {15, 8}, {5, 15},
    {15, 3},  {15, 6}, {15, 6},  {15, 8}, {3, 15},  {15, 3}, {5, 15},  {5, 15}, {5, 15},  {8, 15}, {5, 15},
    {10, 15}, {5, 15}, {10, 15}, {8, 15}, {13, 15}, {15, 3}, {12, 15}, {3, 15}, {3, 8}};

struct bits {
    const uint8_t *block;
    uint32_t at;
};

static uint32_t take(struct bits *bits, uint32_t count)
{
    uint32_t value = 0;
    for (uint32_t i = 0; i < count; i++, bits->at++)
        value |= (uint32_t)(bits->block[bits->at / 8] >> bits->at % 8 & 1) << i;
    return value;
}

static uint32_t subset_of(const struct mode *mode, uint32_t partition, uint32_t pixel)
{
    return mode->subsets == 2   ? IN_TWO[partition] >> pixel & 1u
           : mode->subsets == 3 ? IN_THREE[partition] >> 2 * pixel & 3
                                : 0;
}

static bool is_anchor(const struct mode *mode, uint32_t partition, uint32_t pixel)
{
    return pixel == 0 || (mode->subsets == 2 && pixel == ANCHORS_OF_TWO[partition]) ||
           (mode->subsets == 3 && (pixel == ANCHORS_OF_THREE[partition][0] || pixel == ANCHORS_OF_THREE[partition][1]));
}

/* Reads the two colours of each subset and widens them to 8 bits. */
static void take_ends(struct bits *bits, const struct mode *mode, uint8_t ends[SUBSETS_MAX][2][4])
{
    const uint32_t count = 2u * mode->subsets;
    uint32_t values[2 * SUBSETS_MAX][4], lowest[2 * SUBSETS_MAX] = {0};
    for (uint32_t c = 0; c < 4; c++)
        for (uint32_t e = 0; e < count; e++)
            values[e][c] = take(bits, c < 3 ? mode->color_bits : mode->alpha_bits);
    const uint32_t lowest_bits = mode->end_bits + 0u + mode->shared_bits;
    for (uint32_t e = 0; e < count; e++)
        lowest[e] = mode->shared_bits > 0 && e % 2 == 1 ? lowest[e - 1] : take(bits, lowest_bits);
    for (uint32_t e = 0; e < count; e++)
        for (uint32_t c = 0; c < 4; c++) {
            const uint32_t own = c < 3 ? mode->color_bits : mode->alpha_bits, size = own + lowest_bits;
            const uint32_t value = (values[e][c] << lowest_bits | lowest[e]) << (8 - size);
            ends[e / 2][e % 2][c] = (uint8_t)(own == 0 ? 255 : value | value >> size);
        }
}

static void take_indices(struct bits *bits, const struct mode *mode, uint32_t partition, uint32_t size,
                         uint8_t indices[BC7_PIXELS])
{
    for (uint32_t p = 0; p < BC7_PIXELS && size > 0; p++)
        indices[p] = (uint8_t)take(bits, size - is_anchor(mode, partition, p));
}

static uint8_t between(uint32_t first, uint32_t second, uint32_t index, uint32_t index_bits)
{
    static const uint8_t SHARES[3][16] = {
        {0, 21, 43, 64}, {0, 9, 18, 27, 37, 46, 55, 64}, {0, 4, 9, 13, 17, 21, 26, 30, 34, 38, 43, 47, 51, 55, 60, 64}};
    const uint32_t share = SHARES[index_bits - 2][index];
    return (uint8_t)(((64 - share) * first + share * second + 32) >> 6);
}

void bc7_decode(const uint8_t *block, uint8_t rgba[BC7_PIXELS][4])
{
    struct bits bits = {.block = block};
    uint8_t ends[SUBSETS_MAX][2][4], indices[2][BC7_PIXELS] = {{0}};
    uint32_t number = 0;
    while (number < 8 && take(&bits, 1) == 0)
        number++;
    memset(rgba, 0, 4 * BC7_PIXELS);
    if (number == 8) /* reserved: clear */
        return;
    const struct mode *mode = &MODES[number];
    const uint32_t partition = take(&bits, mode->partition_bits), rotation = take(&bits, mode->rotation_bits);
    const uint32_t is_swapped = take(&bits, mode->choice_bits);
    take_ends(&bits, mode, ends);
    for (int list = 0; list < 2; list++)
        take_indices(&bits, mode, partition, mode->index_bits[list], indices[list]);
    for (uint32_t p = 0; p < BC7_PIXELS; p++) {
        const uint8_t(*pair)[4] = (const uint8_t(*)[4])ends[subset_of(mode, partition, p)];
        for (uint32_t c = 0; c < 4; c++) {
            const uint32_t list = mode->index_bits[1] > 0 ? (c == 3) ^ is_swapped : 0;
            rgba[p][c] = between(pair[0][c], pair[1][c], indices[list][p], mode->index_bits[list]);
        }
        if (rotation > 0) { /* alpha and another channel are exchanged */
            const uint8_t alpha = rgba[p][3];
            rgba[p][3] = rgba[p][rotation - 1];
            rgba[p][rotation - 1] = alpha;
        }
    }
}
