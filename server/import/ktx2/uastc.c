/* uastc.c - the modes of UASTC: endpoints of colours in bounded integer sequences, and a weight for each texel. */
#include "import/ktx2/uastc.h"

#include <stddef.h>
#include <string.h>

enum { TEXELS = 16, ENDPOINTS_MAX = 18, SOLID = 8, LUMINANCE_ALPHA = 2 };

/* A mode is the block's lowest bits. Hints for other texture formats follow; `first` is the bit behind them. */
struct mode {
    uint8_t code, code_bits;
    uint8_t first;
    uint8_t subsets, planes;
    uint8_t components;     /* 2: luminance and alpha; 3: RGB; 4: RGBA */
    uint8_t endpoint_radix; /* 1, 3 (a trit) or 5 (a quint), above endpoint_bits bits */
    uint8_t endpoint_bits, weight_bits;
};

/* UASTC Texture Specification, "Modes" and "Bit layouts". */
static const struct mode MODES[] = {
    {0x01, 4, 19, 1, 1, 3, 3, 6, 4}, {0x35, 6, 21, 1, 1, 3, 1, 8, 2}, {0x1d, 5, 20, 2, 1, 3, 1, 4, 3},
    {0x03, 5, 20, 3, 1, 3, 3, 2, 2}, {0x13, 5, 20, 2, 1, 3, 5, 3, 2}, {0x0b, 5, 20, 1, 1, 3, 1, 8, 3},
    {0x1b, 5, 20, 1, 2, 3, 5, 5, 2}, {0x07, 5, 20, 2, 1, 3, 5, 3, 2}, {0x17, 5, 5, 0, 0, 4, 1, 8, 0},
    {0x0f, 5, 28, 2, 1, 4, 1, 4, 2}, {0x02, 3, 20, 1, 1, 4, 3, 4, 4}, {0x00, 2, 19, 1, 2, 4, 3, 4, 2},
    {0x06, 3, 20, 1, 1, 4, 3, 6, 3}, {0x1f, 5, 28, 1, 2, 4, 1, 8, 1}, {0x0d, 5, 28, 1, 1, 4, 1, 8, 2},
    {0x05, 7, 30, 1, 1, 2, 1, 8, 4}, {0x15, 6, 29, 2, 1, 2, 1, 8, 2}, {0x25, 6, 29, 1, 2, 2, 1, 8, 2},
    {0x09, 4, 19, 1, 1, 3, 1, 5, 5},
};
enum { MODE_COUNT = sizeof MODES / sizeof *MODES, MODE_OTHER_PATTERNS = 7 };

/* The partitions of ASTC that have a counterpart in BC7, in the order of the UASTC Texture Specification ("Partition
 * patterns"), for the seeds that it lists. Bit y * 4 + x: the texel is of subset 1, or of subset 2 in the second mask.
 */
static const uint16_t OF_TWO[] = {0xcccc, 0x8888, 0x1111, 0xecc8, 0x377f, 0xfeec, 0x0137, 0x137f, 0xc800, 0x0013,
                                  0xfe80, 0x17ff, 0x0017, 0x00ff, 0xfff0, 0x0fff, 0xff71, 0x8eff, 0x08ce, 0x008c,
                                  0x7310, 0xceff, 0x7331, 0x088c, 0xceef, 0x6666, 0xf00f, 0x5555, 0x0f0f, 0x36c9};
static const uint16_t OF_TWO_IN_MODE_7[] = {0x00f0, 0x4444, 0x0133, 0xcc80, 0xf0ff, 0x2222, 0xffc8,
                                            0xccce, 0x3c03, 0x00ee, 0x7700, 0x3003, 0x00ce, 0xff80,
                                            0x6fff, 0x1333, 0x11ff, 0x136c, 0x00ef};
static const uint16_t OF_THREE[][2] = {{0x3300, 0xcc00}, {0x00ff, 0xf000}, {0x000f, 0xf000}, {0x000f, 0x00f0},
                                       {0x3333, 0x4444}, {0x6666, 0x8888}, {0xcccc, 0x2222}, {0xee00, 0x1111},
                                       {0x4444, 0x9999}, {0xf00f, 0x0f00}, {0x0cc0, 0xc00c}};

struct fields {
    const uint8_t *block;
    uint32_t at;
};

/* The next `count` bits, at most 8, the lowest first. */
static uint32_t next(struct fields *fields, uint32_t count)
{
    const uint32_t byte = fields->at / 8;
    const uint32_t low = fields->block[byte], high = byte + 1 < UASTC_BLOCK_BYTES ? fields->block[byte + 1] : 0;
    const uint32_t value = (low | high << 8) >> fields->at % 8;
    fields->at += count;
    return value & ((1u << count) - 1);
}

/* KDFS 1.3, "LDR Endpoint Decoding": the C of a trit or a quint above so many bits, and B as places of these bits. */
static uint32_t unquantize(uint32_t digit, uint32_t bits, uint32_t radix, uint32_t count)
{
    static const uint16_t C_OF_TRIT[] = {0, 204, 93, 44, 22, 11, 5}, C_OF_QUINT[] = {0, 113, 54, 26, 13, 6};
    if (radix == 1) /* repeated, from the top */
        return count >= 8 ? bits : (bits << (8 - count) | bits << (8 - count) >> count) & 0xff;
    const uint32_t a = (bits & 1) != 0 ? 0x1ff : 0, b = bits >> 1;
    uint32_t spread = 0;
    if (radix == 3)
        spread = count == 2 ? b << 8 | b << 4 | b << 2 | b << 1 : count == 4 ? b << 6 | b : b << 4 | b >> 4;
    else
        spread = count == 3 ? b << 7 | b << 1 | b >> 1 : b << 5 | b >> 3;
    const uint32_t c = radix == 3 ? C_OF_TRIT[count] : C_OF_QUINT[count];
    const uint32_t value = (digit * c + spread) ^ a;
    return (a & 0x80) | value >> 2;
}

/* Reads `count` endpoints. Their digits come first, five trits in 8 bits or three quints in 7, in base 3 or 5; a group
 * that is not full has the bits that it needs. */
static void read_endpoints(struct fields *fields, const struct mode *mode, uint32_t count, uint8_t *endpoints)
{
    static const uint8_t TRIT_BITS[] = {0, 2, 4, 5, 7, 8}, QUINT_BITS[] = {0, 3, 5, 7};
    uint8_t digits[ENDPOINTS_MAX] = {0};
    const uint32_t radix = mode->endpoint_radix, group_max = radix == 3 ? 5 : 3;
    for (uint32_t first = 0; radix > 1 && first < count; first += group_max) {
        const uint32_t size = count - first < group_max ? count - first : group_max;
        uint32_t group = next(fields, radix == 3 ? TRIT_BITS[size] : QUINT_BITS[size]);
        for (uint32_t i = 0; i < size; i++, group /= radix)
            digits[first + i] = (uint8_t)(group % radix);
    }
    for (uint32_t i = 0; i < count; i++)
        endpoints[i] = (uint8_t)unquantize(digits[i], next(fields, mode->endpoint_bits), radix, mode->endpoint_bits);
}

/* The subset of every texel. False: no such pattern. */
static bool read_pattern(struct fields *fields, const struct mode *mode, uint8_t subsets[TEXELS])
{
    uint16_t first = 0, second = 0;
    if (mode->subsets == 3) {
        const uint32_t pattern = next(fields, 4);
        if (pattern >= sizeof OF_THREE / sizeof *OF_THREE)
            return false;
        first = OF_THREE[pattern][0];
        second = OF_THREE[pattern][1];
    } else if (mode->subsets == 2) {
        const bool is_other = mode == &MODES[MODE_OTHER_PATTERNS];
        const uint32_t pattern = next(fields, 5), count = is_other ? sizeof OF_TWO_IN_MODE_7 / sizeof *OF_TWO_IN_MODE_7
                                                                   : sizeof OF_TWO / sizeof *OF_TWO;
        if (pattern >= count)
            return false;
        first = is_other ? OF_TWO_IN_MODE_7[pattern] : OF_TWO[pattern];
    }
    for (uint32_t i = 0; i < TEXELS; i++)
        subsets[i] = (uint8_t)((first >> i & 1) | (second >> i & 1) << 1);
    return true;
}

/* The weights of both planes, 0 to 64. The first texel of each subset has one bit less: its highest is 0. */
static void read_weights(struct fields *fields, const struct mode *mode, const uint8_t subsets[TEXELS],
                         uint8_t weights[TEXELS][2])
{
    const uint32_t count = mode->weight_bits;
    uint32_t seen = 0;
    for (uint32_t i = 0; i < TEXELS; i++) {
        const bool is_first = (seen >> subsets[i] & 1) == 0;
        seen |= 1u << subsets[i];
        for (uint32_t plane = 0; plane < mode->planes; plane++) {
            const uint32_t bits = next(fields, count - is_first);
            uint32_t weight = 0; /* of 6 bits: the bits, repeated from the top */
            for (int shift = 6 - (int)count; shift > -(int)count; shift -= (int)count)
                weight |= shift >= 0 ? bits << shift : bits >> -shift;
            weights[i][plane] = (uint8_t)(weight > 32 ? weight + 1 : weight);
        }
        if (mode->planes == 1)
            weights[i][1] = weights[i][0];
    }
}

/* KDFS 1.3, "Weight Application": both ends widened to 16 bits, and the upper byte of what lies between. */
static uint8_t mix(uint32_t from, uint32_t to, uint32_t weight)
{
    return (uint8_t)((from * 257 * (64 - weight) + to * 257 * weight + 32) >> 14);
}

static const struct mode *mode_of(const uint8_t *block)
{
    for (size_t i = 0; i < MODE_COUNT; i++)
        if ((block[0] & ((1u << MODES[i].code_bits) - 1)) == MODES[i].code)
            return &MODES[i];
    return NULL;
}

bool uastc_decode(const uint8_t block[UASTC_BLOCK_BYTES], uint8_t texels[64])
{
    const struct mode *mode = mode_of(block);
    if (mode == NULL)
        return false;
    struct fields fields = {block, mode->first};
    if (mode == &MODES[SOLID]) {
        for (uint32_t c = 0; c < 4; c++)
            texels[c] = (uint8_t)next(&fields, 8);
        for (uint32_t i = 1; i < TEXELS; i++)
            memcpy(texels + 4 * i, texels, 4);
        return true;
    }
    uint8_t subsets[TEXELS], weights[TEXELS][2], endpoints[ENDPOINTS_MAX];
    if (!read_pattern(&fields, mode, subsets))
        return false;
    const bool has_luminance = mode->components == LUMINANCE_ALPHA;
    uint32_t second_plane = 3;
    if (mode->planes == 2 && !has_luminance)
        second_plane = next(&fields, 2);
    read_endpoints(&fields, mode, 2u * mode->subsets * mode->components, endpoints);
    read_weights(&fields, mode, subsets, weights);
    for (uint32_t i = 0; i < TEXELS; i++) {
        const uint8_t *ends = endpoints + 2 * subsets[i] * mode->components;
        for (uint32_t c = 0; c < 4; c++) {
            const uint32_t end = has_luminance ? c / 3 : c;
            texels[4 * i + c] =
                end < mode->components ? mix(ends[2 * end], ends[2 * end + 1], weights[i][c == second_plane]) : 255;
        }
    }
    return true;
}
