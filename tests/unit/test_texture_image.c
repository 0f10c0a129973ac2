#include "check.h"

#include "../../server/import/texture_image.h"

#include <stdlib.h>
#include <string.h>
#include <turbojpeg.h>
#include <webp/encode.h>

/* 2x2 RGBA, with a gAMA chunk of 1.0, which must change nothing. */
static const uint8_t PNG[] = {
    137, 80,  78, 71, 13,  10,  26,  10,  0,   0,   0,   13, 73,  72,  68,  82,  0,  0,  0,  2,   0,   0,  0,   2,
    8,   6,   0,  0,  0,   114, 182, 13,  36,  0,   0,   0,  4,   103, 65,  77,  65, 0,  1,  134, 160, 49, 232, 150,
    95,  0,   0,  0,  22,  73,  68,  65,  84,  120, 218, 99, 248, 207, 192, 240, 31, 8,  27, 24,  64,  52, 151, 136,
    220, 127, 0,  55, 128, 5,   184, 136, 113, 166, 21,  0,  0,   0,   0,   73,  69, 78, 68, 174, 66,  96, 130};
static const uint8_t PNG_PIXELS[] = {255, 0, 0, 255, 0, 255, 0, 128, 0, 0, 255, 0, 10, 20, 30, 255};
/* The header of a PNG of 60000 x 60000 pixels. */
static const uint8_t HUGE_PNG[] = {137, 80,  78, 71, 13, 10,  26, 10, 0, 0, 0, 13, 73,  72,  68, 82, 0,
                                   0,   234, 96, 0,  0,  234, 96, 8,  0, 0, 0, 0,  165, 185, 42, 158};
/* 2x2, 24 bits, blue first, bottom row first. */
static const uint8_t TGA[] = {0, 0,  2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2,  0,  2,
                              0, 24, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12};
static const uint8_t BMP[] = {66, 77, 70, 0, 0,  0, 0, 0, 0, 0, 54, 0, 0, 0, 40, 0, 0, 0,  2,  0,  0, 0, 2, 0,
                              0,  0,  1,  0, 24, 0, 0, 0, 0, 0, 16, 0, 0, 0, 0,  0, 0, 0,  0,  0,  0, 0, 0, 0,
                              0,  0,  0,  0, 0,  0, 1, 2, 3, 4, 5,  6, 0, 0, 7,  8, 9, 10, 11, 12, 0, 0};
static const uint8_t BLUE_FIRST_PIXELS[] = {9, 8, 7, 255, 12, 11, 10, 255, 3, 2, 1, 255, 6, 5, 4, 255};

static struct limits limits;

/* From a heap block of exactly that size, so that ASan sees a read past its end. */
static int decode(const uint8_t *bytes, size_t size_bytes, struct image *image, struct err *err)
{
    limits_default(&limits);
    limits.value[LIMIT_IMAGE_PIXELS] = 1 << 20; /* keeps damaged headers cheap */
    uint8_t *copy = malloc(size_bytes + (size_bytes == 0));
    assert_non_null(copy);
    memcpy(copy, bytes, size_bytes);
    const int rc = image_decode(copy, size_bytes, &limits, image, err);
    free(copy);
    return rc;
}

static void check_pixels(const uint8_t *bytes, size_t size_bytes, const uint8_t *pixels, int tolerance)
{
    struct image image;
    struct err err = {0};
    if (decode(bytes, size_bytes, &image, &err) < 0)
        fail_msg("%s", err.message);
    assert_int_equal(image.width, 2);
    assert_int_equal(image.height, 2);
    for (int i = 0; i < 16; i++)
        CHECK_NEAR(image.rgba[i], pixels[i], tolerance);
    assert_false(image.is_damaged);
    image_fini(&image);
}

TEST(image_decodes_worked_bytes)
{
    check_pixels(PNG, sizeof PNG, PNG_PIXELS, 0);
    check_pixels(TGA, sizeof TGA, BLUE_FIRST_PIXELS, 0);
    check_pixels(BMP, sizeof BMP, BLUE_FIRST_PIXELS, 0);
}

static size_t make_jpeg(uint8_t **out)
{
    static const uint8_t GREY[] = {90, 90, 90, 255, 90, 90, 90, 255, 90, 90, 90, 255, 90, 90, 90, 255};
    unsigned long size = 0;
    tjhandle jpeg = tjInitCompress();
    *out = NULL;
    assert_int_equal(tjCompress2(jpeg, GREY, 2, 0, 2, TJPF_RGBA, out, &size, TJSAMP_444, 100, 0), 0);
    tjDestroy(jpeg);
    return size;
}

TEST(image_decodes_jpeg_and_webp)
{
    static const uint8_t GREY[] = {90, 90, 90, 255, 90, 90, 90, 255, 90, 90, 90, 255, 90, 90, 90, 255};
    uint8_t *jpeg, *webp = NULL;
    const size_t jpeg_size = make_jpeg(&jpeg);
    check_pixels(jpeg, jpeg_size, GREY, 1);
    tjFree(jpeg);
    const size_t webp_size = WebPEncodeLosslessRGBA(BLUE_FIRST_PIXELS, 2, 2, 8, &webp);
    check_pixels(webp, webp_size, BLUE_FIRST_PIXELS, 0);
    WebPFree(webp);
}

static void expect_error(const void *bytes, size_t size_bytes, int code, const char *part)
{
    struct image image;
    struct err err = {0};
    const int rc = decode(bytes, size_bytes, &image, &err);
    if (rc != code || strstr(err.message, part) == NULL)
        fail_msg("%d '%s', expected %d '%s'", rc, err.message, code, part);
    assert_null(image.rgba);
}

TEST(image_says_what_is_wrong)
{
    expect_error("", 0, ERR_BAD_MODEL, "empty");
    expect_error("version https://git-lfs.github.com/spec/v1\n", 43, ERR_BAD_MODEL, "git lfs pull");
    expect_error("DDS |", 5, ERR_BAD_MODEL, "DDS pictures are not read");
    expect_error("hello, world, this is text", 26, ERR_BAD_MODEL, "not a PNG");
    expect_error(PNG, sizeof PNG - 30, ERR_BAD_MODEL, "PNG: ");
    expect_error("\xff\xd8\xff\xe0 not a jpeg", 15, ERR_BAD_MODEL, "JPEG: ");
}

/* 60000 x 60000 pixels would be 14 GB. */
TEST(image_checks_the_size_before_decoding)
{
    struct image image;
    struct err err = {0};
    assert_true(decode(HUGE_PNG, sizeof HUGE_PNG, &image, &err) < 0);
    assert_null(image.rgba);
    uint8_t tga[sizeof TGA];
    memcpy(tga, TGA, sizeof tga);
    tga[13] = tga[15] = 0x3f; /* 16130 x 16130 */
    assert_int_equal(decode(tga, sizeof tga, &image, &err), ERR_MODEL_LIMIT);
    assert_int_equal(image.width, 0x3f02);
    assert_non_null(strstr(err.message, "16130 x 16130"));
    tga[13] = tga[12] = 0;
    assert_true(decode(tga, sizeof tga, &image, &err) < 0);
}

TEST(image_notices_a_short_tga)
{
    struct image image;
    struct err err;
    assert_int_equal(decode(TGA, sizeof TGA - 5, &image, &err), 0);
    assert_true(image.is_damaged);
    image_fini(&image);
}

/* Whatever happens, it is a picture of the size that the header says or an error, and no read past the end. */
static void try(const uint8_t *bytes, size_t size_bytes)
{
    struct image image;
    struct err err = {0};
    if (decode(bytes, size_bytes, &image, &err) == 0) {
        volatile uint8_t sum = 0;
        for (size_t i = 0; i < (size_t)image.width * image.height * 4; i++)
            sum = (uint8_t)(sum + image.rgba[i]);
    } else {
        assert_true(err.message[0] != '\0');
        assert_null(image.rgba);
    }
    image_fini(&image);
}

static void mutate(const uint8_t *bytes, size_t size_bytes)
{
    static const uint8_t VALUES[] = {0, 1, 0x7f, 0x80, 0xff};
    uint8_t *copy = malloc(size_bytes);
    assert_non_null(copy);
    for (size_t size = 0; size < size_bytes; size++)
        try(bytes, size);
    for (size_t i = 0; i < size_bytes; i++)
        for (size_t v = 0; v < sizeof VALUES; v++) {
            memcpy(copy, bytes, size_bytes);
            copy[i] = VALUES[v];
            try(copy, size_bytes);
        }
    free(copy);
}

TEST(image_survives_truncation_and_changed_bytes)
{
    mutate(PNG, sizeof PNG);
    mutate(TGA, sizeof TGA);
    mutate(BMP, sizeof BMP);
    uint8_t *jpeg, *webp = NULL;
    const size_t jpeg_size = make_jpeg(&jpeg);
    mutate(jpeg, jpeg_size);
    tjFree(jpeg);
    const size_t webp_size = WebPEncodeLosslessRGBA(PNG_PIXELS, 2, 2, 8, &webp);
    mutate(webp, webp_size);
    WebPFree(webp);
}
