/* Colours of materials in pictures: a card in even white light has its base colour, and so has a ball in the studio at
 * its bright side. Both are at a rotated, unevenly scaled node far from the origin. Skipped if there is no GL. */
#include "tests/unit/support/check.h"
#include "tests/unit/support/fixture.h"
#include "tests/unit/support/png_pixels.h"
#include "tests/unit/support/shared_renderer.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { SIDE = 96, RINGS = 24, SECTORS = 32, BALL_VERTICES = (RINGS + 1) * (SECTORS + 1) };

static const float PLACE[3] = {40, -7, 12}, SCALE[3] = {2, 0.5f, 3}, TURN[4] = {0.5f, -0.1f, 0.7f, 0.5f}; /* a unit */

/* v turned back by TURN. */
static struct vec3 turned_back(struct vec3 v)
{
    const float x = -TURN[0], y = -TURN[1], z = -TURN[2], w = TURN[3];
    const float a = 2 * (y * v.z - z * v.y), b = 2 * (z * v.x - x * v.z), c = 2 * (x * v.y - y * v.x);
    return (struct vec3){v.x + w * a + y * c - z * b, v.y + w * b + z * a - x * c, v.z + w * c + x * b - y * a};
}

/* What the node's transform takes to this place, and this normal, of the scene. */
static struct vec3 position_for(struct vec3 p)
{
    const struct vec3 v = turned_back(p);
    return (struct vec3){v.x / SCALE[0], v.y / SCALE[1], v.z / SCALE[2]};
}
static struct vec3 normal_for(struct vec3 n)
{
    const struct vec3 v = turned_back(n), s = {v.x * SCALE[0], v.y * SCALE[1], v.z * SCALE[2]};
    const float length = sqrtf(s.x * s.x + s.y * s.y + s.z * s.z);
    return (struct vec3){s.x / length, s.y / length, s.z / length};
}

static struct material *start(struct fixture *f, const struct vec3 *positions, const struct vec3 *normals,
                              uint32_t vertex_count, const uint32_t *indices, uint32_t index_count)
{
    struct vec3 local[BALL_VERTICES];
    fixture_init(f);
    for (uint32_t v = 0; v < vertex_count; v++)
        local[v] = position_for(positions[v]);
    const uint32_t mesh = fixture_mesh(f, local, vertex_count);
    struct bake_builder *b = &f->builder;
    bake_add_index(b, index_count - b->index_count);
    memcpy(b->indices, indices, index_count * sizeof *indices);
    for (uint32_t v = 0; v < vertex_count; v++)
        b->normals[v] = normal_for(normals[v]);
    b->primitives[0].topology = TOPOLOGY_TRIANGLES;
    b->primitives[0].index_count = index_count;
    b->primitives[0].material = 0;
    struct material *material = bake_add_material(b, 1);
    *material = MATERIAL_PLAIN;
    material->flags = MATERIAL_DOUBLE_SIDED;
    const uint32_t node = fixture_node(f, -1, PLACE, TURN, SCALE);
    b->nodes[node].mesh = (int32_t)mesh;
    fixture_root(f, node);
    return material;
}

/* From (-1, -1) to (1, 1), facing the camera. */
static struct material *start_card(struct fixture *f)
{
    static const struct vec3 CORNERS[4] = {{-1, -1, 0}, {1, -1, 0}, {1, 1, 0}, {-1, 1, 0}};
    static const struct vec3 NORMALS[4] = {{0, 0, 1}, {0, 0, 1}, {0, 0, 1}, {0, 0, 1}};
    static const uint32_t INDICES[6] = {0, 1, 2, 0, 2, 3};
    return start(f, CORNERS, NORMALS, 4, INDICES, 6);
}

static struct material *start_ball(struct fixture *f)
{
    struct vec3 points[BALL_VERTICES];
    uint32_t indices[RINGS * SECTORS * 6], count = 0;
    for (int r = 0; r <= RINGS; r++)
        for (int s = 0; s <= SECTORS; s++) {
            const double polar = M_PI * r / RINGS, around = 2 * M_PI * s / SECTORS;
            points[r * (SECTORS + 1) + s] =
                (struct vec3){(float)(sin(polar) * cos(around)), (float)cos(polar), (float)(sin(polar) * sin(around))};
        }
    for (uint32_t r = 0; r < RINGS; r++)
        for (uint32_t s = 0; s < SECTORS; s++) {
            const uint32_t first = r * (SECTORS + 1) + s, below = first + SECTORS + 1;
            const uint32_t corners[6] = {first, below, first + 1, first + 1, below, below + 1};
            memcpy(indices + count, corners, sizeof corners);
            count += 6;
        }
    return start(f, points, points, BALL_VERTICES, indices, count);
}

static double encoded(double linear)
{
    return 255 * (linear <= 0.0031308 ? 12.92 * linear : 1.055 * pow(linear, 1 / 2.4) - 0.055);
}

static void set_color(struct material *material, const float rgb[3])
{
    memcpy(material->base_color, rgb, 3 * sizeof *rgb);
}

static struct png_pixels draw(struct fixture *f, uint32_t light, uint32_t tone, double stops)
{
    const struct picture_spec picture = {
        .width = SIDE, .height = SIDE, .light = light, .tone = tone, .exposure_stops = stops};
    struct buf png;
    struct png_pixels pixels;
    fixture_finish(f);
    assert_int_equal(shared_renderer_draw(f, &picture, 0, &png), 0);
    png_pixels_init(&pixels, &png);
    buf_fini(&png);
    fixture_fini(f);
    return pixels;
}

/* The middle of the card, and the end of the fixture. */
static void read_middle(struct fixture *f, uint32_t light, uint32_t tone, double stops, int rgb[3])
{
    struct png_pixels p = draw(f, light, tone, stops);
    for (int c = 0; c < 3; c++)
        rgb[c] = p.pixels[4 * (SIDE / 2 * SIDE + SIDE / 2) + c];
    png_pixels_fini(&p);
}

/* By the program for rough dielectrics and by the one for mirrors. */
TEST(true_colours_are_base_colours_in_even_white_light)
{
    static const float COLORS[][3] = {{0.04f, 0.04f, 0.04f}, {0.08f, 0.08f, 0.08f}, {0.2f, 0.2f, 0.2f},
                                      {0.5f, 0.5f, 0.5f},    {0.76f, 0.76f, 0.76f}, {0.76f, 0.04f, 0.04f},
                                      {0.04f, 0.3f, 0.1f},   {0.1f, 0.05f, 0.7f},   {0.7f, 0.3f, 0.05f}};
    for (size_t i = 0; i < sizeof COLORS / sizeof *COLORS; i++)
        for (int rough = 0; rough < 4; rough++) {
            static const float ROUGHNESSES[] = {0.4f, 0.5f, 0.75f, 1};
            struct fixture f;
            struct material *material = start_card(&f);
            int found[3];
            set_color(material, COLORS[i]);
            material->roughness = ROUGHNESSES[rough];
            read_middle(&f, LIGHT_FLAT, TONE_NEUTRAL, 0, found);
            for (int c = 0; c < 3; c++) {
                const double expected = encoded((double)COLORS[i][c]);
                if (fabs(found[c] - expected) > fmax(1.5, 0.02 * expected))
                    fail_msg("channel %d of color %zu is %d at roughness %g, not %g", c, i, found[c],
                             (double)ROUGHNESSES[rough], expected);
            }
        }
}

/* Metals have the colour that they reflect. */
TEST(true_colours_of_metals_in_even_white_light)
{
    static const float GOLD[3] = {0.7f, 0.5f, 0.2f};
    for (int rough = 0; rough <= 1; rough++) { /* rougher ones are darker: facets cover each other */
        struct fixture f;
        struct material *material = start_card(&f);
        int found[3];
        set_color(material, GOLD);
        material->metallic = 1;
        material->roughness = 0.25f * (float)rough;
        read_middle(&f, LIGHT_FLAT, TONE_NEUTRAL, 0, found);
        for (int c = 0; c < 3; c++)
            assert_true(fabs(found[c] - encoded((double)GOLD[c])) <= 10);
    }
}

/* A rough metal that lacks a channel reflects none of it, and as much of the others as one that nearly lacks it. */
TEST(true_colours_of_metals_without_a_channel)
{
    for (int which = 0; which < 7; which++) {
        int found[2][3];
        for (int near = 0; near < 2; near++) {
            const float least = near ? 0.002f : 0;
            const float color[3] = {(which & 1) != 0 ? 0.6f : least, (which & 2) != 0 ? 0.6f : least,
                                    (which & 4) != 0 ? 0.6f : least};
            struct fixture f;
            struct material *material = start_card(&f);
            set_color(material, color);
            material->metallic = 1;
            material->roughness = 1;
            read_middle(&f, LIGHT_FLAT, TONE_NEUTRAL, 0, found[near]);
        }
        for (int c = 0; c < 3; c++)
            if (abs(found[0][c] - found[1][c]) > 6 || ((which >> c & 1) != 0 && found[0][c] < 120))
                fail_msg("channel %d of color %d is %d, and of its neighbour %d", c, which, found[0][c], found[1][c]);
    }
}

static int compare_light(const void *a, const void *b)
{
    const uint8_t *x = a, *y = b;
    const int first = 2 * x[0] + 7 * x[1] + x[2], second = 2 * y[0] + 7 * y[1] + y[2];
    return first < second ? 1 : first > second ? -1 : 0;
}

/* Of each pixel of the brightest tenth. */
TEST(true_colours_are_seen_where_the_studio_lights_a_ball)
{
    static const uint8_t COLORS[][3] = {{200, 20, 20},  {20, 160, 40},   {30, 40, 200},  {230, 120, 20},
                                        {240, 220, 30}, {20, 20, 20},    {60, 40, 30},   {128, 128, 128},
                                        {90, 110, 60},  {224, 224, 224}, {0, 0, 0},      {255, 255, 255},
                                        {255, 0, 0},    {0, 0, 255},     {200, 180, 220}};
    for (size_t i = 0; i < sizeof COLORS / sizeof *COLORS; i++)
        for (int rough = 0; rough < 2; rough++) {
            struct fixture f;
            struct material *material = start_ball(&f);
            float color[3];
            for (int c = 0; c < 3; c++)
                color[c] = powf(((float)COLORS[i][c] / 255 + 0.055f) / 1.055f, 2.4f);
            set_color(material, color);
            material->roughness = rough ? 1 : 0.9f;
            struct png_pixels p = draw(&f, LIGHT_STUDIO, TONE_NEUTRAL, 0);
            uint32_t count = 0;
            for (uint32_t at = 0; at < SIDE * SIDE; at++)
                if (p.pixels[4 * at + 3] == 255)
                    memmove(p.pixels + 4 * count++, p.pixels + 4 * at, 4);
            assert_true(count > SIDE * SIDE / 3);
            qsort(p.pixels, count, 4, compare_light);
            for (uint32_t at = 0; at < count / 10; at++)
                for (int c = 0; c < 3; c++)
                    if (abs(p.pixels[4 * at + (uint32_t)c] - COLORS[i][c]) > 24)
                        fail_msg("color %zu, pixel %u: channel %d is %d, not %d", i, at, c,
                                 p.pixels[4 * at + (uint32_t)c], COLORS[i][c]);
            /* it is a ball and no disc: its dark side has less than half the light */
            const uint8_t *dark = p.pixels + 4 * (count - count / 10);
            if (COLORS[i][1] > 100)
                assert_true(dark[1] < 0.85 * p.pixels[1]);
            png_pixels_fini(&p);
        }
}

TEST(true_colours_double_with_a_stop_where_no_tone_map_bends_them)
{
    static const float GREY[3] = {0.1f, 0.1f, 0.1f};
    double light[4];
    for (int stops = -1; stops <= 2; stops++) {
        struct fixture f;
        int found[3];
        set_color(start_card(&f), GREY);
        read_middle(&f, LIGHT_FLAT, TONE_NONE, stops, found);
        light[stops + 1] = pow((found[0] / 255.0 + 0.055) / 1.055, 2.4);
    }
    for (int i = 0; i < 3; i++)
        CHECK_NEAR(light[i + 1] / light[i], 2, 0.08);
}

/* As bright as can be is white, not a number that broke. */
TEST(true_colours_of_what_blinds)
{
    for (uint32_t tone = 0; tone < TONE_COUNT; tone++) {
        struct fixture f;
        int found[3];
        memcpy(start_card(&f)->emissive, (const float[3]){1e6f, 1e6f, 1e6f}, 3 * sizeof(float));
        read_middle(&f, LIGHT_OUTDOOR, tone, PICTURE_STOPS_MAX, found);
        for (int c = 0; c < 3; c++)
            assert_in_range(found[c], 250, 255);
    }
}

/* Each tone map in its own way: cut off, bent, and paled. */
TEST(true_colours_of_tone_maps_where_it_is_bright)
{
    static const float ORANGE[3] = {0.8f, 0.3f, 0.05f};
    int found[TONE_COUNT][3];
    for (uint32_t tone = 0; tone < TONE_COUNT; tone++) {
        struct fixture f;
        set_color(start_card(&f), ORANGE);
        read_middle(&f, LIGHT_FLAT, tone, 2, found[tone]);
    }
    assert_int_equal(found[TONE_NONE][0], 255);
    assert_int_equal(found[TONE_NONE][1], 255);
    assert_in_range(found[TONE_NEUTRAL][0], 240, 254);
    assert_true(found[TONE_NEUTRAL][0] > found[TONE_NEUTRAL][1] + 20 &&
                found[TONE_NEUTRAL][1] > found[TONE_NEUTRAL][2] + 20);
    assert_true(found[TONE_ACES][0] > found[TONE_ACES][1] && found[TONE_ACES][2] > found[TONE_NONE][2]);
}

/* --- environments --- */

/* A mirror that leans towards the key light shows it; one that leans to the floor does not. */
TEST(true_colours_of_mirrors_show_the_studio)
{
    struct fixture f;
    struct material *material = start_ball(&f);
    material->metallic = 1;
    material->roughness = 0.05f;
    struct png_pixels p = draw(&f, LIGHT_STUDIO, TONE_NEUTRAL, 0);
    const uint8_t *key = p.pixels + 4 * ((SIDE / 2 - SIDE / 9) * SIDE + SIDE / 2 - SIDE / 7);
    const uint8_t *floor = p.pixels + 4 * ((SIDE / 2 + SIDE / 5) * SIDE + SIDE / 2);
    assert_true(key[1] > 220 && floor[1] < 190 && floor[1] > 60);
    png_pixels_fini(&p);
}

TEST(true_colours_are_lit_alike_from_all_sides)
{
    int found[2][3];
    for (int side = 0; side < 2; side++) {
        struct fixture f;
        struct buf png;
        struct png_pixels p;
        const struct picture_spec picture = {.width = SIDE, .height = SIDE, .yaw_deg = 130.0 * side};
        start_ball(&f);
        fixture_finish(&f);
        assert_int_equal(shared_renderer_draw(&f, &picture, 0, &png), 0);
        png_pixels_init(&p, &png);
        for (int c = 0; c < 3; c++)
            found[side][c] = p.pixels[4 * (SIDE / 3 * SIDE + SIDE / 3) + c];
        png_pixels_fini(&p);
        buf_fini(&png);
        fixture_fini(&f);
    }
    for (int c = 0; c < 3; c++)
        assert_in_range(abs(found[0][c] - found[1][c]), 0, 2);
}
