/* OP_KEYS: the channels of clips as the model has them, in JSON and in binary. */
#include "base/bytes.h"
#include "tests/unit/support/check.h"
#include "tests/unit/support/wire_model.h"
#include "wire/encode/frames.h"

#include <string.h>

static struct request keys_request(void)
{
    struct request request = wire_request(OP_KEYS, NULL, 0);
    request.pose.clip.kind = SELECT_NONE;
    return request;
}

static uint32_t floats_of(const struct channel *channel)
{
    return channel->key_count * channel->component_count *
           (channel->interpolation == INTERPOLATION_CUBICSPLINE ? 3 : 1);
}

static void check_channel(const cJSON *json, const struct channel *channel)
{
    static const char *const PATHS[] = {"translation", "rotation", "scale", "weights", "visibility"};
    static const char *const INTERPOLATIONS[] = {"LINEAR", "STEP", "CUBICSPLINE"};
    const struct model *model = wire_model();
    assert_int_equal(wire_get(json, "node")->valueint, channel->node);
    assert_string_equal(wire_get(json, "path")->valuestring, PATHS[channel->path]);
    assert_string_equal(wire_get(json, "interpolation")->valuestring, INTERPOLATIONS[channel->interpolation]);
    assert_int_equal(wire_get(json, "components")->valueint, channel->component_count);
    assert_int_equal(cJSON_GetArraySize(wire_get(json, "times")), channel->key_count);
    for (uint32_t k = 0; k < channel->key_count; k++)
        CHECK_NEAR(wire_at(wire_get(json, "times"), (int)k)->valuedouble, model->key_times[channel->key_time_first + k],
                   0);
    wire_check_floats(wire_get(json, "values"), model->key_values + channel->value_first, (int)floats_of(channel));
}

TEST(answer_keys_of_all_clips)
{
    struct request request = keys_request();
    cJSON *json = wire_answer_json(wire_model(), &request);
    const cJSON *clips = wire_get(json, "clips");
    assert_int_equal(cJSON_GetArraySize(clips), wire_model()->clip_count);
    for (uint32_t c = 0; c < wire_model()->clip_count; c++) {
        const struct clip *clip = &wire_model()->clips[c];
        const cJSON *channels = wire_get(wire_at(clips, (int)c), "channels");
        assert_int_equal(wire_get(wire_at(clips, (int)c), "index")->valueint, c);
        CHECK_NEAR(wire_get(wire_at(clips, (int)c), "duration")->valuedouble, clip->duration_s, 0);
        assert_int_equal(cJSON_GetArraySize(channels), clip->channel_count);
        for (uint32_t i = 0; i < clip->channel_count; i++)
            check_channel(wire_at(channels, (int)i), &wire_model()->channels[clip->channel_first + i]);
    }
    cJSON_Delete(json);
}

TEST(answer_keys_of_some_channels)
{
    struct request request = keys_request();
    const struct model *model = wire_model();
    const struct clip *clip = &model->clips[0];
    request.pose.clip = wire_index(0);
    struct selector joint = wire_index(model->channels[clip->channel_first].node);
    request.pose.joints = &joint;
    request.pose.joint_count = 1;
    for (uint32_t path = 0; path < PATH_COUNT; path++) {
        request.paths = 1U << path;
        cJSON *json = wire_answer_json(model, &request);
        assert_int_equal(cJSON_GetArraySize(wire_get(json, "clips")), 1);
        const cJSON *channels = wire_get(wire_at(wire_get(json, "clips"), 0), "channels");
        int count = 0;
        for (uint32_t i = 0; i < clip->channel_count; i++) {
            const struct channel *channel = &model->channels[clip->channel_first + i];
            if (channel->node == joint.index && channel->path == path)
                check_channel(wire_at(channels, count++), channel);
        }
        assert_int_equal(cJSON_GetArraySize(channels), count);
        cJSON_Delete(json);
    }
    request.pose.clip.kind = SELECT_REST;
    cJSON *json = wire_answer_json(model, &request);
    assert_int_equal(cJSON_GetArraySize(wire_get(json, "clips")), 0);
    cJSON_Delete(json);
}

TEST(answer_keys_in_binary)
{
    struct request request = keys_request();
    struct reply reply;
    const struct model *model = wire_model();
    const struct clip *clip = &model->clips[0];
    request.format = FORMAT_BIN;
    request.pose.clip = wire_index(0);
    reply_init(&reply);
    wire_answer(model, &request, &reply);
    assert_int_equal(reply.status, 200);
    assert_string_equal(reply.content_type, FRAMES_CONTENT_TYPE);
    const char *bytes = reply.body.data, *table = bytes + FRAMES_HEADER_BYTES;
    const uint32_t count = clip->channel_count;
    assert_int_equal(get_u16(bytes + 12), FRAMES_KEYS);
    assert_int_equal(get_u32(bytes + 16), 0);
    assert_int_equal(get_u32(bytes + 20), 1 + 2 * count);
    assert_int_equal(get_u64(bytes + 48), reply.body.size_bytes);
    const char *channels = bytes + get_u64(table + 24);
    for (uint32_t i = 0; i < count; i++) {
        const struct channel *channel = &model->channels[clip->channel_first + i];
        const char *times = table + FRAMES_BLOCK_BYTES * (size_t)(1 + i),
                   *values = times + FRAMES_BLOCK_BYTES * (size_t)count;
        const uint32_t fields[] = {
            0, channel->node, channel->path, channel->interpolation, channel->component_count, channel->key_count};
        for (uint32_t f = 0; f < 6; f++)
            assert_int_equal(get_u32(channels + 24 * (size_t)i + 4 * (size_t)f), fields[f]);
        assert_int_equal(get_u16(times), BLOCK_KEY_TIMES);
        assert_int_equal(get_u16(values), BLOCK_KEY_VALUES);
        assert_int_equal(get_u32(values + 16), floats_of(channel));
        assert_memory_equal(bytes + get_u64(times + 24), model->key_times + channel->key_time_first,
                            8 * (size_t)channel->key_count);
        assert_memory_equal(bytes + get_u64(values + 24), model->key_values + channel->value_first,
                            4 * (size_t)floats_of(channel));
    }
    reply_fini(&reply);
}
