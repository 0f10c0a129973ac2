/* server/render/image/caption.h: words of any length and any bytes, within their band. */
#include "render/image/caption.h"
#include "tests/unit/support/check.h"

#include <stdlib.h>
#include <string.h>

enum { WIDTH = 120, HEIGHT = 16, STRIDE = 140, ROWS = 20, TOP = 2, LEFT = 10 };

struct picture {
    uint8_t pixels[ROWS][STRIDE][4];
};

/* Draws into the middle of a picture of one colour. */
static int draw_in(struct picture *picture, const char *name, const char *rest, const uint8_t background[4],
                   uint32_t width)
{
    static struct caption_font *font;
    struct err err = {0};
    if (font == NULL)
        font = caption_font_load();
    for (int y = 0; y < ROWS; y++)
        for (int x = 0; x < STRIDE; x++)
            memcpy(picture->pixels[y][x], background, 4);
    const struct caption caption = {.name = name, .name_bytes = strlen(name), .rest = rest};
    const struct caption_band band = {
        .pixels = picture->pixels[TOP][LEFT], .stride = STRIDE, .width = width, .height = HEIGHT};
    return caption_draw(font, &caption, &band, &err);
}

static const uint8_t WHITE[4] = {255, 255, 255, 255}, NIGHT[4] = {10, 20, 40, 255}, NOTHING[4] = {0, 0, 0, 0};

/* How many columns of the band are not the background; fails for pixels outside. */
static int count_columns(const struct picture *picture, const uint8_t background[4], uint32_t width)
{
    int count = 0;
    for (int x = 0; x < STRIDE; x++) {
        bool is_used = false;
        for (int y = 0; y < ROWS; y++) {
            const bool is_changed = memcmp(picture->pixels[y][x], background, 4) != 0;
            if (is_changed && (x < LEFT || x >= LEFT + (int)width || y < TOP || y >= TOP + HEIGHT))
                fail_msg("pixel %d, %d lies outside of the band", x, y);
            is_used = is_used || is_changed;
        }
        count += is_used;
    }
    return count;
}

static struct picture *draw(const char *name, const char *rest, const uint8_t background[4], uint32_t width)
{
    struct picture *picture = calloc(1, sizeof *picture);
    assert_non_null(picture);
    if (draw_in(picture, name, rest, background, width) == ERR_UNAVAILABLE)
        skip();
    return picture;
}

TEST(captions_are_dark_on_light_and_light_on_dark)
{
    struct picture *on_white = draw("run", " 1.00 s", WHITE, WIDTH), *on_night = draw("run", " 1.00 s", NIGHT, WIDTH);
    struct picture *on_nothing = draw("run", " 1.00 s", NOTHING, WIDTH);
    int darkest = 255, lightest = 0;
    bool has_dark = false, has_light = false;
    for (int y = 0; y < ROWS; y++)
        for (int x = 0; x < STRIDE; x++) {
            const int white = on_white->pixels[y][x][1], night = on_night->pixels[y][x][1];
            const uint8_t *outlined = on_nothing->pixels[y][x];
            darkest = white < darkest ? white : darkest;
            lightest = night > lightest ? night : lightest;
            assert_int_equal(on_white->pixels[y][x][3], 255);
            has_dark = has_dark || (outlined[3] > 150 && outlined[1] < 30);
            has_light = has_light || (outlined[3] > 200 && outlined[1] > 220);
        }
    assert_true(darkest < 40 && lightest > 220 && has_dark && has_light);
    assert_in_range(count_columns(on_white, WHITE, WIDTH), 40, 90);
    free(on_white);
    free(on_night);
    free(on_nothing);
}

/* A name gives way to what follows it; both to the band. */
TEST(captions_end_with_an_ellipsis)
{
    const char *const name = "a very long name for a clip, and it goes on and on and on";
    struct picture *whole = draw(name, " 1.00 s", WHITE, WIDTH), *cut = draw("a very l…", " 1.00 s", WHITE, WIDTH);
    assert_in_range(count_columns(whole, WHITE, WIDTH), 70, WIDTH);
    assert_true(count_columns(whole, WHITE, WIDTH) >= count_columns(cut, WHITE, WIDTH) - 20);
    struct picture *narrow = draw(name, " 1.00 s", WHITE, 24), *tiny = draw(name, " 1.00 s", WHITE, 1);
    assert_in_range(count_columns(narrow, WHITE, 24), 5, 24);
    count_columns(tiny, WHITE, 1);
    free(whole);
    free(cut);
    free(narrow);
    free(tiny);
}

TEST(captions_take_any_bytes)
{
    char *endless = malloc(5000);
    assert_non_null(endless);
    memset(endless, 'W', 4999);
    endless[4999] = '\0';
    const char *const names[] = {
        "",     "\n\t\x01", "\xff\xfe broken \xc3", "\xe8\xb5\xb0\xe3\x82\x8b", "\xf0\x9f\xa4\x96", "\xe2\x80\xae rtl",
        endless};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        struct picture *picture = draw(names[i], " 0.50 s", NIGHT, WIDTH);
        assert_in_range(count_columns(picture, NIGHT, WIDTH), 20, WIDTH);
        free(picture);
        free(draw(names[i], "", NOTHING, WIDTH));
    }
    free(endless);
}
