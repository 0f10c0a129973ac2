#include "tests/unit/support/check.h"

#include "import/texture/texture_image.h"

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

/* The odd kinds of PNG: 16 bits a channel; a palette of four with alpha for the first two; grey with alpha; one bit a
 * pixel, of which white is see-through. */
static const uint8_t PNG_16[] = {
    137, 80,  78, 71,  13,  10,  26,  10,  0,   0,   0,   13,  73, 72, 68,  82,  0,   0,   0,   2,   0,   0,   0,   2,
    16,  6,   0,  0,   0,   34,  38,  209, 103, 0,   0,   0,   38, 73, 68,  65,  84,  120, 218, 13,  199, 201, 1,   0,
    48,  8,   2,  48,  188, 117, 107, 54,  167, 205, 47,  144, 0,  82, 186, 219, 157, 249, 139, 112, 55,  35,  187, 171,
    50,  129, 7,  198, 30,  8,   85,  20,  45,  226, 244, 0,   0,  0,  0,   73,  69,  78,  68,  174, 66,  96,  130};
static const uint8_t PNG_PALETTE[] = {
    137, 80, 78,  71,  13,  10, 26, 10, 0,   0,   0,   13, 73,  72,  68,  82,  0,   0,   0,   2,  0,  0,
    0,   2,  2,   3,   0,   0,  0,  15, 216, 229, 183, 0,  0,   0,   12,  80,  76,  84,  69,  9,  8,  7,
    12,  11, 10,  3,   2,   1,  6,  5,  4,   213, 14,  77, 114, 0,   0,   0,   2,   116, 82,  78, 83, 255,
    128, 8,  15,  179, 106, 0,  0,  0,  12,  73,  68,  65, 84,  120, 218, 99,  144, 96,  216, 0,  0,  0,
    252, 0,  201, 99,  238, 65, 78, 0,  0,   0,   0,   73, 69,  78,  68,  174, 66,  96,  130};
static const uint8_t PNG_GREY_ALPHA[] = {137, 80,  78,  71,  13, 10,  26,  10,  0,  0,  0,  13,  73,  72,  68,
                                         82,  0,   0,   0,   2,  0,   0,   0,   2,  8,  4,  0,   0,   0,   216,
                                         191, 197, 175, 0,   0,  0,   18,  73,  68, 65, 84, 120, 218, 99,  224,
                                         250, 47,  210, 192, 32, 199, 160, 241, 31, 0,  13, 175, 2,   227, 209,
                                         88,  1,   173, 0,   0,  0,   0,   73,  69, 78, 68, 174, 66,  96,  130};
static const uint8_t PNG_BITS[] = {137, 80,  78,  71,  13,  10,  26, 10,  0,  0,   0,   13,  73,  72,  68, 82,  0,
                                   0,   0,   2,   0,   0,   0,   2,  1,   0,  0,   0,   0,   90,  205, 48, 137, 0,
                                   0,   0,   2,   116, 82,  78,  83, 0,   1,  1,   148, 253, 174, 0,   0,  0,   12,
                                   73,  68,  65,  84,  120, 218, 99, 112, 96, 104, 0,   0,   1,   68,  0,  193, 4,
                                   135, 207, 250, 0,   0,   0,   0,  73,  69, 78,  68,  174, 66,  96,  130};

TEST(image_decodes_every_kind_of_png)
{
    static const uint8_t DEEP[] = {255, 0, 128, 255, 9, 8, 7, 255, 3, 2, 1, 128, 6, 5, 4, 0};
    static const uint8_t OF_PALETTE[] = {9, 8, 7, 255, 12, 11, 10, 128, 3, 2, 1, 255, 6, 5, 4, 255};
    static const uint8_t GREY_ALPHA[] = {10, 10, 10, 255, 20, 20, 20, 128, 30, 30, 30, 0, 40, 40, 40, 255};
    static const uint8_t BITS[] = {0, 0, 0, 255, 255, 255, 255, 0, 255, 255, 255, 0, 0, 0, 0, 255};
    check_pixels(PNG_16, sizeof PNG_16, DEEP, 0);
    check_pixels(PNG_PALETTE, sizeof PNG_PALETTE, OF_PALETTE, 0);
    check_pixels(PNG_GREY_ALPHA, sizeof PNG_GREY_ALPHA, GREY_ALPHA, 0);
    check_pixels(PNG_BITS, sizeof PNG_BITS, BITS, 0);
}

/* 24 bits, run-length encoded, top row first: two of one pixel in a run, two as they are; and with a palette. */
static const uint8_t TGA_RUNS[] = {0, 0,  10,   0,    0, 0, 0, 0,    0, 0, 0, 0, 2, 0, 2,
                                   0, 24, 0x20, 0x81, 7, 8, 9, 0x01, 1, 2, 3, 4, 5, 6};
static const uint8_t TGA_PALETTE[] = {0, 1, 1, 0,    0, 2, 0, 24, 0, 0, 0, 0, 2, 0,
                                      2, 0, 8, 0x20, 7, 8, 9, 1,  2, 3, 0, 1, 1, 0};
/* 32 bits, height -2: top row first; alpha is not said to be there (BITMAPINFOHEADER), but is. */
static const uint8_t BMP_TOP_DOWN[] = {66, 77, 70, 0,   0,    0,    0,    0,    0, 0, 54, 0,   0, 0, 40, 0, 0,  0,
                                       2,  0,  0,  0,   0xfe, 0xff, 0xff, 0xff, 1, 0, 32, 0,   0, 0, 0,  0, 16, 0,
                                       0,  0,  0,  0,   0,    0,    0,    0,    0, 0, 0,  0,   0, 0, 0,  0, 0,  0,
                                       7,  8,  9,  255, 10,   11,   12,   255,  1, 2, 3,  128, 4, 5, 6,  0};

TEST(image_decodes_every_kind_of_tga_and_bmp)
{
    static const uint8_t RUNS[] = {9, 8, 7, 255, 9, 8, 7, 255, 3, 2, 1, 255, 6, 5, 4, 255};
    static const uint8_t OF_PALETTE[] = {9, 8, 7, 255, 3, 2, 1, 255, 3, 2, 1, 255, 9, 8, 7, 255};
    static const uint8_t TOP_DOWN[] = {9, 8, 7, 255, 12, 11, 10, 255, 3, 2, 1, 128, 6, 5, 4, 0};
    check_pixels(TGA_RUNS, sizeof TGA_RUNS, RUNS, 0);
    check_pixels(TGA_PALETTE, sizeof TGA_PALETTE, OF_PALETTE, 0);
    check_pixels(BMP_TOP_DOWN, sizeof BMP_TOP_DOWN, TOP_DOWN, 0);
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

static size_t make_jpeg_of(const uint8_t texel[4], int format, int flags, uint8_t **out)
{
    uint8_t texels[16];
    unsigned long size = 0;
    tjhandle jpeg = tjInitCompress();
    for (int i = 0; i < 16; i++)
        texels[i] = texel[i % 4];
    *out = NULL;
    assert_int_equal(tjCompress2(jpeg, texels, 2, 0, 2, format, out, &size, TJSAMP_444, 100, flags), 0);
    tjDestroy(jpeg);
    return size;
}

static void check_even(const uint8_t *bytes, size_t size_bytes, uint8_t r, uint8_t g, uint8_t b)
{
    const uint8_t texel[4] = {r, g, b, 255};
    uint8_t texels[16];
    for (int i = 0; i < 16; i++)
        texels[i] = texel[i % 4];
    check_pixels(bytes, size_bytes, texels, 2);
}

TEST(image_decodes_progressive_and_cmyk_jpeg)
{
    static const uint8_t ORANGE[4] = {200, 100, 50, 255};
    uint8_t *jpeg;
    size_t size = make_jpeg_of(ORANGE, TJPF_RGBA, TJFLAG_PROGRESSIVE, &jpeg);
    check_even(jpeg, size, 200, 100, 50);
    tjFree(jpeg);
    /* Adobe's inks: 255 for none; libjpeg writes its marker, and stores Y, Cb, Cr of the other way round. */
    static const uint8_t INKS[4] = {204, 102, 255, 128}, GREY[4] = {55, 55, 55, 128};
    size = make_jpeg_of(INKS, TJPF_CMYK, 0, &jpeg);
    check_even(jpeg, size, 102, 51, 128);
    tjFree(jpeg);
    /* Without the marker the stored numbers, Y = 255 - 55, Cb = Cr = 128 and K, are inks, 0 for none. */
    size = make_jpeg_of(GREY, TJPF_CMYK, 0, &jpeg);
    size_t at = 0;
    while (at + 5 <= size && memcmp(jpeg + at, "Adobe", 5) != 0)
        at++;
    assert_true(at + 5 <= size);
    jpeg[at] = 'X';
    check_even(jpeg, size, 27, 64, 64); /* (255 - 200) * 127 / 255, 127 * 127 / 255 */
    tjFree(jpeg);
}

/* A chunk of a WebP file, its number of bytes even here. */
static size_t put_chunk(uint8_t *out, const char *name, const void *bytes, size_t size_bytes)
{
    memcpy(out, name, 4);
    for (int i = 0; i < 4; i++)
        out[4 + i] = (uint8_t)(size_bytes >> 8 * i);
    memcpy(out + 8, bytes, size_bytes);
    return 8 + size_bytes;
}

/* An animation on a canvas of 4 x 2 whose first frame is 2 x 2, at the right. */
static size_t make_animation(uint8_t *out, const uint8_t pixels[16])
{
    static const uint8_t CANVAS[10] = {0x12, 0, 0, 0, 3, 0, 0, 1, 0, 0}, LOOP[6] = {0};
    uint8_t frame[400] = {[0] = 1, [6] = 1, [9] = 1, [12] = 100};
    uint8_t *webp = NULL;
    const size_t webp_size = WebPEncodeLosslessRGBA(pixels, 2, 2, 8, &webp);
    assert_true(webp_size > 12 && webp_size < sizeof frame - 16);
    memcpy(frame + 16, webp + 12, webp_size - 12);
    WebPFree(webp);
    memcpy(out, "RIFF\0\0\0\0WEBP", 12);
    size_t size = 12;
    size += put_chunk(out + size, "VP8X", CANVAS, sizeof CANVAS);
    size += put_chunk(out + size, "ANIM", LOOP, sizeof LOOP);
    size += put_chunk(out + size, "ANMF", frame, 16 + webp_size - 12);
    size += put_chunk(out + size, "ANMF", frame, 16 + webp_size - 12);
    out[4] = (uint8_t)(size - 8);
    out[5] = (uint8_t)((size - 8) >> 8);
    return size;
}

TEST(image_takes_an_animations_first_frame)
{
    static const uint8_t EXPECTED[] = {0, 0, 0, 0, 0, 0, 0, 0, 9, 8, 7, 255, 12, 11, 10, 255,
                                       0, 0, 0, 0, 0, 0, 0, 0, 3, 2, 1, 255, 6,  5,  4,  255};
    uint8_t webp[1000];
    struct image image;
    struct err err = {0};
    const size_t size = make_animation(webp, BLUE_FIRST_PIXELS);
    if (decode(webp, size, &image, &err) < 0)
        fail_msg("%s", err.message);
    assert_int_equal(image.width, 4);
    assert_memory_equal(image.rgba, EXPECTED, sizeof EXPECTED);
    image_fini(&image);
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
    expect_error("GIF89a", 6, ERR_BAD_MODEL, "GIF pictures are not read");
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
    uint8_t animation[1000];
    mutate(animation, make_animation(animation, BLUE_FIRST_PIXELS));
    mutate(TGA_RUNS, sizeof TGA_RUNS);
    mutate(PNG_PALETTE, sizeof PNG_PALETTE);
    static const uint8_t INKS[4] = {204, 102, 255, 128};
    const size_t cmyk_size = make_jpeg_of(INKS, TJPF_CMYK, 0, &jpeg);
    mutate(jpeg, cmyk_size);
    tjFree(jpeg);
    WebPFree(webp);
}
