/* export_put_clips.c - writes clips as animations (glTF 2.0, 3.11). */
#include "wire/export/export_optimize.h"
#include "wire/reply/reply_json.h"

#include <string.h>

/* Uses of export_shared(): times, and values by the number of weights per key. */
enum { SHARED_INPUT = 2000, SHARED_FLAGS, SHARED_NUMBERS, SHARED_WEIGHTS = SHARED_NUMBERS + 5 };

/* Adds the times, which are all exact floats by now; channels with shared times share the accessor. */
static uint32_t add_times(struct export *e, const struct channel *channel)
{
    const double *times = (const double *)(const void *)e->clips.times.data + channel->key_time_first;
    uint32_t *accessor = export_shared(e, times, channel->key_count, SHARED_INPUT);
    if (accessor == NULL || *accessor != GLB_NONE)
        return accessor == NULL ? GLB_NONE : *accessor;
    float *floats = context_array(e->context, &e->context->workspace->floats, channel->key_count, sizeof *floats);
    for (uint32_t k = 0; floats != NULL && k < channel->key_count; k++)
        floats[k] = (float)times[k];
    if (floats != NULL)
        *accessor = glb_add(e->glb, GLB_TIME, floats, channel->key_count);
    return *accessor;
}

static uint32_t add_flags(struct export *e, const struct channel *channel, const float *values)
{
    uint8_t *flags = context_array(e->context, &e->context->workspace->floats, channel->key_count, sizeof *flags);
    for (uint32_t k = 0; flags != NULL && k < channel->key_count; k++)
        flags[k] = values[k] != 0;
    return flags == NULL ? GLB_NONE : glb_add(e->glb, GLB_FLAG, flags, channel->key_count);
}

/* The file's mesh may have more targets than the node has weights. */
static uint32_t add_weights(struct export *e, const struct channel *channel, const float *values, uint32_t targets)
{
    const uint32_t parts = channel->interpolation == INTERPOLATION_CUBICSPLINE ? 3 : 1;
    const uint64_t rows = (uint64_t)channel->key_count * parts;
    if (rows * targets > UINT32_MAX || rows * targets * sizeof(float) > e->context->limit_bytes) {
        buf_fail(&e->glb->bin, BUF_FULL);
        return GLB_NONE;
    }
    if (targets == channel->component_count)
        return glb_add(e->glb, GLB_SCALAR, values, (uint32_t)(rows * targets));
    float *padded = context_array(e->context, &e->context->workspace->floats, rows * targets, sizeof *padded);
    for (uint64_t r = 0; padded != NULL && r < rows; r++)
        for (uint32_t t = 0; t < targets; t++)
            padded[r * targets + t] = t < channel->component_count ? values[r * channel->component_count + t] : 0;
    return padded == NULL ? GLB_NONE : glb_add(e->glb, GLB_SCALAR, padded, (uint32_t)(rows * targets));
}

static uint32_t add_values(struct export *e, const struct channel *channel, uint32_t bits)
{
    const float *values = (const float *)(const void *)e->clips.values.data + channel->value_first;
    const uint32_t parts = channel->interpolation == INTERPOLATION_CUBICSPLINE ? 3 : 1;
    const uint32_t targets =
        channel->path == PATH_WEIGHTS ? e->meshes[export_mesh_of(e, channel->node)].target_count : 0;
    static const enum glb_array ARRAYS[] = {GLB_SCALAR, GLB_SCALAR, GLB_VEC2, GLB_VEC3, GLB_VEC4};
    const unsigned use = channel->path == PATH_VISIBILITY ? SHARED_FLAGS
                         : channel->path == PATH_WEIGHTS  ? SHARED_WEIGHTS + targets
                                                          : SHARED_NUMBERS + channel->component_count;
    uint32_t *accessor = export_shared(e, values, (uint64_t)channel->key_count * parts * channel->component_count, use);
    if (accessor == NULL || *accessor != GLB_NONE)
        return accessor == NULL ? GLB_NONE : *accessor;
    if (bits > 0 && (channel->path != PATH_WEIGHTS || targets == channel->component_count))
        return *accessor = export_add_filtered(e, channel, values, bits);
    *accessor = channel->path == PATH_VISIBILITY ? add_flags(e, channel, values)
                : channel->path == PATH_WEIGHTS
                    ? add_weights(e, channel, values, targets)
                    : glb_add(e->glb, ARRAYS[channel->component_count], values, channel->key_count * parts);
    return *accessor;
}

static void put_target(struct export *e, const struct channel *channel, uint32_t sampler)
{
    static const char *const PATHS[] = {[PATH_TRANSLATION] = "translation",
                                        [PATH_ROTATION] = "rotation",
                                        [PATH_SCALE] = "scale",
                                        [PATH_WEIGHTS] = "weights"};
    json_printf(e->out, "{\"sampler\":%u,\"target\":{", sampler);
    if (channel->path < PATH_VISIBILITY) {
        const uint32_t *places = channel->path == PATH_WEIGHTS ? e->mesh_node_places : e->node_places;
        json_printf(e->out, "\"node\":%u,\"path\":%s}}", places[channel->node], PATHS[channel->path]);
        return;
    }
    char pointer[PROPERTY_POINTER_SIZE];
    if (channel->path == PATH_VISIBILITY)
        snprintf(pointer, sizeof pointer, "/nodes/%u/extensions/KHR_node_visibility/visible",
                 e->node_places[channel->node]);
    else
        export_put_pointer(e, channel, pointer);
    json_printf(e->out, "\"path\":\"pointer\",\"extensions\":{\"KHR_animation_pointer\":{\"pointer\":%s}}}}", pointer);
    e->extensions |= 1U << GLB_POINTER;
}

static void put_sampler(struct export *e, uint32_t index)
{
    const struct channel *channel = (const struct channel *)(const void *)e->clips.channels.data + index;
    const uint32_t bits = e->optimizing == NULL ? 0 : e->optimizing->key_bits[index];
    const uint32_t input = add_times(e, channel), output = add_values(e, channel, bits);
    json_printf(e->out, "{\"input\":%u,\"output\":%u", input, output);
    if (channel->interpolation != INTERPOLATION_LINEAR)
        buf_put_text(e->out, channel->interpolation == INTERPOLATION_STEP ? ",\"interpolation\":\"STEP\""
                                                                          : ",\"interpolation\":\"CUBICSPLINE\"");
    buf_put_char(e->out, '}');
}

/* Writes ,"extras":.. of the clip including its markers. */
static void put_clip_extras(struct export *e, const struct export_clip *clip)
{
    struct buf *out = e->out;
    const struct model *source = clip->origin;
    const size_t begin = out->size_bytes;
    static const char KEY[] = ",\"extras\":{";
    put_extras(out, source, EXTRA_CLIP, clip->index);
    uint32_t first = 0, high = source->marker_count;
    while (first < high) {
        const uint32_t middle = first + (high - first) / 2;
        if (source->markers[middle].clip < clip->index)
            first = middle + 1;
        else
            high = middle;
    }
    if (buf_failed(out) || first == source->marker_count || source->markers[first].clip != clip->index)
        return;
    const size_t size = out->size_bytes - begin;
    if (size > 0 && (size < sizeof KEY || memcmp(out->data + begin, KEY, sizeof KEY - 1) != 0 ||
                     memmem(out->data + begin, size, "\"markers\":", 10) != NULL)) {
        return;
    }
    if (size > 0)
        out->size_bytes--; /* the brace */
    buf_put_text(out, size == 0 ? ",\"extras\":{" : size == sizeof KEY ? "" : ",");
    for (uint32_t m = first; m < source->marker_count && source->markers[m].clip == clip->index && !buf_failed(out);
         m++) {
        const struct marker *marker = &source->markers[m];
        buf_put_text(out, m == first ? "\"markers\":[" : ",");
        json_printf(out, "{\"time\":%g,\"name\":%.*s", marker->time_s, JSON_STR(source, marker->name));
        if (marker->value.offset != STR_NONE)
            json_printf(out, ",\"value\":%.*s", JSON_STR(source, marker->value));
        buf_put_char(out, '}');
    }
    buf_put_text(out, "]}");
}

bool export_put_clips(struct export *e)
{
    for (uint32_t i = 0; i < e->clips.count && !buf_failed(e->out) && !glb_failed(e->glb); i++) {
        const struct export_clip *clip = &e->clips.clips[i];
        const struct channel *channels =
            (const struct channel *)(const void *)e->clips.channels.data + clip->channel_first;
        buf_put_text(e->out, i == 0 ? ",\"animations\":[{" : ",{");
        export_put_clip_name(e, clip);
        for (uint32_t c = 0; c < clip->channel_count && !buf_failed(e->out); c++) {
            buf_put_text(e->out, c == 0 ? "\"channels\":[" : ",");
            put_target(e, &channels[c], c);
        }
        for (uint32_t c = 0; c < clip->channel_count && !buf_failed(e->out); c++) {
            buf_put_text(e->out, c == 0 ? "],\"samplers\":[" : ",");
            put_sampler(e, clip->channel_first + c);
        }
        buf_put_char(e->out, ']');
        put_clip_extras(e, clip);
        buf_put_char(e->out, '}');
        context_check_stop(e->context);
    }
    if (e->clips.count > 0)
        buf_put_char(e->out, ']');
    return e->context->reply->code == 0;
}
