/* export_clips.c - selects the clips of the file and copies their channels, which later steps may change. */
#include "anim/model/mat.h"
#include "anim/pose/pose.h"
#include "wire/export/export_internal.h"
#include "wire/reply/select.h"

#include <math.h>

/* Uses of export_shared() other than accessors. */
enum { SHARED_TIMES = 1000, SHARED_VALUES, SHARED_ROTATIONS };

/* --- keys --- */

static uint32_t floats_per_key(const struct channel *channel)
{
    return channel->component_count * (channel->interpolation == INTERPOLATION_CUBICSPLINE ? 3 : 1);
}

/* Evaluation normalises a rotation that is far from unit length (quat_repair()), so the copy does too. */
static void repair_rotations(float *values, uint64_t count)
{
    for (uint64_t i = 0; i + 3 < count; i += 4) {
        double q[4] = {(double)values[i], (double)values[i + 1], (double)values[i + 2], (double)values[i + 3]};
        if (fabs(sqrt(dot4(q, q)) - 1) <= 1e-3)
            continue;
        quat_repair(q);
        for (int c = 0; c < 4; c++)
            values[i + (uint64_t)c] = (float)q[c];
    }
}

/* Writes the copy's position to *place. False: the reply is an error. */
static bool copy_times(struct export *e, const struct model *source, const struct channel *channel, uint32_t *place)
{
    const double *times = source->key_times + channel->key_time_first;
    uint32_t *shared = export_shared(e, times, channel->key_count, SHARED_TIMES);
    if (shared == NULL)
        return false;
    if (*shared == GLB_NONE) {
        *shared = (uint32_t)(e->clips.times.size_bytes / sizeof *times);
        buf_put(&e->clips.times, times, channel->key_count * sizeof *times);
    }
    *place = *shared;
    return true;
}

static bool copy_values(struct export *e, const struct model *source, const struct channel *channel, uint32_t *place)
{
    const float *values = source->key_values + channel->value_first;
    const uint64_t count = (uint64_t)channel->key_count * floats_per_key(channel);
    const bool is_repaired = channel->path == PATH_ROTATION && channel->interpolation != INTERPOLATION_CUBICSPLINE;
    uint32_t *shared = export_shared(e, values, count, is_repaired ? SHARED_ROTATIONS : SHARED_VALUES);
    if (shared == NULL)
        return false;
    if (*shared == GLB_NONE) {
        *shared = (uint32_t)(e->clips.values.size_bytes / sizeof *values);
        buf_put(&e->clips.values, values, count * sizeof *values);
        if (is_repaired && !buf_failed(&e->clips.values))
            repair_rotations((float *)(void *)e->clips.values.data + *shared, count);
    }
    *place = *shared;
    return true;
}

/* --- channels --- */

/* Whether the file contains the channel's target. */
static bool is_kept(const struct export *e, const struct channel *channel)
{
    return e->keeps[channel->node] != KEEP_NOTHING &&
           (channel->path != PATH_WEIGHTS || export_mesh_of(e, channel->node) != GLB_NONE);
}

bool export_take_channel(struct export *e, const struct model *source, const struct channel *channel, uint32_t index)
{
    struct channel copy = *channel;
    copy.reserved = index;
    if (!copy_times(e, source, channel, &copy.key_time_first) || !copy_values(e, source, channel, &copy.value_first))
        return false;
    buf_put(&e->clips.channels, &copy, sizeof copy);
    return true;
}

static void find_still_node(struct export *e)
{
    e->still_node = 0;
    while (e->still_node < e->model->node_count &&
           (e->keeps[e->still_node] == KEEP_NOTHING || (e->model->nodes[e->still_node].flags & NODE_SHEAR) != 0))
        e->still_node++;
}

/* glTF requires channels, so a clip without any gets a node that keeps its rest transform. */
static void hold_still(struct export *e, struct export_clip *clip)
{
    const uint32_t n = e->still_node;
    const struct channel channel = {.node = n,
                                    .path = PATH_TRANSLATION,
                                    .interpolation = INTERPOLATION_STEP,
                                    .component_count = 3,
                                    .key_time_first = (uint32_t)(e->clips.times.size_bytes / sizeof(double)),
                                    .key_count = 1,
                                    .value_first = (uint32_t)(e->clips.values.size_bytes / sizeof(float)),
                                    .reserved = EXPORT_OF_NOTHING};
    const double begin = 0;
    if (n == e->model->node_count)
        return;
    buf_put(&e->clips.times, &begin, sizeof begin);
    buf_put(&e->clips.values, e->model->nodes[n].translation, 3 * sizeof(float));
    buf_put(&e->clips.channels, &channel, sizeof channel);
    clip->channel_count = 1;
}

/* True when keys are missing for lack of memory. */
static bool is_full(const struct export *e)
{
    return buf_failed(&e->clips.channels) || buf_failed(&e->clips.times) || buf_failed(&e->clips.values);
}

bool export_take_clip(struct export *e, const struct model *source, uint32_t index)
{
    const struct model *origin = source;
    if ((source = export_move_root(e, source, index)) == NULL)
        return false;
    const struct clip *from = &source->clips[index];
    struct export_clip *clip = &e->clips.clips[e->clips.count];
    *clip = (struct export_clip){.source = source,
                                 .origin = origin,
                                 .index = index,
                                 .channel_first = (uint32_t)(e->clips.channels.size_bytes / sizeof(struct channel)),
                                 .duration_s = from->duration_s};
    for (uint32_t c = 0; c < from->channel_count; c++) {
        const struct channel *channel = &source->channels[from->channel_first + c];
        if (!is_kept(e, channel))
            continue;
        if (!export_take_channel(e, source, channel, c))
            return false;
        clip->channel_count++;
    }
    if (is_full(e))
        return context_fail_too_large(e->context);
    if (!export_put_scales(e, clip) || !export_take_properties(e, clip))
        return false;
    if (clip->channel_count == 0)
        hold_still(e, clip);
    if (is_full(e))
        return context_fail_too_large(e->context);
    if (clip->channel_count > 0)
        e->clips.count++;
    else
        export_warn(e, "clip_left_out", "clip %u moves nothing, and there is no node that it could hold still", index);
    return true;
}

/* --- selection of clips --- */

/* Returns the clips that the request names, in its order and once each, and their number in *count. NULL: the reply is
 * an error. */
static uint32_t *select_clips(struct export *e, uint32_t *count)
{
    const struct model *model = e->model;
    const struct request *request = e->context->request;
    uint32_t *clips = export_array(e, model->clip_count, sizeof *clips);
    const uint32_t most = e->blended != NULL               ? 1
                          : request->export.has_no_clips   ? 0
                          : request->export.clip_count > 0 ? request->export.clip_count
                                                           : model->clip_count;
    e->is_taken = export_array(e, model->clip_count, sizeof *e->is_taken);
    e->animated = export_array(e, model->material_count, sizeof *e->animated);
    *count = 0;
    for (uint32_t i = 0; clips != NULL && e->is_taken != NULL && i < most; i++) {
        uint32_t clip = e->blended != NULL ? e->blended->clip : i;
        if (e->blended == NULL && request->export.clip_count > 0 &&
            select_thing(model, request->model, THING_CLIP, &request->export.clips[i], &clip, e->context->reply) < 0)
            return NULL;
        if (e->is_taken[clip] == 0)
            clips[(*count)++] = clip;
        e->is_taken[clip] = 1;
    }
    return e->is_taken == NULL || e->animated == NULL ? NULL : clips;
}

bool export_choose_clips(struct export *e)
{
    e->clips.chosen = select_clips(e, &e->clips.chosen_count);
    return e->clips.chosen != NULL && export_make_other_clips(e);
}

bool export_take_clips(struct export *e)
{
    e->clips.clips = export_array(e, e->clips.chosen_count + export_other_clip_count(e), sizeof *e->clips.clips);
    buf_init(&e->clips.channels, e->context->limit_bytes);
    buf_init(&e->clips.times, 2 * e->context->limit_bytes);
    buf_init(&e->clips.values, e->context->limit_bytes);
    buf_init(&e->clips.names, e->context->limit_bytes);
    if (e->clips.clips == NULL)
        return false;
    e->surfaces.animated = e->animated; /* export_plan_meshes() has begun the surfaces */
    find_still_node(e);
    for (uint32_t i = 0; i < e->clips.chosen_count; i++) {
        if (!export_take_clip(e, e->context->model, e->clips.chosen[i]))
            return false;
        context_check_stop(e->context);
        if (buf_failed(e->out))
            return context_fail_too_large(e->context);
    }
    return export_take_other_files(e);
}
