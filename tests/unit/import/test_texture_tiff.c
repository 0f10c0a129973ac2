/* TIFF pictures that the test writes, byte by byte, in both byte orders. */
#include "tests/unit/support/check.h"

#include "import/texture/texture_image.h"
#include "import/texture/texture_tiff.h"

#include <stdlib.h>
#include <string.h>
#include <zlib.h>

enum { FILE_MAX = 4096, ENTRIES_MAX = 20, ENTRY_BYTES = 12, HEAD = 8 };
enum { WIDTH = 3, HEIGHT = 2 };

/* Tags of TIFF 6.0. */
enum {
    WIDTH_TAG = 256,
    HEIGHT_TAG = 257,
    BITS = 258,
    COMPRESSION = 259,
    PHOTOMETRIC = 262,
    STRIPS = 273,
    ORIENTATION = 274,
    SAMPLES = 277,
    STRIP_ROWS = 278,
    STRIP_BYTES = 279,
    PLANES = 284,
    COLOR_MAP = 320,
    TILE_WIDTH = 322,
    TILE_HEIGHT = 323,
    TILES = 324,
    TILE_BYTES = 325,
    EXTRA = 338,
    FORMAT = 339
};

/* Pixels first, then what does not fit into entries, then the entries in ascending order. */
struct tiff {
    bool is_big_endian;
    uint8_t bytes[FILE_MAX];
    size_t size_bytes;
    uint32_t count;
    uint8_t entries[ENTRIES_MAX][ENTRY_BYTES];
};

static struct limits limits;

static void put(const struct tiff *tiff, uint8_t *at, uint32_t value, int bytes)
{
    for (int i = 0; i < bytes; i++)
        at[i] = (uint8_t)(value >> 8 * (tiff->is_big_endian ? bytes - 1 - i : i));
}

static struct tiff begin(bool is_big_endian)
{
    struct tiff tiff = {.is_big_endian = is_big_endian, .size_bytes = HEAD};
    memcpy(tiff.bytes, is_big_endian ? "MM" : "II", 2);
    put(&tiff, tiff.bytes + 2, 42, 2);
    return tiff;
}

static uint32_t append(struct tiff *tiff, const void *data, size_t size_bytes)
{
    const size_t at = (tiff->size_bytes + 1) & ~(size_t)1;
    assert_true(at + size_bytes <= FILE_MAX);
    memcpy(tiff->bytes + at, data, size_bytes);
    tiff->size_bytes = at + size_bytes;
    return (uint32_t)at;
}

/* Values of 2 bytes (type 3) or 4 (type 4). */
static void add(struct tiff *tiff, uint32_t tag, uint32_t type, const uint32_t *values, uint32_t count)
{
    uint8_t data[FILE_MAX / 2] = {0}, *entry = tiff->entries[tiff->count++];
    const int bytes = type == 3 ? 2 : 4;
    for (uint32_t i = 0; i < count; i++)
        put(tiff, data + (size_t)bytes * i, values[i], bytes);
    put(tiff, entry, tag, 2);
    put(tiff, entry + 2, type, 2);
    put(tiff, entry + 4, count, 4);
    if ((size_t)bytes * count <= 4)
        memcpy(entry + 8, data, 4);
    else
        put(tiff, entry + 8, append(tiff, data, (size_t)bytes * count), 4);
}

static void add_one(struct tiff *tiff, uint32_t tag, uint32_t value) { add(tiff, tag, 4, &value, 1); }

static void end(struct tiff *tiff)
{
    uint8_t count[2], none[4] = {0};
    put(tiff, count, tiff->count, 2);
    put(tiff, tiff->bytes + 4, append(tiff, count, 2), 4);
    append(tiff, tiff->entries, ENTRY_BYTES * (size_t)tiff->count);
    append(tiff, none, 4);
}

/* What a picture of WIDTH x HEIGHT in one strip or of one tile is. */
struct form {
    uint32_t bits, samples, photometric, compression;
    uint32_t orientation; /* 0: none is told */
    uint32_t extra;       /* kind of the last sample; NONE: it is a colour */
    uint32_t tile;        /* side; 0: a strip */
    uint32_t format;      /* of samples; 0: none is told */
    bool is_big_endian;
    const uint32_t *color_map; /* 3 * 2^bits */
};

enum { NONE = 9 };

static struct tiff file_of(const struct form *form, const void *data, size_t data_bytes)
{
    struct tiff tiff = begin(form->is_big_endian);
    const uint32_t bits[] = {form->bits, form->bits, form->bits, form->bits, form->bits};
    const uint32_t first = append(&tiff, data, data_bytes);
    add_one(&tiff, WIDTH_TAG, WIDTH);
    add_one(&tiff, HEIGHT_TAG, HEIGHT);
    add(&tiff, BITS, 3, bits, form->samples);
    add_one(&tiff, COMPRESSION, form->compression);
    add_one(&tiff, PHOTOMETRIC, form->photometric);
    if (form->tile == 0)
        add_one(&tiff, STRIPS, first);
    if (form->orientation > 0)
        add_one(&tiff, ORIENTATION, form->orientation);
    add_one(&tiff, SAMPLES, form->samples);
    if (form->tile == 0) {
        add_one(&tiff, STRIP_ROWS, HEIGHT);
        add_one(&tiff, STRIP_BYTES, (uint32_t)data_bytes);
    }
    if (form->color_map != NULL)
        add(&tiff, COLOR_MAP, 3, form->color_map, 3u << form->bits);
    if (form->tile > 0) {
        add_one(&tiff, TILE_WIDTH, form->tile);
        add_one(&tiff, TILE_HEIGHT, form->tile);
        add_one(&tiff, TILES, first);
        add_one(&tiff, TILE_BYTES, (uint32_t)data_bytes);
    }
    if (form->extra != NONE)
        add(&tiff, EXTRA, 3, &form->extra, 1);
    if (form->format > 0)
        add_one(&tiff, FORMAT, form->format);
    end(&tiff);
    return tiff;
}

static int decode(const uint8_t *bytes, size_t size_bytes, struct image *image, struct err *err)
{
    tiff_load();
    limits_default(&limits);
    limits.value[LIMIT_IMAGE_PIXELS] = 1 << 16; /* keeps damaged headers cheap */
    uint8_t *copy = malloc(size_bytes);         /* of exactly that size, so that ASan sees a read past its end */
    assert_non_null(copy);
    memcpy(copy, bytes, size_bytes);
    const int rc = image_decode(copy, size_bytes, &limits, image, err);
    free(copy);
    return rc;
}

static void expect(const struct tiff *tiff, uint32_t width, const uint8_t pixels[WIDTH * HEIGHT][4])
{
    struct image image;
    struct err err = {0};
    if (decode(tiff->bytes, tiff->size_bytes, &image, &err) < 0)
        fail_msg("%s", err.message);
    assert_int_equal(image.width, width);
    assert_int_equal(image.height, WIDTH * HEIGHT / width);
    assert_false(image.is_damaged);
    for (int i = 0; i < 4 * WIDTH * HEIGHT; i++)
        if (image.rgba[i] != pixels[i / 4][i % 4])
            fail_msg("pixel %d, channel %d: %d, expected %d", i / 4, i % 4, image.rgba[i], pixels[i / 4][i % 4]);
    image_fini(&image);
}

static void expect_fault(const struct tiff *tiff, const char *words)
{
    struct image image;
    struct err err = {0};
    assert_true(decode(tiff->bytes, tiff->size_bytes, &image, &err) < 0);
    if (strstr(err.message, words) == NULL)
        fail_msg("no '%s' in: %s", words, err.message);
    assert_null(image.rgba);
    image_fini(&image);
}

static const uint8_t RGB[] = {255, 0, 0, 0, 255, 0, 0, 0, 255, 10, 20, 30, 40, 50, 60, 70, 80, 90};
static const uint8_t PIXELS[WIDTH * HEIGHT][4] = {{255, 0, 0, 255},  {0, 255, 0, 255},  {0, 0, 255, 255},
                                                  {10, 20, 30, 255}, {40, 50, 60, 255}, {70, 80, 90, 255}};
static const struct form PLAIN = {.bits = 8, .samples = 3, .photometric = 2, .compression = 1, .extra = NONE};

TEST(tiff_of_both_byte_orders)
{
    struct form form = PLAIN;
    for (int i = 0; i < 2; i++) {
        form.is_big_endian = i == 1;
        const struct tiff tiff = file_of(&form, RGB, sizeof RGB);
        expect(&tiff, WIDTH, PIXELS);
    }
}

/* Codes of 9 bits: the table is cleared, then each byte stands for itself. */
static size_t pack_lzw(const uint8_t *bytes, size_t count, uint8_t *out)
{
    size_t bit = 0;
    for (size_t i = 0; i < count + 2; i++) {
        const uint32_t code = i == 0 ? 256 : i <= count ? bytes[i - 1] : 257;
        for (int b = 8; b >= 0; b--, bit++)
            out[bit / 8] = (uint8_t)(out[bit / 8] | (code >> b & 1) << (7 - bit % 8));
    }
    return (bit + 7) / 8;
}

TEST(tiff_of_every_common_compression)
{
    struct form lzw = PLAIN, deflate = PLAIN, runs = PLAIN;
    uint8_t lzw_bytes[64] = {0}, deflate_bytes[64], run_bytes[sizeof RGB + 1] = {sizeof RGB - 1};
    uLongf deflate_size = sizeof deflate_bytes;
    lzw.compression = 5;
    deflate.compression = 8;
    runs.compression = 32773;
    assert_int_equal(compress(deflate_bytes, &deflate_size, RGB, sizeof RGB), Z_OK);
    memcpy(run_bytes + 1, RGB, sizeof RGB);
    const struct tiff files[] = {file_of(&lzw, lzw_bytes, pack_lzw(RGB, sizeof RGB, lzw_bytes)),
                                 file_of(&deflate, deflate_bytes, deflate_size),
                                 file_of(&runs, run_bytes, sizeof run_bytes)};
    for (size_t i = 0; i < sizeof files / sizeof *files; i++)
        expect(&files[i], WIDTH, PIXELS);
}

TEST(tiff_of_a_tile_that_is_larger)
{
    struct form form = PLAIN;
    uint8_t tile[16 * 16 * 3];
    form.tile = 16;
    memset(tile, 77, sizeof tile);
    for (size_t y = 0; y < HEIGHT; y++)
        memcpy(tile + 16 * 3 * y, RGB + 3 * WIDTH * y, 3 * WIDTH);
    const struct tiff tiff = file_of(&form, tile, sizeof tile);
    expect(&tiff, WIDTH, PIXELS);
}

/* The high byte is what is left; the low one would be seen if the byte order were mistaken. */
TEST(tiff_of_16_bits)
{
    struct form form = PLAIN;
    uint8_t wide[2 * sizeof RGB];
    form.bits = 16;
    for (int order = 0; order < 2; order++) {
        form.is_big_endian = order == 1;
        for (size_t i = 0; i < sizeof RGB; i++) {
            wide[2 * i + (size_t)(1 - order)] = RGB[i];
            wide[2 * i + (size_t)order] = RGB[i];
        }
        const struct tiff tiff = file_of(&form, wide, sizeof wide);
        expect(&tiff, WIDTH, PIXELS);
    }
}

TEST(tiff_of_a_palette_and_of_greys)
{
    uint32_t map[3 * 16] = {0};
    for (uint32_t i = 0; i < WIDTH * HEIGHT; i++)
        for (uint32_t c = 0; c < 3; c++)
            map[16 * c + i] = 257u * PIXELS[i][c];
    const struct form palette = {
        .bits = 4, .samples = 1, .photometric = 3, .compression = 1, .extra = NONE, .color_map = map};
    const struct form grey = {.bits = 8, .samples = 1, .photometric = 1, .compression = 1, .extra = NONE};
    const struct form inverse = {.bits = 1, .samples = 1, .photometric = 0, .compression = 1, .extra = NONE};
    static const uint8_t INDICES[] = {0x01, 0x20, 0x34, 0x50}, GREYS[] = {0, 50, 100, 150, 200, 255},
                         MASK[] = {0xa0, 0x40};
    static const uint8_t SHOWN[][4] = {{0, 0, 0, 255},       {50, 50, 50, 255},    {100, 100, 100, 255},
                                       {150, 150, 150, 255}, {200, 200, 200, 255}, {255, 255, 255, 255}};
    static const uint8_t MASKED[][4] = {{0, 0, 0, 255},       {255, 255, 255, 255}, {0, 0, 0, 255},
                                        {255, 255, 255, 255}, {0, 0, 0, 255},       {255, 255, 255, 255}};
    const struct tiff colors = file_of(&palette, INDICES, sizeof INDICES), greys = file_of(&grey, GREYS, sizeof GREYS);
    const struct tiff mask = file_of(&inverse, MASK, sizeof MASK);
    expect(&colors, WIDTH, PIXELS);
    expect(&greys, WIDTH, SHOWN);
    expect(&mask, WIDTH, MASKED);
}

/* 0: unspecified, 1: colours are multiplied by it, 2: they are not. */
TEST(tiff_with_alpha_is_straight)
{
    static const uint8_t RGBA[] = {200, 100, 50, 255, 100, 50, 25, 128, 9, 8, 7, 0,
                                   1,   2,   3,  4,   60,  60, 60, 60,  5, 6, 7, 100};
    static const uint8_t DIVIDED[][4] = {{200, 100, 50, 255}, {199, 100, 50, 128}, {9, 8, 7, 0},
                                         {64, 128, 191, 4},   {255, 255, 255, 60}, {13, 15, 18, 100}};
    struct form form = {.bits = 8, .samples = 4, .photometric = 2, .compression = 1};
    for (form.extra = 0; form.extra <= 2; form.extra++) {
        const struct tiff tiff = file_of(&form, RGBA, sizeof RGBA);
        expect(&tiff, WIDTH, form.extra == 1 ? DIVIDED : (const uint8_t(*)[4])RGBA);
    }
}

/* Which stored pixel is seen at each place, for the orientations 1 to 8 (TIFF 6.0, "Orientation"). */
TEST(tiff_is_turned_as_it_says)
{
    static const uint8_t SEEN[8][WIDTH * HEIGHT] = {{0, 1, 2, 3, 4, 5}, {2, 1, 0, 5, 4, 3}, {5, 4, 3, 2, 1, 0},
                                                    {3, 4, 5, 0, 1, 2}, {0, 3, 1, 4, 2, 5}, {3, 0, 4, 1, 5, 2},
                                                    {5, 2, 4, 1, 3, 0}, {2, 5, 1, 4, 0, 3}};
    struct form form = PLAIN;
    for (form.orientation = 1; form.orientation <= 8; form.orientation++) {
        const struct tiff tiff = file_of(&form, RGB, sizeof RGB);
        uint8_t pixels[WIDTH * HEIGHT][4];
        for (int i = 0; i < WIDTH * HEIGHT; i++)
            memcpy(pixels[i], PIXELS[SEEN[form.orientation - 1][i]], 4);
        expect(&tiff, form.orientation > 4 ? HEIGHT : WIDTH, (const uint8_t(*)[4])pixels);
    }
}

TEST(tiff_that_is_not_read_says_why)
{
    struct form wide = PLAIN, real = PLAIN, signs = PLAIN, unknown = PLAIN;
    static const uint8_t ZEROS[4 * sizeof RGB] = {0};
    wide.bits = real.bits = 32;
    real.format = 3;
    signs.format = 2;
    unknown.compression = 4711;
    const struct tiff files[] = {file_of(&wide, ZEROS, sizeof ZEROS), file_of(&real, ZEROS, sizeof ZEROS),
                                 file_of(&signs, RGB, sizeof RGB), file_of(&unknown, RGB, sizeof RGB)};
    expect_fault(&files[0], "samples of 32 bits are not read");
    expect_fault(&files[1], "of floating point");
    expect_fault(&files[2], "a sign");
    expect_fault(&files[3], "compression");
}

/* Sizes are refused before anything is allocated for them. */
TEST(tiff_size_is_limited)
{
    static const uint32_t SIDES[] = {60000, 0};
    for (size_t i = 0; i < 2; i++) {
        struct tiff tiff = file_of(&PLAIN, RGB, sizeof RGB);
        const size_t entries = tiff.size_bytes - 4 - ENTRY_BYTES * (size_t)tiff.count;
        put(&tiff, tiff.bytes + entries + 8, SIDES[i], 4);
        expect_fault(&tiff, i == 0 ? "60000 x 2 pixels" : "");
    }
    struct form tiled = PLAIN;
    tiled.tile = 65536;
    const struct tiff tiff = file_of(&tiled, RGB, sizeof RGB);
    expect_fault(&tiff, "bytes for each pixel");
}

/* Each ends in a picture or an error, whatever is missing or other. */
TEST(tiff_survives_every_cut_and_change)
{
    struct form forms[] = {PLAIN, PLAIN, PLAIN};
    uint8_t lzw_bytes[64] = {0}, tile[16 * 16 * 3] = {0};
    const size_t lzw_size = pack_lzw(RGB, sizeof RGB, lzw_bytes);
    forms[1].compression = 5;
    forms[2].tile = 16;
    forms[2].orientation = 6;
    const struct tiff files[] = {file_of(&forms[0], RGB, sizeof RGB), file_of(&forms[1], lzw_bytes, lzw_size),
                                 file_of(&forms[2], tile, sizeof tile)};
    int read = 0, damaged = 0;
    for (size_t f = 0; f < sizeof files / sizeof *files; f++) {
        for (size_t size = 1; size < files[f].size_bytes; size++) {
            struct image image;
            struct err err = {0};
            assert_true(decode(files[f].bytes, size, &image, &err) < 0 || size >= files[f].size_bytes - 5);
            image_fini(&image);
        }
        for (size_t at = 0; at < files[f].size_bytes; at++)
            for (int change = 0; change < 3; change++) {
                struct tiff changed = files[f];
                struct image image;
                struct err err = {0};
                changed.bytes[at] ^= (const uint8_t[]){1, 0x80, 0xff}[change];
                const int rc = decode(changed.bytes, changed.size_bytes, &image, &err);
                assert_true(rc == 0 || err.message[0] != '\0');
                read += rc == 0;
                damaged += rc == 0 && image.is_damaged;
                image_fini(&image);
            }
    }
    assert_true(read > 100 && damaged > 0);
}
