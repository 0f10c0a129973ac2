#include "render/image/picture.h"
#include "tests/unit/support/check.h"

static void check_sample(const uint8_t *sample, int r, int g, int b, int a)
{
    assert_int_equal(sample[0], r);
    assert_int_equal(sample[1], g);
    assert_int_equal(sample[2], b);
    assert_int_equal(sample[3], a);
}

/* Of two: the first by 0.6 / 2, which is 77 of 255, the second in full. */
TEST(onion_fades_what_is_earlier)
{
    static const uint8_t first[12] = {255, 0, 0, 255, 100, 50, 0, 100, 0, 0, 0, 0};
    static const uint8_t second[12] = {0, 0, 0, 0, 0, 0, 0, 0, 0, 128, 0, 128};
    uint8_t below[12] = {0};
    onion_lay(below, first, 3, 0, 2);
    check_sample(below, 77, 0, 0, 77);
    check_sample(below + 4, 30, 15, 0, 30);
    check_sample(below + 8, 0, 0, 0, 0);
    onion_lay(below, second, 3, 1, 2);
    check_sample(below, 77, 0, 0, 77);
    check_sample(below + 8, 0, 128, 0, 128);
}

/* 255 laid half over 77 leaves half of that. */
TEST(onion_lays_later_over_earlier)
{
    static const uint8_t red[4] = {255, 0, 0, 255}, half_green[4] = {0, 128, 0, 128}, blue[4] = {0, 0, 255, 255};
    uint8_t below[4] = {0};
    onion_lay(below, red, 1, 0, 2);
    onion_lay(below, half_green, 1, 1, 2);
    check_sample(below, 38, 128, 0, 166);
    onion_lay(below, blue, 1, 2, 3);
    check_sample(below, 0, 0, 255, 255);
}

TEST(onion_of_one_is_that_one)
{
    uint8_t samples[4 * 256], below[4 * 256] = {0};
    for (int i = 0; i < 4 * 256; i++)
        samples[i] = (uint8_t)(i / 4);
    onion_lay(below, samples, 256, 0, 1);
    assert_memory_equal(below, samples, sizeof samples);
}

/* The shares rise to 0.6 and never beyond what a byte holds, however many there are. */
TEST(onion_of_many)
{
    static const uint8_t white[4] = {255, 255, 255, 255};
    int last = 0;
    for (uint32_t i = 0; i < 64; i++) {
        uint8_t below[4] = {0};
        onion_lay(below, white, 1, i, 64);
        assert_true(below[3] >= last && (i == 63 ? below[3] == 255 : below[3] <= 153));
        last = below[3];
    }
    uint8_t below[4] = {0};
    for (uint32_t i = 0; i < 1000; i++)
        onion_lay(below, white, 1, i, 1000);
    check_sample(below, 255, 255, 255, 255);
}
