/* texture_dds.c - DDS pictures (Microsoft, "Programming Guide for DDS"): the first level of the first face of BC1 to
 * BC5
 * ("Block Compression (Direct3D 10)"), of BC7, and of pixels of up to 32 bits. */
#include "import/texture/texture_bc7.h"
#include "import/texture/texture_image.h"

#include "base/bytes.h"

#include <math.h>
#include <string.h>

enum { HEADER_BYTES = 128, HEADER_10_BYTES = 20, SIDE = 4, PIXELS = SIDE * SIDE };
enum { HAS_ALPHA = 0x1, HAS_FOURCC = 0x4, HAS_RGB = 0x40, HAS_LUMINANCE = 0x20000 }; /* DDPF_ */

/* Decodes a block to 4 x 4 RGBA pixels. */
typedef void block_decoder(const uint8_t *block, uint8_t rgba[PIXELS][4]);

/* --- blocks --- */

static void color_565(uint32_t bits, uint32_t rgb[3])
{
    const uint32_t red = bits >> 11, green = bits >> 5 & 63, blue = bits & 31;
    rgb[0] = red << 3 | red >> 2;
    rgb[1] = green << 2 | green >> 4;
    rgb[2] = blue << 3 | blue >> 2;
}

/* The third and fourth colour lie between the two of the block. In BC1 blocks whose first colour is not the greater,
 * the third lies in the middle and the fourth is clear. */
static void decode_colors(const uint8_t *block, bool may_be_clear, uint8_t rgba[PIXELS][4])
{
    const uint32_t first = get_u16(block), second = get_u16(block + 2), indices = get_u32(block + 4);
    const bool is_clear = may_be_clear && first <= second;
    uint32_t ends[2][3];
    uint8_t colors[4][4] = {{0}};
    color_565(first, ends[0]);
    color_565(second, ends[1]);
    for (int c = 0; c < 3; c++) {
        const uint32_t a = ends[0][c], b = ends[1][c];
        colors[0][c] = (uint8_t)a;
        colors[1][c] = (uint8_t)b;
        colors[2][c] = (uint8_t)(is_clear ? (a + b) / 2 : (2 * a + b + 1) / 3);
        colors[3][c] = (uint8_t)(is_clear ? 0 : (a + 2 * b + 1) / 3);
    }
    for (int i = 0; i < 4; i++)
        colors[i][3] = is_clear && i == 3 ? 0 : 255;
    for (int p = 0; p < PIXELS; p++)
        memcpy(rgba[p], colors[indices >> 2 * p & 3], 4);
}

/* Eight values: two of the block, and those between them; if the first is not the greater, four of these, then the
 * least and the largest. Signed ones are from -127 to 127. */
static void decode_values(const uint8_t *block, bool is_signed, uint8_t *out)
{
    const int least = is_signed ? -127 : 0, largest = is_signed ? 127 : 255;
    const int a = is_signed ? (int8_t)block[0] : block[0], b = is_signed ? (int8_t)block[1] : block[1];
    const int steps = a > b ? 7 : 5;
    double values[8] = {a, b, [6] = least, [7] = largest};
    for (int i = 1; i < steps; i++)
        values[1 + i] = ((steps - i) * a + i * b) / (double)steps;
    uint64_t indices = 0;
    for (int i = 0; i < 6; i++)
        indices |= (uint64_t)block[2 + i] << 8 * i;
    for (int p = 0; p < PIXELS; p++) {
        const double value = fmax(values[indices >> 3 * p & 7], least);
        out[4 * p] = (uint8_t)lround((value - least) * 255 / (largest - least));
    }
}

static void decode_bc1(const uint8_t *block, uint8_t rgba[PIXELS][4]) { decode_colors(block, true, rgba); }

static void decode_bc2(const uint8_t *block, uint8_t rgba[PIXELS][4])
{
    decode_colors(block + 8, false, rgba);
    for (int p = 0; p < PIXELS; p++)
        rgba[p][3] = (uint8_t)((block[p / 2] >> 4 * (p % 2) & 15) * 17);
}

static void decode_bc3(const uint8_t *block, uint8_t rgba[PIXELS][4])
{
    decode_colors(block + 8, false, rgba);
    decode_values(block, false, &rgba[0][3]);
}

/* One value is a grey. */
static void decode_bc4_of(const uint8_t *block, bool is_signed, uint8_t rgba[PIXELS][4])
{
    decode_values(block, is_signed, &rgba[0][0]);
    for (int p = 0; p < PIXELS; p++) {
        rgba[p][1] = rgba[p][2] = rgba[p][0];
        rgba[p][3] = 255;
    }
}

/* Two values are x and y of a normal, whose z follows. */
static void decode_bc5_of(const uint8_t *block, bool is_signed, uint8_t rgba[PIXELS][4])
{
    decode_values(block, is_signed, &rgba[0][0]);
    decode_values(block + 8, is_signed, &rgba[0][1]);
    for (int p = 0; p < PIXELS; p++) {
        const double x = rgba[p][0] / 127.5 - 1, y = rgba[p][1] / 127.5 - 1;
        rgba[p][2] = (uint8_t)lround((sqrt(fmax(0, 1 - x * x - y * y)) + 1) * 127.5);
        rgba[p][3] = 255;
    }
}

static void decode_bc4(const uint8_t *block, uint8_t rgba[PIXELS][4]) { decode_bc4_of(block, false, rgba); }
static void decode_bc4_signed(const uint8_t *block, uint8_t rgba[PIXELS][4]) { decode_bc4_of(block, true, rgba); }
static void decode_bc5(const uint8_t *block, uint8_t rgba[PIXELS][4]) { decode_bc5_of(block, false, rgba); }
static void decode_bc5_signed(const uint8_t *block, uint8_t rgba[PIXELS][4]) { decode_bc5_of(block, true, rgba); }

static const struct compression {
    const char *fourcc;
    uint32_t formats[3]; /* DXGI_FORMAT in the header of version 10 */
    uint32_t block_bytes;
    block_decoder *decode;
} COMPRESSIONS[] = {
    {"DXT1", {70, 71, 72}, 8, decode_bc1},  {"DXT2", {0}, 16, decode_bc2},
    {"DXT3", {73, 74, 75}, 16, decode_bc2}, {"DXT4", {0}, 16, decode_bc3},
    {"DXT5", {76, 77, 78}, 16, decode_bc3}, {"ATI1", {79, 80}, 8, decode_bc4},
    {"BC4U", {0}, 8, decode_bc4},           {"BC4S", {81}, 8, decode_bc4_signed},
    {"ATI2", {82, 83}, 16, decode_bc5},     {"BC5U", {0}, 16, decode_bc5},
    {"BC5S", {84}, 16, decode_bc5_signed},  {"BC7\0", {97, 98, 99}, BC7_BYTES, bc7_decode},
};

static void read_blocks(const struct compression *compression, const uint8_t *at, size_t left, struct image *image)
{
    for (uint32_t y = 0; y < image->height; y += SIDE)
        for (uint32_t x = 0; x < image->width; x += SIDE) {
            uint8_t rgba[PIXELS][4];
            image->is_damaged |= left < compression->block_bytes;
            if (image->is_damaged)
                return;
            compression->decode(at, rgba);
            at += compression->block_bytes;
            left -= compression->block_bytes;
            for (uint32_t p = 0; p < PIXELS; p++)
                if (x + p % SIDE < image->width && y + p / SIDE < image->height)
                    memcpy(image->rgba + 4 * ((size_t)(y + p / SIDE) * image->width + x + p % SIDE), rgba[p], 4);
        }
}

/* --- pixels --- */

struct pixel_form {
    uint32_t bytes;    /* of a pixel */
    uint32_t masks[4]; /* red, green, blue, alpha; 0: it has none */
};

static uint8_t part_of(uint32_t pixel, uint32_t mask)
{
    if (mask == 0)
        return 255;
    const uint32_t lowest = mask & (0u - mask), largest = mask / lowest;
    return (uint8_t)(((uint64_t)((pixel & mask) / lowest) * 255 + largest / 2) / largest);
}

static void read_pixels(const struct pixel_form *form, const uint8_t *at, size_t left, struct image *image)
{
    const size_t count = (size_t)image->width * image->height;
    for (size_t p = 0; p < count; p++, at += form->bytes, left -= form->bytes) {
        uint32_t pixel = 0;
        image->is_damaged |= left < form->bytes;
        if (image->is_damaged)
            return;
        for (uint32_t i = 0; i < form->bytes; i++)
            pixel |= (uint32_t)at[i] << 8 * i;
        for (int c = 0; c < 4; c++)
            image->rgba[4 * p + (size_t)c] = part_of(pixel, form->masks[c]);
    }
}

/* Of the header's flags and masks. */
static bool find_pixels(const uint8_t *bytes, struct pixel_form *form)
{
    const uint32_t flags = get_u32(bytes + 80), bits = get_u32(bytes + 88);
    const bool is_grey = (flags & HAS_LUMINANCE) != 0;
    form->bytes = bits / 8;
    for (size_t c = 0; c < 3; c++)
        form->masks[c] = get_u32(bytes + 92 + (is_grey ? 0 : 4 * c));
    form->masks[3] = (flags & HAS_ALPHA) != 0 ? get_u32(bytes + 104) : 0;
    return (is_grey || (flags & HAS_RGB) != 0) && bits % 8 == 0 && bits >= 8 && bits <= 32 && form->masks[0] != 0;
}

/* --- the file --- */

static const struct compression *find_compression(const uint8_t *bytes, uint32_t format)
{
    for (size_t i = 0; i < sizeof COMPRESSIONS / sizeof *COMPRESSIONS; i++) {
        const struct compression *row = &COMPRESSIONS[i];
        if (format == 0 && memcmp(bytes + 84, row->fourcc, 4) == 0)
            return row;
        for (int k = 0; k < 3 && format != 0; k++)
            if (row->formats[k] == format)
                return row;
    }
    return NULL;
}

/* Pixels of a DXGI_FORMAT: R8G8B8A8, B8G8R8A8, B8G8R8X8, each also as sRGB. */
static bool find_format(uint32_t format, struct pixel_form *form)
{
    const bool is_rgba = format == 28 || format == 29, is_bgra = format == 87 || format == 91;
    *form = (struct pixel_form){4, {0xff0000, 0xff00, 0xff, is_bgra || is_rgba ? 0xff000000 : 0}};
    if (is_rgba) {
        form->masks[0] = 0xff;
        form->masks[2] = 0xff0000;
    }
    return is_rgba || is_bgra || format == 88 || format == 93;
}

int image_decode_dds(const uint8_t *bytes, size_t size_bytes, const struct limits *limits, struct image *image,
                     struct err *err)
{
    if (size_bytes < HEADER_BYTES)
        return err_set(err, ERR_BAD_MODEL, "the file ends in its header");
    const bool has_fourcc = (get_u32(bytes + 80) & HAS_FOURCC) != 0;
    const bool is_10 = has_fourcc && memcmp(bytes + 84, "DX10", 4) == 0;
    const size_t first = HEADER_BYTES + (is_10 ? HEADER_10_BYTES : 0);
    image->height = get_u32(bytes + 12);
    image->width = get_u32(bytes + 16);
    if (size_bytes < first)
        return err_set(err, ERR_BAD_MODEL, "the file ends in its header");
    const uint32_t format = is_10 ? get_u32(bytes + HEADER_BYTES) : 0;
    const struct compression *compression = has_fourcc ? find_compression(bytes, format) : NULL;
    struct pixel_form form;
    if (compression == NULL && !(is_10 ? find_format(format, &form) : !has_fourcc && find_pixels(bytes, &form)))
        return err_set(err, ERR_BAD_MODEL, "its form is none of BC1 to BC5, BC7 and pixels of 8 to 32 bits");
    if (image_alloc(image, limits, err) < 0)
        return err->code;
    memset(image->rgba, 0, 4 * (size_t)image->width * image->height);
    if (compression != NULL)
        read_blocks(compression, bytes + first, size_bytes - first, image);
    else
        read_pixels(&form, bytes + first, size_bytes - first, image);
    return 0;
}
