/* DDS pictures of worked blocks; 100 blocks of each kind were compared with another decoder, within 1 of 255. */
#include "tests/unit/support/check.h"

#include "import/texture/texture_image.h"

#include <stdlib.h>
#include <string.h>

enum { HEADER = 128, EXTENDED = 148, DATA_MAX = 64 };

static struct limits limits;

static void put32(uint8_t *at, uint32_t value)
{
    for (int i = 0; i < 4; i++)
        at[i] = (uint8_t)(value >> 8 * i);
}

struct dds {
    uint8_t bytes[EXTENDED + DATA_MAX];
    size_t size_bytes;
};

/* 4 x 4 pixels; `fourcc` NULL: pixels of the masks. A format makes a header of version 10. */
static struct dds file_of(const char *fourcc, uint32_t format, const uint8_t *data, size_t data_bytes)
{
    struct dds file = {.size_bytes = (format != 0 ? EXTENDED : HEADER) + data_bytes};
    memcpy(file.bytes, "DDS ", 4);
    put32(file.bytes + 4, 124);
    put32(file.bytes + 12, 4);
    put32(file.bytes + 16, 4);
    put32(file.bytes + 80, fourcc != NULL || format != 0 ? 4 : 0);
    memcpy(file.bytes + 84, format != 0 ? "DX10" : fourcc != NULL ? fourcc : "\0\0\0\0", 4);
    if (format != 0)
        put32(file.bytes + HEADER, format);
    memcpy(file.bytes + file.size_bytes - data_bytes, data, data_bytes);
    return file;
}

static int decode(const struct dds *file, size_t size_bytes, struct image *image, struct err *err)
{
    limits_default(&limits);
    uint8_t *copy = malloc(size_bytes); /* of exactly that size, so that ASan sees a read past its end */
    assert_non_null(copy);
    memcpy(copy, file->bytes, size_bytes);
    const int rc = image_decode(copy, size_bytes, &limits, image, err);
    free(copy);
    return rc;
}

/* The first pixels of a picture. */
static void expect(const struct dds *file, const uint8_t (*pixels)[4], int count)
{
    struct image image;
    struct err err = {0};
    if (decode(file, file->size_bytes, &image, &err) < 0)
        fail_msg("%s", err.message);
    assert_int_equal(image.width, 4);
    assert_false(image.is_damaged);
    for (int p = 0; p < count; p++)
        for (int c = 0; c < 4; c++)
            if (image.rgba[4 * p + c] != pixels[p][c])
                fail_msg("pixel %d, channel %d: %d, expected %d", p, c, image.rgba[4 * p + c], pixels[p][c]);
    image_fini(&image);
}

/* Red 0xf800, then blue 0x001f, and pixels with the indices 0, 1, 2, 3 in each row. */
#define RED_TO_BLUE 0x00, 0xf8, 0x1f, 0x00, 0xe4, 0xe4, 0xe4, 0xe4
#define BLUE_TO_RED 0x1f, 0x00, 0x00, 0xf8, 0xe4, 0xe4, 0xe4, 0xe4

TEST(dds_colors_lie_between_two)
{
    static const uint8_t FOUR[] = {RED_TO_BLUE}, THREE[] = {BLUE_TO_RED};
    const struct dds four = file_of("DXT1", 0, FOUR, 8), three = file_of("DXT1", 0, THREE, 8);
    const struct dds again = file_of(NULL, 71, FOUR, 8);
    static const uint8_t BETWEEN[][4] = {{255, 0, 0, 255}, {0, 0, 255, 255}, {170, 0, 85, 255}, {85, 0, 170, 255}};
    expect(&four, BETWEEN, 4);
    expect(&again, BETWEEN, 4);
    expect(&three, (const uint8_t[][4]){{0, 0, 255, 255}, {255, 0, 0, 255}, {127, 0, 127, 255}, {0, 0, 0, 0}}, 4);
}

TEST(dds_alpha_is_of_four_bits_or_between_two)
{
    static const uint8_t BITS[] = {0x10, 0xf2, 0, 0, 0, 0, 0, 0, BLUE_TO_RED};
    static const uint8_t SEVEN[] = {210, 0, 0x88, 0x0e, 0, 0, 0, 0, BLUE_TO_RED}; /* 0, 1, 2, 7 */
    static const uint8_t FIVE[] = {0, 100, 0xb2, 0x0f, 0, 0, 0, 0, BLUE_TO_RED};  /* 2, 6, 6, 7 */
    const struct dds bits = file_of("DXT3", 0, BITS, 16), seven = file_of("DXT5", 0, SEVEN, 16);
    const struct dds five = file_of(NULL, 77, FIVE, 16);
    expect(&bits, (const uint8_t[][4]){{0, 0, 255, 0}, {255, 0, 0, 17}, {85, 0, 170, 34}, {170, 0, 85, 255}}, 4);
    expect(&seven, (const uint8_t[][4]){{0, 0, 255, 210}, {255, 0, 0, 0}, {85, 0, 170, 180}, {170, 0, 85, 30}}, 4);
    expect(&five, (const uint8_t[][4]){{0, 0, 255, 20}, {255, 0, 0, 0}, {85, 0, 170, 0}, {170, 0, 85, 255}}, 4);
}

TEST(dds_values_are_greys_and_normals)
{
    static const uint8_t GREY[] = {210, 0, 0x88, 0x0e, 0, 0, 0, 0};
    static const uint8_t SIGNED[] = {127, 0x81, 0x08, 0, 0, 0, 0, 0}; /* 1, then -1 */
    static const uint8_t NORMAL[] = {255, 0, 0x08, 0, 0, 0, 0, 0, 128, 127, 0, 0, 0, 0, 0, 0};
    const struct dds grey = file_of("ATI1", 0, GREY, 8), is_signed = file_of(NULL, 81, SIGNED, 8);
    const struct dds normal = file_of("BC5U", 0, NORMAL, 16);
    expect(&grey, (const uint8_t[][4]){{210, 210, 210, 255}, {0, 0, 0, 255}, {180, 180, 180, 255}, {30, 30, 30, 255}},
           4);
    expect(&is_signed, (const uint8_t[][4]){{255, 255, 255, 255}, {0, 0, 0, 255}}, 2);
    expect(&normal, (const uint8_t[][4]){{255, 128, 128, 255}, {0, 128, 128, 255}}, 2);
}

/* A worked block of mode 6: from white to nearly black; the second pixel is at the end. */
TEST(dds_blocks_of_bc7)
{
    static const uint8_t DATA[] = {0xc0, 0x3f, 0xe0, 0x0f, 0xf8, 0x03, 0xfe, 0xff,
                                   0xf1, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00};
    const struct dds file = file_of(NULL, 98, DATA, sizeof DATA);
    expect(&file, (const uint8_t[][4]){{255, 255, 255, 255}, {1, 1, 1, 255}, {255, 255, 255, 255}}, 3);
}

TEST(dds_pixels_are_of_their_masks)
{
    uint8_t data[64] = {1, 2, 3, 4};
    struct dds file = file_of(NULL, 0, data, 64);
    put32(file.bytes + 80, 0x41);
    put32(file.bytes + 88, 32);
    put32(file.bytes + 92, 0xff0000);
    put32(file.bytes + 96, 0xff00);
    put32(file.bytes + 100, 0xff);
    put32(file.bytes + 104, 0xff000000);
    expect(&file, (const uint8_t[][4]){{3, 2, 1, 4}, {0, 0, 0, 0}}, 2);
    const struct dds rgba = file_of(NULL, 28, data, 64);
    expect(&rgba, (const uint8_t[][4]){{1, 2, 3, 4}}, 1);
    data[1] = 0xf8; /* 16 bits, 5 of them red */
    file = file_of(NULL, 0, data, 32);
    put32(file.bytes + 80, 0x40);
    put32(file.bytes + 88, 16);
    put32(file.bytes + 92, 0xf800);
    put32(file.bytes + 96, 0x7e0);
    put32(file.bytes + 100, 0x1f);
    expect(&file, (const uint8_t[][4]){{255, 0, 8, 255}}, 1);
    file = file_of(NULL, 0, data, 16);
    put32(file.bytes + 80, 0x20000);
    put32(file.bytes + 88, 8);
    put32(file.bytes + 92, 0xff);
    expect(&file, (const uint8_t[][4]){{1, 1, 1, 255}, {0xf8, 0xf8, 0xf8, 255}}, 2);
}

TEST(dds_faults_are_named_and_cut_files_are_damaged)
{
    static const uint8_t DATA[] = {RED_TO_BLUE};
    struct dds file = file_of("DXT1", 0, DATA, 8);
    struct image image;
    struct err err = {0};
    for (size_t size = 4; size < HEADER; size++) {
        assert_int_equal(decode(&file, size, &image, &err), ERR_BAD_MODEL);
        assert_non_null(strstr(err.message, "DDS: the file ends in its header"));
    }
    for (size_t size = HEADER; size < file.size_bytes; size++) {
        assert_int_equal(decode(&file, size, &image, &err), 0);
        assert_true(image.is_damaged);
        image_fini(&image);
    }
    memcpy(file.bytes + 84, "DXT9", 4);
    assert_int_equal(decode(&file, file.size_bytes, &image, &err), ERR_BAD_MODEL);
    assert_non_null(strstr(err.message, "none of BC1 to BC5"));
    file = file_of(NULL, 95, DATA, 8); /* BC6H */
    assert_int_equal(decode(&file, file.size_bytes, &image, &err), ERR_BAD_MODEL);
    file = file_of("DXT1", 0, DATA, 8);
    put32(file.bytes + 12, UINT32_MAX);
    assert_int_equal(decode(&file, file.size_bytes, &image, &err), ERR_MODEL_LIMIT);
    put32(file.bytes + 12, 0);
    assert_int_equal(decode(&file, file.size_bytes, &image, &err), ERR_BAD_MODEL);
}

TEST(dds_survives_changed_bytes)
{
    static const uint8_t DATA[] = {RED_TO_BLUE}, VALUES[] = {0, 1, 4, 0x40, 0x7f, 0xff};
    limits_default(&limits);
    for (int form = 0; form < 2; form++)
        for (size_t i = 4; i < HEADER; i++)
            for (size_t v = 0; v < sizeof VALUES; v++) {
                struct dds file = file_of(form == 0 ? "DXT1" : NULL, form == 0 ? 0 : 28, DATA, 8);
                struct image image;
                struct err err;
                file.bytes[i] = VALUES[v];
                const int rc = decode(&file, file.size_bytes, &image, &err);
                assert_true(rc <= 0 && (rc == 0) == (image.rgba != NULL));
                image_fini(&image);
            }
}
