#include "tests/unit/support/check.h"

#include "anim/light/panorama.h"
#include "anim/light/rgbe.h"
#include "import/environment/radiance_file.h"
#include "anim/light/mip.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define HEAD "#?RADIANCE\nFORMAT=32-bit_rle_rgbe\n\n"
/* 8 x 2 pixels: the first row in runs, the second plain with repetitions of old. */
static const char FILE_8X2[] = HEAD "-Y 2 +X 8\n"
                                    "\x02\x02\x00\x08"
                                    "\x88\x0a"                             /* red: 8 times 10 */
                                    "\x03\x14\x15\x16\x85\x17"             /* green: 20, 21, 22, 5 times 23 */
                                    "\x08\x01\x02\x03\x04\x05\x06\x07\x08" /* blue */
                                    "\x88\x81"                             /* exponent */
                                    "\x64\x65\x66\x80"
                                    "\x01\x01\x01\x03"
                                    "\x01\x01\x01\x00" /* a second digit: none */
                                    "\x32\x33\x34\x81"
                                    "\x01\x01\x01\x03";
static const uint8_t PIXELS_8X2[2][8][4] = {{{10, 20, 1, 129},
                                             {10, 21, 2, 129},
                                             {10, 22, 3, 129},
                                             {10, 23, 4, 129},
                                             {10, 23, 5, 129},
                                             {10, 23, 6, 129},
                                             {10, 23, 7, 129},
                                             {10, 23, 8, 129}},
                                            {{100, 101, 102, 128},
                                             {100, 101, 102, 128},
                                             {100, 101, 102, 128},
                                             {100, 101, 102, 128},
                                             {50, 51, 52, 129},
                                             {50, 51, 52, 129},
                                             {50, 51, 52, 129},
                                             {50, 51, 52, 129}}};
static const size_t SIZE_8X2 = sizeof FILE_8X2 - 1;

static struct limits limits;

/* From a heap block of exactly that size, so that ASan sees a read past its end. */
static int decode(const void *bytes, size_t size_bytes, struct image *image, struct err *err)
{
    limits_default(&limits);
    limits.value[LIMIT_IMAGE_PIXELS] = 1 << 16; /* keeps damaged headers cheap */
    uint8_t *copy = malloc(size_bytes + (size_bytes == 0));
    assert_non_null(copy);
    memcpy(copy, bytes, size_bytes);
    const int rc = radiance_file_decode(copy, size_bytes, &limits, image, err);
    free(copy);
    return rc;
}

static void check_refused(const void *bytes, size_t size_bytes, int code, const char *words)
{
    struct image image;
    struct err err = {0};
    assert_int_equal(decode(bytes, size_bytes, &image, &err), code);
    if (strstr(err.message, words) == NULL)
        fail_msg("'%s' does not say '%s'", err.message, words);
    assert_null(image.rgba);
}

TEST(radiance_file_decodes_runs_of_both_kinds)
{
    struct image image;
    struct err err = {0};
    assert_int_equal(decode(FILE_8X2, SIZE_8X2, &image, &err), 0);
    assert_int_equal(image.width, 8);
    assert_int_equal(image.height, 2);
    assert_memory_equal(image.rgba, PIXELS_8X2, sizeof PIXELS_8X2);
    image_fini(&image);
}

TEST(radiance_file_repeats_by_digits_of_eight_bits)
{
    enum { WIDTH = 1 + 2 + 256 };
    static const char BYTES[] = HEAD "-Y 1 +X 259\n\x07\x08\x09\x80\x01\x01\x01\x02\x01\x01\x01\x01";
    struct image image;
    struct err err = {0};
    assert_int_equal(decode(BYTES, sizeof BYTES - 1, &image, &err), 0);
    for (size_t x = 0; x < WIDTH; x++)
        assert_memory_equal(image.rgba + 4 * x, "\x07\x08\x09\x80", 4);
    image_fini(&image);
}

TEST(radiance_file_turns_rows_and_pixels_as_the_signs_say)
{
    static const char *const SIZES[] = {"-Y 2 +X 2\n", "+Y 2 +X 2\n", "-Y 2 -X 2\n", "+Y 2 -X 2\n"};
    static const char *const FIRST[] = {"abcd", "cdab", "badc", "dcba"}; /* reds */
    for (int i = 0; i < 4; i++) {
        char bytes[100];
        struct image image;
        struct err err = {0};
        const int head = snprintf(bytes, sizeof bytes, "#?RGBE\r\n# a comment\r\nEXPOSURE=2\r\n\r\n%s", SIZES[i]);
        memcpy(bytes + head,
               "a__\x80"
               "b__\x80"
               "c__\x80"
               "d__\x80",
               16);
        assert_int_equal(decode(bytes, (size_t)head + 16, &image, &err), 0);
        for (int p = 0; p < 4; p++)
            assert_int_equal(image.rgba[4 * p], FIRST[i][p]);
        image_fini(&image);
    }
}

TEST(radiance_file_refuses_with_the_place)
{
    const struct {
        const char *bytes;
        size_t size_bytes;
        int code;
        const char *words;
    } rows[] = {
#define ROW(bytes, code, words) {bytes, sizeof bytes - 1, code, words}
        ROW("", ERR_NOT_A_MODEL, "no Radiance picture"),
        ROW("GIF89a\n\n", ERR_NOT_A_MODEL, "no Radiance picture"),
        ROW("#?RADIANCE\nFORMAT=32-bit_rle_xyze\n\n-Y 1 +X 1\n....", ERR_NOT_A_MODEL, "byte 11"),
        ROW("#?RADIANCE\nFORMAT=32-bit_rle_rgbe\n-Y 1 +X 1\n....", ERR_BAD_MODEL, "no end"),
        ROW(HEAD "-Y 1 X 1\n....", ERR_BAD_MODEL, "the line at byte 35"),
        ROW(HEAD "+X 1 +Y 1\n....", ERR_BAD_MODEL, "the line at byte 35"),
        ROW(HEAD "-Y 9999999999 +X 1\n....", ERR_BAD_MODEL, "the line at byte 35"),
        ROW(HEAD "-Y 0 +X 1\n", ERR_BAD_MODEL, "1 x 0"),
        ROW(HEAD "-Y 99999 +X 99999\n....", ERR_MODEL_LIMIT, "99999 x 99999"),
        ROW(HEAD "-Y 1 +X 2\n\x01\x01\x01\x01....", ERR_BAD_MODEL, "before there is one"),
        ROW(HEAD "-Y 1 +X 2\n....\x01\x01\x01\x02", ERR_BAD_MODEL, "byte 49"),
        ROW(HEAD "-Y 1 +X 8\n\x02\x02\x00\x09", ERR_BAD_MODEL, "9 pixels instead of 8"),
        ROW(HEAD "-Y 1 +X 8\n\x02\x02\x00\x08\x89\x01", ERR_BAD_MODEL, "9 pixels at byte 49"),
        ROW(HEAD "-Y 1 +X 8\n\x02\x02\x00\x08\x00\x01", ERR_BAD_MODEL, "0 pixels at byte 49"),
        ROW(HEAD "-Y 1 +X 1\n...", ERR_BAD_MODEL, "ends early, at byte 48"),
#undef ROW
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        check_refused(rows[i].bytes, rows[i].size_bytes, rows[i].code, rows[i].words);
}

TEST(radiance_file_needs_all_of_its_bytes)
{
    for (size_t size = 0; size < SIZE_8X2; size++) {
        struct image image;
        struct err err = {0};
        assert_true(decode(FILE_8X2, size, &image, &err) < 0);
        assert_null(image.rgba);
    }
}

TEST(radiance_file_takes_any_byte_anywhere)
{
    char bytes[sizeof FILE_8X2];
    for (size_t at = 0; at < SIZE_8X2; at++)
        for (int value = 0; value < 256; value++) {
            struct image image;
            struct err err = {0};
            memcpy(bytes, FILE_8X2, sizeof bytes);
            bytes[at] = (char)value;
            const int rc = decode(bytes, SIZE_8X2, &image, &err);
            assert_true(rc == 0 || rc == ERR_NOT_A_MODEL || rc == ERR_BAD_MODEL || rc == ERR_MODEL_LIMIT);
            assert_true((image.rgba != NULL) == (rc == 0));
            image_fini(&image);
        }
}

/* --- results from the pixels --- */

TEST(rgbe_is_finite_whatever_it_is)
{
    for (int e = 0; e < 256; e++) {
        const uint8_t bytes[4] = {255, 128, 0, (uint8_t)e};
        float rgb[3];
        rgbe_to_linear(bytes, rgb);
        for (int c = 0; c < 3; c++)
            assert_true(isfinite(rgb[c]) && rgb[c] >= 0 && rgb[c] <= RGBE_MOST);
    }
    const float odd[3] = {NAN, -1, INFINITY};
    uint8_t bytes[4];
    float rgb[3];
    rgbe_from_linear(odd, bytes);
    rgbe_to_linear(bytes, rgb);
    assert_true(rgb[0] == 0 && rgb[1] == 0 && rgb[2] > 65000);
}

TEST(rgbe_keeps_light_to_half_a_mantissa)
{
    for (double light = 1e-30; light < 60000; light *= 1.37) {
        const float rgb[3] = {(float)light, (float)(light / 3), 0};
        uint8_t bytes[4];
        float back[3];
        rgbe_from_linear(rgb, bytes);
        rgbe_to_linear(bytes, back);
        for (int c = 0; c < 3; c++)
            CHECK_NEAR((double)back[c] / light, (double)rgb[c] / light, 1.0 / 256);
    }
}

TEST(radiance_is_averaged_as_light)
{
    /* 1024 beside nothing, in the two upper pixels: 256 on average */
    static const uint8_t FROM[4][4] = {{128, 64, 0, 139}, {0, 0, 0, 0}, {0, 0, 0, 0}, {0, 0, 0, 0}};
    uint8_t to[4];
    float rgb[3];
    mip_resample(&FROM[0][0], 2, 2, to, 1, 1, TEXTURE_RADIANCE);
    rgbe_to_linear(to, rgb);
    CHECK_NEAR((double)rgb[0], 256, 0);
    CHECK_NEAR((double)rgb[1], 128, 0);
    CHECK_NEAR((double)rgb[2], 0, 0);
}

/* Red where z is positive (the right half's middle), green at -x (the edges), blue up. */
TEST(panorama_has_directions_where_three_js_has_them)
{
    uint8_t pixels[4][8][4] = {{{0}}};
    const struct texture texture = {
        .state = TEXTURE_FOUND, .width = 8, .height = 4, .level_count = 4, .content = TEXTURE_RADIANCE};
    const struct model model = {.textures = &texture, .texture_count = 1, .pixels = &pixels[0][0][0]};
    struct panorama panorama;
    for (int y = 0; y < 4; y++)
        for (int x = 0; x < 8; x++) {
            const uint8_t color[4] = {x == 5 || x == 6 ? 128 : 0, x == 0 || x == 7 ? 128 : 0, y == 0 ? 128 : 0, 129};
            memcpy(pixels[y][x], color, 4);
        }
    assert_true(model_is_environment(&model));
    const double z[3] = {0, 0, 1}, minus_x[3] = {-1, 0, 0}, up[3] = {0, 1, 0}, x[3] = {1, 0, 0};
    double rgb[3];
    panorama_init(&panorama, &model, 8, 0);
    panorama_radiance(&panorama, z, rgb);
    assert_true(rgb[0] == 1 && rgb[1] == 0 && rgb[2] == 0);
    panorama_radiance(&panorama, minus_x, rgb);
    assert_true(rgb[0] == 0 && rgb[1] == 1 && rgb[2] == 0);
    panorama_radiance(&panorama, up, rgb);
    assert_true(rgb[2] == 1);
    panorama_init(&panorama, &model, 8, 90);
    /* a quarter anticlockwise, seen from above: what was at z is at x, and what was at -x is at z */
    panorama_radiance(&panorama, x, rgb);
    CHECK_NEAR(rgb[0], 1, 1e-9);
    panorama_radiance(&panorama, z, rgb);
    CHECK_NEAR(rgb[1], 1, 1e-9);
}
