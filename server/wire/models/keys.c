#include "wire/models/model_bodies.h"

#include "anim/model/property.h"
#include "anim/pose/appearance.h"
#include "base/mem.h"
#include "wire/reply/clip_sources.h"
#include "wire/reply/reply_json.h"
#include "wire/reply/select_nodes.h"

#include <stdlib.h>

enum { BLOCKS_PER_CHANNEL = 2, CHANNEL_FIELDS = 6 };

/* A channel of the answer. */
struct key_channel {
    uint32_t clip;
    uint32_t channel; /* index in the model */
};
struct key_channels {
    const struct key_channel *channels; /* ordered by clip */
    uint32_t count;
    bool has_properties; /* those of materials, lights and cameras too */
};

static bool is_asked(const struct reply_context *context, uint32_t clip)
{
    return context->has_all_clips || (int32_t)clip == context->clip;
}

static bool has_path(const struct request *request, uint32_t path)
{
    return request->paths == 0 || (request->paths & 1u << path) != 0;
}

/* The list lies in workspace->places. False: the reply is an error. */
static bool find_channels(struct reply_context *context, const uint32_t *nodes, uint32_t node_count,
                          struct key_channels *out)
{
    const struct model *model = context->model;
    size_t most = 0;
    for (uint32_t c = 0; c < model->clip_count; c++)
        most += is_asked(context, c) ? model->clips[c].channel_count : 0;
    struct key_channel *channels = context_array(context, &context->workspace->places, most, sizeof *channels);
    if (channels == NULL)
        return false;
    uint8_t *is_selected = mem_zalloc((size_t)model->node_count + 1, 1);
    for (uint32_t i = 0; i < node_count; i++)
        is_selected[nodes[i]] = 1;
    *out = (struct key_channels){.channels = channels,
                                 .has_properties =
                                     node_count == model->node_count && has_path(context->request, PATH_COUNT)};
    for (uint32_t c = 0; c < model->clip_count; c++) {
        const struct clip *clip = &model->clips[c];
        for (uint32_t i = 0; i < clip->channel_count && is_asked(context, c); i++) {
            const struct channel *channel = &model->channels[clip->channel_first + i];
            if (is_selected[channel->node] != 0 && has_path(context->request, channel->path))
                channels[out->count++] = (struct key_channel){.clip = c, .channel = clip->channel_first + i};
        }
    }
    free(is_selected);
    return true;
}

/* Returns the number of floats of a channel; CUBICSPLINE has three values per key. */
static uint64_t value_count(const struct channel *channel)
{
    const uint64_t values = channel->interpolation == INTERPOLATION_CUBICSPLINE ? 3 : 1;
    return values * channel->key_count * channel->component_count;
}

/* --- JSON --- */

/* "interpolation":..} and all that follows */
static void put_curve(struct buf *out, const struct model *model, const struct channel *channel)
{
    static const char *const INTERPOLATIONS[] = {
        [INTERPOLATION_LINEAR] = "LINEAR", [INTERPOLATION_STEP] = "STEP", [INTERPOLATION_CUBICSPLINE] = "CUBICSPLINE"};
    json_printf(out, "\"interpolation\":%s,\"components\":%u,\"times\":", INTERPOLATIONS[channel->interpolation],
                channel->component_count);
    json_put_doubles(out, model->key_times + channel->key_time_first, channel->key_count);
    buf_put_text(out, ",\"values\":");
    json_put_floats(out, model->key_values + channel->value_first, value_count(channel));
    buf_put_char(out, '}');
}

static void put_channel(struct buf *out, const struct model *model, const struct channel *channel)
{
    static const char *const PATHS[PATH_COUNT] = {"translation", "rotation", "scale", "weights", "visibility"};
    put_node_head(out, model, channel->node);
    json_printf(out, ",\"path\":%s,", PATHS[channel->path]);
    put_curve(out, model, channel);
}

/* ,"properties":[..] unless empty */
static void put_properties(struct reply_context *context, uint32_t clip)
{
    struct buf *out = context->out;
    uint32_t count;
    const struct property_channel *channels = appearance_channels(context->model, clip, &count);
    for (uint32_t i = 0; i < count && !buf_failed(out); i++) {
        const struct channel *channel = &channels[i].channel;
        const struct property property = property_of(channel->path - PATH_COUNT);
        char pointer[PROPERTY_POINTER_SIZE];
        property_put_pointer(channel->path - PATH_COUNT, channel->node, pointer);
        buf_put_text(out, i == 0 ? ",\"properties\":[{" : ",{");
        json_printf(out, "\"pointer\":%s,\"least\":%g,\"most\":%g,", pointer, (double)property.least,
                    (double)property.most);
        put_curve(out, context->model, channel);
        context_check_stop(context);
    }
    if (count > 0)
        buf_put_char(out, ']');
}

static void put_json(struct reply_context *context, const struct key_channels *channels)
{
    const struct model *model = context->model;
    struct buf *out = context->out;
    uint32_t at = 0;
    bool is_first = true;
    put_name_and_hash(out, model, context->request);
    clip_sources_put(context);
    buf_put_text(out, ",\"clips\":[");
    for (uint32_t c = 0; c < model->clip_count && !buf_failed(out); c++) {
        const struct clip *clip = &model->clips[c];
        if (!is_asked(context, c))
            continue;
        json_comma(out, !is_first);
        is_first = false;
        json_printf(out, "{\"index\":%u,\"name\":%.*s,\"start\":%g,\"duration\":%g,\"channels\":[", c,
                    JSON_STR(model, clip->name), clip->start_s, clip->duration_s);
        for (bool has_comma = false; at < channels->count && channels->channels[at].clip == c && !buf_failed(out);
             has_comma = true) {
            json_comma(out, has_comma);
            put_channel(out, model, &model->channels[channels->channels[at++].channel]);
            context_check_stop(context);
        }
        buf_put_char(out, ']');
        if (channels->has_properties)
            put_properties(context, c);
        buf_put_char(out, '}');
    }
    buf_put_text(out, "]}\n");
}

/* --- binary --- */

/* Plans the table of all channels, then their times, then their values. NULL: the reply is an error. */
static struct frames_block *plan_blocks(struct reply_context *context, const struct key_channels *channels)
{
    const struct model *model = context->model;
    const size_t count = channels->count;
    struct frames_block *blocks =
        context_array(context, &context->workspace->blocks, 1 + BLOCKS_PER_CHANNEL * count, sizeof *blocks);
    if (blocks == NULL)
        return NULL;
    blocks[0] = (struct frames_block){.kind = BLOCK_CHANNELS,
                                      .node = -1,
                                      .primitive = -1,
                                      .count = channels->count,
                                      .item_bytes = CHANNEL_FIELDS * sizeof(uint32_t)};
    for (size_t i = 0; i < count; i++) {
        const struct channel *channel = &model->channels[channels->channels[i].channel];
        struct frames_block *times = &blocks[1 + i], *values = &blocks[1 + count + i];
        *times = (struct frames_block){.kind = BLOCK_KEY_TIMES,
                                       .index = (uint32_t)i,
                                       .node = (int32_t)channel->node,
                                       .primitive = -1,
                                       .count = channel->key_count,
                                       .item_bytes = sizeof(double)};
        *values = *times;
        values->kind = BLOCK_KEY_VALUES;
        values->count = (uint32_t)value_count(channel); /* counts in the model have 32 bits */
        values->item_bytes = sizeof(float);
    }
    return blocks;
}

static void put_table(struct buf *out, const struct model *model, const struct key_channels *channels)
{
    for (uint32_t i = 0; i < channels->count && !buf_failed(out); i++) {
        const struct key_channel *at = &channels->channels[i];
        const struct channel *channel = &model->channels[at->channel];
        const uint32_t fields[CHANNEL_FIELDS] = {
            at->clip,          channel->node, channel->path, channel->interpolation, channel->component_count,
            channel->key_count};
        for (int f = 0; f < CHANNEL_FIELDS; f++)
            buf_put_u32(out, fields[f]);
    }
}

static void put_blocks(struct reply_context *context, const struct key_channels *channels)
{
    const struct model *model = context->model;
    struct buf *out = context->out;
    struct frames *frames = &context->frames;
    *frames = (struct frames){.kind = FRAMES_KEYS,
                              .clip = context->clip,
                              .duration_s = context->duration_s,
                              .content_hash = model->infos[0].content_hash,
                              .blocks = plan_blocks(context, channels),
                              .block_count = 1 + BLOCKS_PER_CHANNEL * channels->count};
    if (frames->blocks == NULL)
        return;
    if (channels->count > (UINT32_MAX - 1) / BLOCKS_PER_CHANNEL || !frames_plan(frames, context->limit_bytes)) {
        context_fail_too_large(context);
        return;
    }
    frames_put_header(out, frames);
    for (uint32_t b = 0; b < frames->block_count && !buf_failed(out); b++) {
        const struct frames_block *block = &frames->blocks[b];
        frames_start_block(out, frames, block, 0);
        if (block->kind == BLOCK_CHANNELS) {
            put_table(out, model, channels);
            continue;
        }
        const struct channel *channel = &model->channels[channels->channels[block->index].channel];
        const void *from = block->kind == BLOCK_KEY_TIMES ? (const void *)(model->key_times + channel->key_time_first)
                                                          : model->key_values + channel->value_first;
        buf_put(out, from, (size_t)block->count * block->item_bytes);
        context_check_stop(context);
    }
    frames_finish(out, frames);
}

void body_put_keys(struct reply_context *context)
{
    struct key_channels channels;
    uint32_t node_count;
    const uint32_t *nodes = select_nodes(context, &node_count);
    if (nodes == NULL || !find_channels(context, nodes, node_count, &channels))
        return;
    if (context->request->format == FORMAT_BIN)
        put_blocks(context, &channels);
    else
        put_json(context, &channels);
}
