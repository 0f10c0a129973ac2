/* OP_ENVIRONMENT: the light of pictures in JSON, as binary frames and as a Radiance file. */
#include "tests/unit/support/check.h"

#include "anim/light/environment.h"
#include "anim/light/rgbe.h"
#include "base/bytes.h"
#include "import/environment/radiance_file.h"
#include "wire/encode/frames.h"
#include "wire/light/environment_reply.h"
#include "wire/light/radiance_write.h"

#include <cjson/cJSON.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static struct limits limits;

static struct reply answer(enum format format, enum picture_light light)
{
    static const _Atomic bool never;
    struct request request;
    struct reply reply;
    limits_default(&limits);
    request_init(&request);
    request.op = OP_ENVIRONMENT;
    request.format = format;
    request.picture.light = light;
    reply_init(&reply);
    environment_reply_make(&request, NULL, &limits, &never, &reply);
    assert_int_equal(reply.status, 200);
    request_fini(&request);
    return reply;
}

TEST(environment_in_json)
{
    struct reply reply = answer(FORMAT_JSON, LIGHT_OUTDOOR);
    cJSON *json = cJSON_ParseWithLength(reply.body.data, reply.body.size_bytes);
    assert_non_null(json);
    assert_string_equal(cJSON_GetStringValue(cJSON_GetObjectItem(json, "light")), "outdoor");
    assert_true(cJSON_IsNull(cJSON_GetObjectItem(json, "environment")));
    const cJSON *colors = cJSON_GetObjectItem(json, "harmonics");
    assert_int_equal(cJSON_GetArraySize(colors), ENVIRONMENT_HARMONICS);
    for (int i = 0; i < ENVIRONMENT_HARMONICS; i++)
        for (int c = 0; c < 3; c++)
            CHECK_NEAR(cJSON_GetNumberValue(cJSON_GetArrayItem(cJSON_GetArrayItem(colors, i), c)),
                       (double)ENVIRONMENT_OUTDOOR.harmonics.c[i][c], 1e-6);
    cJSON_Delete(json);
    reply_fini(&reply);
}

TEST(environment_in_binary)
{
    struct reply reply = answer(FORMAT_BIN, LIGHT_STUDIO);
    const char *bytes = reply.body.data, *table = bytes + FRAMES_HEADER_BYTES;
    const uint16_t(*texels)[4] = ENVIRONMENT_STUDIO.map;
    assert_string_equal(reply.content_type, FRAMES_CONTENT_TYPE);
    assert_int_equal(get_u16(bytes + 12), FRAMES_ENVIRONMENT);
    assert_int_equal(get_u32(bytes + 16), 0);
    assert_int_equal(get_u32(bytes + 20), 1 + ENVIRONMENT_LEVELS);
    assert_int_equal(get_u64(bytes + 48), reply.body.size_bytes);
    assert_int_equal(get_u16(table), BLOCK_HARMONICS);
    assert_memory_equal(bytes + get_u64(table + 24), ENVIRONMENT_STUDIO.harmonics.c, 9 * 12);
    for (uint32_t level = 0; level < ENVIRONMENT_LEVELS; level++) {
        const char *entry = table + FRAMES_BLOCK_BYTES * (size_t)(1 + level);
        const uint32_t count = get_u32(entry + 16);
        assert_int_equal(get_u16(entry), BLOCK_LIGHT_MAP);
        assert_int_equal(get_u32(entry + 4), level);
        assert_int_equal(count, (128u >> level) * (128u >> level));
        assert_memory_equal(bytes + get_u64(entry + 24), texels, (size_t)count * 8);
        texels += count;
    }
    reply_fini(&reply);
}

static void check_pixel(const struct image *image, uint32_t x, uint32_t y, environment_radiance *radiance)
{
    const double up = (0.5 - (y + 0.5) / image->height) * acos(-1),
                 turn = ((x + 0.5) / image->width - 0.5) * 2 * acos(-1);
    const double d[3] = {cos(up) * cos(turn), sin(up), cos(up) * sin(turn)};
    double wanted[3];
    float rgb[3];
    radiance(NULL, d, wanted);
    rgbe_to_linear(image->rgba + 4 * ((size_t)y * image->width + x), rgb);
    for (int c = 0; c < 3; c++)
        CHECK_NEAR((double)rgb[c], wanted[c], fmax(fmax(wanted[0], wanted[1]), wanted[2]) / 128);
}

/* The written file is read again, and each direction has its light. */
TEST(environment_as_a_radiance_file)
{
    struct reply reply = answer(FORMAT_HDR, LIGHT_OUTDOOR);
    struct image image;
    struct err err = {0};
    assert_string_equal(reply.content_type, "image/vnd.radiance");
    if (radiance_file_decode((const uint8_t *)reply.body.data, reply.body.size_bytes, &limits, &image, &err) < 0)
        fail_msg("%s", err.message);
    assert_int_equal(image.width, 512);
    assert_int_equal(image.height, 256);
    for (uint32_t y = 0; y < image.height; y += 15)
        for (uint32_t x = 0; x < image.width; x += 7)
            check_pixel(&image, x, y, environment_outdoor);
    image_fini(&image);
    reply_fini(&reply);
}

/* Runs of all lengths, and none: a byte changes after 1, 2, 3, .. pixels. */
static void striped(const void *context, const double d[3], double rgb[3])
{
    const int at = (int)((atan2(d[2], d[0]) / (2 * acos(-1)) + 0.5) * 300);
    (void)context;
    rgb[0] = (int)sqrt(2 * at) % 2 == 0 ? 0.5 : 0.75;
    rgb[1] = at % 2 == 0 ? 0.5 : 0.25;
    rgb[2] = 0.5;
}

TEST(radiance_is_written_in_runs_of_all_lengths)
{
    const struct radiance_picture picture = {.radiance = striped, .width = 300, .height = 2};
    struct buf file;
    struct image image;
    struct err err = {0};
    limits_default(&limits);
    buf_init(&file, 0);
    radiance_write(&file, &picture, NULL);
    assert_int_equal(radiance_file_decode((const uint8_t *)file.data, file.size_bytes, &limits, &image, &err), 0);
    assert_true(file.size_bytes < 2 * 4 * 300);
    for (uint32_t y = 0; y < 2; y++)
        for (uint32_t x = 0; x < 300; x++)
            check_pixel(&image, x, y, striped);
    image_fini(&image);
    buf_fini(&file);
}

TEST(environment_stops)
{
    static const _Atomic bool now = true;
    struct buf file;
    const struct radiance_picture picture = {.radiance = environment_flat, .width = 8, .height = 1000};
    buf_init(&file, 0);
    radiance_write(&file, &picture, &now);
    assert_true(buf_failed(&file));
    buf_fini(&file);
}
