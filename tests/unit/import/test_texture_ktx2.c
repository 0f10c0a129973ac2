/* KTX 2 files as pictures: the samples against three.js's transcoder, blocks worked by hand, and what is damaged. */
#include "tests/unit/support/check.h"
#include "tests/unit/support/ktx2_file.h"

#include "import/texture/texture_image.h"

#include <nettle/sha2.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>
#include <zstd.h>

static const struct sample {
    const char *name;
    uint32_t width, height;
    const char *hash;
} SAMPLES[] = {
#define KTX2_SAMPLE(name, width, height, hash) {name, width, height, hash},
#include "tests/unit/import/ktx2_samples.def"
#undef KTX2_SAMPLE
};
enum { SAMPLE_COUNT = sizeof SAMPLES / sizeof *SAMPLES, SAMPLE_MAX = 16384, SMALL = 2000 };

/* From a heap block of exactly that size, so that ASan sees a read past its end. */
static int decode(const uint8_t *bytes, size_t size_bytes, struct image *image, struct err *err)
{
    struct limits limits;
    limits_default(&limits);
    limits.value[LIMIT_IMAGE_PIXELS] = 1 << 16;
    uint8_t *copy = malloc(size_bytes);
    assert_non_null(copy);
    memcpy(copy, bytes, size_bytes);
    const int rc = image_decode(copy, size_bytes, &limits, image, err);
    free(copy);
    return rc;
}

static size_t read_sample(const struct sample *sample, uint8_t bytes[SAMPLE_MAX])
{
    char path[200];
    snprintf(path, sizeof path, "tests/fuzz/corpus/texture/%s.ktx2", sample->name);
    FILE *file = fopen(path, "rb");
    if (file == NULL)
        fail_msg("cannot open '%s': run the tests in the project's root", path);
    const size_t size_bytes = fread(bytes, 1, SAMPLE_MAX, file);
    fclose(file);
    assert_in_range(size_bytes, 1, SAMPLE_MAX - 1);
    return size_bytes;
}

TEST(ktx2_samples_are_what_three_js_makes_of_them)
{
    static uint8_t bytes[SAMPLE_MAX];
    for (size_t i = 0; i < SAMPLE_COUNT; i++) {
        const size_t size_bytes = read_sample(&SAMPLES[i], bytes);
        struct image image;
        struct err err = {0};
        if (decode(bytes, size_bytes, &image, &err) < 0)
            fail_msg("%s: %s", SAMPLES[i].name, err.message);
        assert_int_equal(image.width, SAMPLES[i].width);
        assert_int_equal(image.height, SAMPLES[i].height);
        struct sha256_ctx sha;
        uint8_t digest[SHA256_DIGEST_SIZE];
        char text[2 * SHA256_DIGEST_SIZE + 1];
        sha256_init(&sha);
        sha256_update(&sha, (size_t)4 * image.width * image.height, image.rgba);
        sha256_digest(&sha, sizeof digest, digest);
        for (size_t c = 0; c < sizeof digest; c++)
            snprintf(text + 2 * c, 3, "%02x", digest[c]);
        if (strcmp(text, SAMPLES[i].hash) != 0)
            fail_msg("%s: other pixels", SAMPLES[i].name);
        image_fini(&image);
    }
}

static void check_picture(const struct ktx2_file *file, uint32_t width, uint32_t height, const uint8_t *rgba)
{
    struct image image;
    struct err err = {0};
    if (decode(file->bytes, file->size_bytes, &image, &err) < 0)
        fail_msg("%s", err.message);
    assert_int_equal(image.width, width);
    assert_int_equal(image.height, height);
    assert_memory_equal(image.rgba, rgba, (size_t)4 * width * height);
    image_fini(&image);
}

static void expect_error(const struct ktx2_file *file, int code, const char *part)
{
    struct image image;
    struct err err = {0};
    const int rc = decode(file->bytes, file->size_bytes, &image, &err);
    if (rc != code || strstr(err.message, part) == NULL)
        fail_msg("%d '%s', expected %d '%s'", rc, err.message, code, part);
    assert_null(image.rgba);
}

/* Mode 8: one colour. Mode 5: red from 0 to 255 by weights of 3 bits, of which the first texel has 2. */
TEST(ktx2_uastc_blocks_worked_by_hand)
{
    static const uint8_t RED[8] = {0, 36, 72, 108, 147, 183, 219, 255};
    struct ktx2_bit_writer solid = {0}, ramp = {0};
    struct ktx2_file file;
    uint8_t level[32], expected[2 * 64];
    ktx2_put_bits(&solid, 0x17, 5);
    for (uint32_t c = 0; c < 4; c++)
        ktx2_put_bits(&solid, 10 + 60 * c, 8);
    ktx2_put_bits(&ramp, 0x0b, 20);
    const uint32_t ends[] = {0, 255, 7, 7, 90, 90};
    for (uint32_t i = 0; i < 6; i++)
        ktx2_put_bits(&ramp, ends[i], 8);
    for (uint32_t i = 0; i < 16; i++)
        ktx2_put_bits(&ramp, i % 8, i == 0 ? 2 : 3);
    memcpy(level, solid.bytes, 16);
    memcpy(level + 16, ramp.bytes, 16);
    for (uint32_t i = 0; i < 16; i++) {
        uint8_t *row = expected + 32 * (i / 4) + 4 * (i % 4);
        memcpy(row, (const uint8_t[]){10, 70, 130, 190}, 4);
        memcpy(row + 16, (const uint8_t[]){RED[i % 8], 7, 90, 255}, 4);
    }
    ktx2_file_make(&file, 0, KTX2_MODEL_UASTC, 8, 4, 0, level, sizeof level, sizeof level);
    check_picture(&file, 8, 4, expected);
    file.bytes[KTX2_LEVEL_AT + 16] = 0x45; /* reserved */
    expect_error(&file, ERR_BAD_MODEL, "level 0, byte 272: the block at 1, 0 has no mode");
    ktx2_file_make(&file, 0, KTX2_MODEL_UASTC, 9, 4, 0, level, sizeof level, sizeof level);
    expect_error(&file, ERR_BAD_MODEL, "a picture of 9 x 4 needs 48 bytes, and not 32");
}

/* A picture of one block: endpoint 21, 21, 21 with the modifiers 13 and 42, and rows of the selectors 0 to 3. symbols:
 * the only ones for the predictions, deltas, selectors and runs of blocks. code_bits: of lengths in their tables. */
static void make_etc1s_of(struct ktx2_file *file, const uint32_t symbols[4], uint32_t code_bits)
{
    struct ktx2_bit_writer endpoints = {0}, selectors = {0}, tables = {0};
    static const uint8_t LEVEL[1] = {0}; /* three codes of the only symbol */
    const uint32_t deltas[] = {0, 5, 0, 3};
    for (uint32_t i = 0; i < 4; i++)
        ktx2_put_table(&endpoints, deltas[i], 1);
    ktx2_put_bits(&endpoints, 0, 1 + 4);
    ktx2_put_bits(&selectors, 4, 3); /* as they are */
    for (uint32_t i = 0; i < 4; i++)
        ktx2_put_bits(&selectors, 0xe4, 8);
    for (uint32_t i = 0; i < 4; i++)
        ktx2_put_table(&tables, symbols[i], code_bits);
    ktx2_put_bits(&tables, 0, 13);
    ktx2_file_make(file, 0, KTX2_MODEL_ETC1S, 4, 4, 1, LEVEL, sizeof LEVEL, 0);
    ktx2_file_add_global(file, &endpoints, &selectors, &tables);
}

static void make_etc1s(struct ktx2_file *file) { make_etc1s_of(file, (const uint32_t[]){3, 0, 0, 0}, 1); }

TEST(ktx2_etc1s_block_worked_by_hand)
{
    static const uint8_t SHADES[4] = {173 - 42, 173 - 13, 173 + 13, 173 + 42};
    struct ktx2_file file;
    uint8_t expected[64];
    for (uint32_t i = 0; i < 16; i++) {
        memset(expected + 4 * i, SHADES[i % 4], 3);
        expected[4 * i + 3] = 255;
    }
    make_etc1s(&file);
    check_picture(&file, 4, 4, expected);
}

TEST(ktx2_plain_texels_and_what_packs_them)
{
    static const uint8_t BYTES[16] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16};
    static const uint8_t RED[16] = {1, 0, 0, 255, 2, 0, 0, 255, 3, 0, 0, 255, 4, 0, 0, 255};
    static const uint8_t RG[16] = {1, 2, 0, 255, 3, 4, 0, 255, 5, 6, 0, 255, 7, 8, 0, 255};
    static const uint8_t RGB[16] = {1, 2, 3, 255, 4, 5, 6, 255, 7, 8, 9, 255, 10, 11, 12, 255};
    static const uint8_t BGRA[16] = {3, 2, 1, 4, 7, 6, 5, 8, 11, 10, 9, 12, 15, 14, 13, 16};
    const struct {
        uint32_t vk_format;
        size_t size_bytes;
        const uint8_t *rgba;
    } ROWS[] = {{9, 4, RED}, {16, 8, RG}, {29, 12, RGB}, {50, 16, BGRA}, {37, 16, BYTES}};
    struct ktx2_file file;
    for (size_t i = 0; i < sizeof ROWS / sizeof *ROWS; i++) {
        uint8_t packed[200];
        const size_t size = ROWS[i].size_bytes;
        ktx2_file_make(&file, ROWS[i].vk_format, 1, 2, 2, 0, BYTES, size, size);
        check_picture(&file, 2, 2, ROWS[i].rgba);
        const size_t zstd_bytes = ZSTD_compress(packed, sizeof packed, BYTES, size, 1);
        ktx2_file_make(&file, ROWS[i].vk_format, 1, 2, 2, 2, packed, zstd_bytes, size);
        check_picture(&file, 2, 2, ROWS[i].rgba);
        uLongf zlib_bytes = sizeof packed;
        assert_int_equal(compress(packed, &zlib_bytes, BYTES, size), Z_OK);
        ktx2_file_make(&file, ROWS[i].vk_format, 1, 2, 2, 3, packed, zlib_bytes, size);
        check_picture(&file, 2, 2, ROWS[i].rgba);
    }
}

/* A megabyte of zeros behind a picture of four pixels. */
TEST(ktx2_packed_levels_fill_the_picture_and_no_more)
{
    struct ktx2_file file;
    uint8_t packed[2000], *zeros = calloc(1, 1 << 20);
    assert_non_null(zeros);
    const size_t zstd_bytes = ZSTD_compress(packed, sizeof packed, zeros, 1 << 20, 19);
    assert_false(ZSTD_isError(zstd_bytes));
    ktx2_file_make(&file, 37, 1, 2, 2, 2, packed, zstd_bytes, 16);
    expect_error(&file, ERR_BAD_MODEL, "level 0, byte 256: zstd does not unpack it");
    ktx2_file_make(&file, 37, 1, 2, 2, 2, packed, zstd_bytes, 1 << 20);
    expect_error(&file, ERR_BAD_MODEL, "needs 16 bytes, and not 1048576");
    uLongf zlib_bytes = sizeof packed;
    assert_int_equal(compress2(packed, &zlib_bytes, zeros, 1 << 20, 9), Z_OK);
    ktx2_file_make(&file, 37, 1, 2, 2, 3, packed, zlib_bytes, 16);
    expect_error(&file, ERR_BAD_MODEL, "level 0, byte 256: zlib does not unpack it");
    ktx2_file_make(&file, 37, 1, 2, 2, 2, packed, ZSTD_compress(packed, sizeof packed, zeros, 15, 1), 16);
    expect_error(&file, ERR_BAD_MODEL, "15 bytes are packed, the picture needs 16");
    free(zeros);
}

TEST(ktx2_headers_that_are_not_believed)
{
    static const struct {
        uint16_t at;
        uint32_t value;
        int code;
        const char *part;
    } ROWS[] = {
        {4, 0x31312058, ERR_BAD_MODEL, "KTX 2: not of version 2.0"},
        {12, 145, ERR_BAD_MODEL, "byte 12: texels of VkFormat 145 are not read here"},
        {20, 0, ERR_BAD_MODEL, "byte 20: the picture is 0 x 4 pixels"},
        {20, 60000, ERR_MODEL_LIMIT, "60000 x 4 pixels are more than"},
        {28, 1, ERR_BAD_MODEL, "byte 28: a volume"},
        {32, 2, ERR_BAD_MODEL, "byte 32: an array of 2"},
        {36, 6, ERR_BAD_MODEL, "byte 36: a cube map"},
        {40, 5, ERR_BAD_MODEL, "byte 40: a picture of 8 x 4 has at most 4 mip levels, not 5"},
        {44, 1, ERR_BAD_MODEL, "byte 44: UASTC has supercompression 1"},
        {44, 4, ERR_BAD_MODEL, "byte 44: supercompression 4 is not read here"},
        {48, 4000000000, ERR_BAD_MODEL, "byte 48: the data format descriptor has 44 bytes from byte 4000000000 on"},
        {52, 20, ERR_BAD_MODEL, "byte 104: no basic data format descriptor"},
        {80, 1000, ERR_BAD_MODEL, "byte 80: level 0 has 32 bytes from byte 1000 on, but the file has 288 bytes"},
        {84, 0xffffffff, ERR_BAD_MODEL, "byte 80: level 0 has 32 bytes"},
        {92, 1, ERR_BAD_MODEL, "byte 80: level 0 has 4294967328 bytes"},
        {112, 0x00290002, ERR_BAD_MODEL, "byte 114: the data format descriptor has a block of 41 bytes"},
        {116, 167, ERR_BAD_MODEL, "texels of colour model 167 are not read here"},
    };
    static const uint8_t LEVEL[32] = {0x17, [16] = 0x17};
    for (size_t i = 0; i < sizeof ROWS / sizeof *ROWS; i++) {
        struct ktx2_file file;
        ktx2_file_make(&file, 0, KTX2_MODEL_UASTC, 8, 4, 0, LEVEL, sizeof LEVEL, sizeof LEVEL);
        ktx2_put_u32(&file, ROWS[i].at, ROWS[i].value);
        expect_error(&file, ROWS[i].code, ROWS[i].part);
    }
}

/* The global data of make_etc1s(): counts, then lengths of its parts, then the picture's flags and slices. */
TEST(ktx2_global_data_that_is_not_believed)
{
    static const struct {
        uint16_t at;
        uint32_t value;
        const char *part;
    } ROWS[] = {
        {0, 0x00010000, "a codebook is empty"},
        {0, 0x00000001, "a codebook is empty"},
        {0, 0x00014000, "endpoints of BasisLZ are damaged"},
        {0, 0x40000001, "selectors of BasisLZ are damaged"},
        {4, 0xffffffff, "4294967295 bytes are more than BasisLZ's global data still has"},
        {4, 10, "endpoints of BasisLZ are damaged"},
        {12, 0, "tables of BasisLZ are damaged"},
        {20, 2, "the picture is a frame of a video"},
        {24, 1, "the slice of colours has 1 bytes from byte 1 of level 0 on"},
        {28, 0, "the slice of colours has 0 bytes"},
    };
    struct ktx2_file file;
    for (size_t i = 0; i < sizeof ROWS / sizeof *ROWS; i++) {
        make_etc1s(&file);
        ktx2_put_u32(&file, file.global_at + ROWS[i].at, ROWS[i].value);
        expect_error(&file, ERR_BAD_MODEL, ROWS[i].part);
    }
    make_etc1s(&file);
    ktx2_put_u32(&file, 20, 20); /* five blocks, of 3, 1, 3, 1 and 3 bits */
    expect_error(&file, ERR_BAD_MODEL, "level 0, byte 257: the blocks are damaged, or end too early");
    make_etc1s_of(&file, (const uint32_t[]){3, 0, 0, 0}, 2);
    expect_error(&file, ERR_BAD_MODEL, "tables of BasisLZ are damaged");
    make_etc1s(&file);
    ktx2_put_u32(&file, 64, 4000);
    expect_error(&file, ERR_BAD_MODEL, "byte 64: the supercompression global data has");
}

TEST(ktx2_blocks_that_choose_what_is_not_there)
{
    static const struct {
        uint32_t symbols[4];
        const char *part;
    } ROWS[] = {
        {{0, 0, 0, 0}, "level 0, byte 256: a block has the endpoint of one outside the picture"},
        {{1, 0, 0, 0}, "a block has the endpoint of one outside the picture"},
        {{2, 0, 0, 0}, "a block has the endpoint of one outside the picture"},
        {{256, 0, 0, 0}, "a block has the endpoint of one outside the picture"},
        {{3, 2, 0, 0}, "a block has an endpoint that the codebook has not"},
        {{3, 0, 2, 0}, "a block has a selector that the codebook has not"},
        {{3, 0, 1, 62}, "a block has a selector that the codebook has not"},
    };
    for (size_t i = 0; i < sizeof ROWS / sizeof *ROWS; i++) {
        struct ktx2_file file;
        make_etc1s_of(&file, ROWS[i].symbols, 1);
        expect_error(&file, ERR_BAD_MODEL, ROWS[i].part);
    }
}

/* The largest level is at the end of a file, so nothing of it is left out. */
TEST(ktx2_samples_that_end_early_are_refused)
{
    static uint8_t bytes[SAMPLE_MAX];
    for (size_t i = 0; i < SAMPLE_COUNT; i++) {
        const size_t size_bytes = read_sample(&SAMPLES[i], bytes);
        for (size_t size = 5; size < size_bytes; size++) {
            struct image image;
            struct err err = {0};
            assert_true(decode(bytes, size, &image, &err) < 0);
            assert_null(image.rgba);
            assert_non_null(strstr(err.message, size < 12 ? "KTX 2: not of" : "byte "));
        }
    }
}

TEST(ktx2_samples_survive_changed_bytes)
{
    static const uint8_t VALUES[] = {0, 1, 0x7f, 0x80, 0xff};
    static uint8_t bytes[SAMPLE_MAX];
    for (size_t i = 0; i < SAMPLE_COUNT; i++) {
        const size_t size_bytes = read_sample(&SAMPLES[i], bytes);
        for (size_t at = 0; at < size_bytes && at < SMALL; at += RANDOM_CASES(10) < 10 && at > 300 ? 3 : 1) {
            const uint8_t was = bytes[at];
            for (size_t v = 0; v < sizeof VALUES; v++) {
                struct image image;
                struct err err = {0};
                bytes[at] = VALUES[v];
                const int rc = decode(bytes, size_bytes, &image, &err);
                assert_true(rc == 0 ? image.rgba != NULL : image.rgba == NULL && err.message[0] != '\0');
                image_fini(&image);
            }
            bytes[at] = was;
        }
    }
}
