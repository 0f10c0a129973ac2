/* export_scales.c - handles nodes that do not inherit scales by matrix products. They get
 * separate transforms that approximate their matrices best, at rest and at the keys of each clip; exact=1 refuses them.
 */
#include "anim/pose/scale_effect.h"
#include "wire/export/export_internal.h"

#include <math.h>
#include <stdlib.h>

/* --- best approximations --- */

/* Returns a node's transform in the file, relative to the file's matrix of its parent. */
static struct trs nearest(const struct dmat4 *scene_from_parent, const struct dmat4 *scene_from_node)
{
    struct dmat4 parent_from_scene, parent_from_node;
    struct trs trs;
    dmat4_invert(scene_from_parent, &parent_from_scene); /* a matrix without an inverse shows nothing anyway */
    parent_from_node = dmat4_mul(&parent_from_scene, scene_from_node);
    trs_from_dmat4(&parent_from_node, &trs);
    return trs;
}

/* Computes the file's matrices from the model's pose, and the transforms of scaled nodes in e->scaled_. */
static void compose(const struct export *e, const uint8_t *is_scaled)
{
    struct dmat4 *matrices = e->scaled_matrices;
    struct trs *out = e->scaled_transforms;
    const struct model *model = e->model;
    for (uint32_t i = 0; i < model->order_count; i++) {
        const uint32_t n = model->node_order[i];
        const int32_t parent = model->nodes[n].parent;
        const struct dmat4 *above = parent < 0 ? &DMAT4_IDENTITY : &matrices[parent];
        struct dmat4 parent_from_node = pose_parent_from_node(&e->before, model, n);
        if (is_scaled[n] != 0) {
            out[n] = nearest(above, &e->before.scene_from_node[n]);
            parent_from_node = dmat4_from_trs(&out[n]);
        }
        matrices[n] = dmat4_mul(above, &parent_from_node);
    }
}

static bool place_nodes(struct export *e)
{
    const struct model *model = e->model;
    struct node *nodes = export_array(e, model->node_count, sizeof *nodes);
    if (nodes == NULL)
        return false;
    memcpy(nodes, model->nodes, model->node_count * sizeof *nodes);
    pose_evaluate(&e->before, model, POSE_REST, 0);
    compose(e, e->is_scaled);
    for (uint32_t n = 0; n < model->node_count; n++) {
        const struct trs *trs = &e->scaled_transforms[n];
        nodes[n].flags &= ~(uint32_t)NODE_SCALES;
        for (int i = 0; i < 4 && e->is_scaled[n] != 0; i++) {
            nodes[n].rotation[i] = (float)trs->rotation[i];
            if (i < 3) {
                nodes[n].translation[i] = (float)trs->translation[i];
                nodes[n].scale[i] = (float)trs->scale[i];
            }
        }
    }
    e->rest = nodes;
    return true;
}

/* --- affected nodes --- */

/* Marks additional nodes that are affected at rest (POSE_REST) or at some time of a clip, and sets *first to one of
 * them. False: there are no such nodes. */
static bool mark(const struct export *e, const struct model *source, int32_t clip, uint8_t *scratch, uint8_t *is_scaled,
                 uint32_t *first)
{
    bool is_any = false;
    scale_effect_find(source, clip, scratch);
    for (uint32_t n = e->model->node_count; n-- > 0;) {
        is_scaled[n] = is_scaled[n] != 0 || (scratch[n] != 0 && e->keeps[n] != KEEP_NOTHING);
        if (is_scaled[n] == 0)
            continue;
        *first = n;
        is_any = true;
    }
    return is_any;
}

static bool refuse(struct export *e, const char *where, uint32_t n)
{
    char name[SHORT_NAME_SIZE];
    return export_refuse(e, "%s, node %u '%s' does not inherit the scales above it as glTF has them", where, n,
                         short_name(e->model, e->model->nodes[n].name, name));
}

bool export_find_scales(struct export *e)
{
    const struct model *model = e->model;
    uint32_t first;
    e->rest_info = model->infos[0];
    e->rest_info.flags &= ~(uint32_t)MODEL_OWN_SCALES;
    e->rest = model->nodes;
    if ((model->infos[0].flags & MODEL_OWN_SCALES) == 0)
        return true;
    e->is_scaled = export_array(e, model->node_count, sizeof *e->is_scaled);
    e->scaled_scratch = export_array(e, 2 * (size_t)model->node_count, sizeof *e->scaled_scratch);
    e->scaled_matrices = export_array(e, model->node_count, sizeof *e->scaled_matrices);
    e->scaled_transforms = export_array(e, model->node_count, sizeof *e->scaled_transforms);
    if (e->is_scaled == NULL || e->scaled_scratch == NULL || e->scaled_matrices == NULL || e->scaled_transforms == NULL)
        return false;
    const bool is_any = mark(e, model, POSE_REST, e->scaled_scratch, e->is_scaled, &first);
    if (is_any && e->context->request->export.is_exact)
        return refuse(e, "at rest", first);
    return !is_any || place_nodes(e);
}

/* --- clips --- */

/* The channels of a clip that is being sampled. */
struct sampler {
    struct export *e;
    const struct model *source;
    uint32_t clip;
    uint8_t *is_scaled; /* [node_count]: affected at rest or in the clip */
    uint8_t *is_moved;  /* [node_count]: the clip moves it or an ancestor */
    double *times;      /* [count] */
    size_t count;
    uint32_t *channels; /* [node_count]: for affected, moving nodes the first of their three channels */
};

static int by_time(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void mark_moved(struct sampler *sampler)
{
    const struct model *model = sampler->e->model;
    const struct clip *clip = &sampler->source->clips[sampler->clip];
    for (uint32_t c = 0; c < clip->channel_count; c++) {
        const struct channel *channel = &sampler->source->channels[clip->channel_first + c];
        if (path_is_transform(channel->path))
            sampler->is_moved[channel->node] = 1;
    }
    for (uint32_t i = 0; i < model->order_count; i++) {
        const uint32_t n = model->node_order[i];
        if (model->nodes[n].parent >= 0 && sampler->is_moved[model->nodes[n].parent] != 0)
            sampler->is_moved[n] = 1;
    }
}

/* Between keys, scales and rotations of several nodes combine nonlinearly, so they are sampled at this rate per second.
 */
enum { RATE = 60 };

/* Lists all key times of the clip from 0 on, and the times of RATE, once each. False: the reply is an error. */
static bool list_times(struct sampler *sampler)
{
    const struct clip *clip = &sampler->source->clips[sampler->clip];
    const struct channel *channels = sampler->source->channels + clip->channel_first;
    struct export_times all = {.times = NULL};
    size_t kept = 0;
    const double frames = ceil(clip->duration_s * RATE);
    if (!(frames < 1e7))
        return context_fail_too_large(sampler->e->context);
    const bool is_listed =
        export_list_keys(sampler->e, channels, clip->channel_count, sampler->source->key_times, &all);
    sampler->times = is_listed ? realloc(all.times, (all.count + (size_t)frames + 2) * sizeof *all.times) : NULL;
    if (sampler->times == NULL) {
        free(all.times);
        return is_listed ? context_fail_memory(sampler->e->context) : false;
    }
    sampler->count = all.count;
    for (size_t f = 0; (double)f / RATE < clip->duration_s || f == 0; f++)
        sampler->times[sampler->count++] = (double)f / RATE;
    qsort(sampler->times, sampler->count, sizeof *sampler->times, by_time);
    for (size_t i = 0; i < sampler->count; i++)
        if (kept == 0 || (float)sampler->times[i] > (float)sampler->times[kept - 1])
            sampler->times[kept++] = sampler->times[i];
    sampler->count = kept;
    return true;
}

/* Removes the channels of the sampled nodes from the clip, which is the last one. */
static void drop_channels(struct sampler *sampler, struct export_clip *clip)
{
    struct export *e = sampler->e;
    struct channel *channels = export_channels(e, clip);
    uint32_t kept = 0;
    for (uint32_t c = 0; c < clip->channel_count; c++)
        if (sampler->is_scaled[channels[c].node] == 0 || !path_is_transform(channels[c].path))
            channels[kept++] = channels[c];
    e->clips.channels.size_bytes -= (clip->channel_count - kept) * sizeof *channels;
    clip->channel_count = kept;
}

/* Adds three channels for each node, which share their times. */
static bool add_channels(struct sampler *sampler, struct export_clip *clip)
{
    static const uint32_t WIDTHS[] = {3, 4, 3};
    struct export *e = sampler->e;
    const uint32_t count = (uint32_t)sampler->count;
    const uint32_t first = (uint32_t)(e->clips.times.size_bytes / sizeof(double));
    buf_put(&e->clips.times, sampler->times, sampler->count * sizeof(double));
    for (uint32_t n = 0; n < e->model->node_count; n++) {
        if (sampler->is_scaled[n] == 0 || sampler->is_moved[n] == 0)
            continue;
        sampler->channels[n] = clip->channel_count;
        for (uint32_t path = PATH_TRANSLATION; path <= PATH_SCALE; path++) {
            struct channel channel = {.node = n,
                                      .path = path,
                                      .component_count = WIDTHS[path],
                                      .key_time_first = first,
                                      .key_count = count,
                                      .reserved = EXPORT_OF_NOTHING};
            channel.value_first = (uint32_t)(e->clips.values.size_bytes / sizeof(float));
            if (buf_reserve(&e->clips.values, sampler->count * WIDTHS[path] * sizeof(float)) == NULL)
                return context_fail_too_large(e->context);
            buf_advance(&e->clips.values, sampler->count * WIDTHS[path] * sizeof(float));
            buf_put(&e->clips.channels, &channel, sizeof channel);
            clip->channel_count++;
        }
    }
    return !buf_failed(&e->clips.channels) && !buf_failed(&e->clips.times) ? true : context_fail_too_large(e->context);
}

static void fill(struct sampler *sampler, const struct export_clip *clip)
{
    struct export *e = sampler->e;
    for (size_t k = 0; k < sampler->count && !buf_failed(e->out); k++) {
        pose_evaluate(&e->before, sampler->source, (int32_t)sampler->clip, sampler->times[k]);
        compose(e, sampler->is_scaled);
        for (uint32_t n = 0; n < e->model->node_count; n++) {
            if (sampler->is_scaled[n] == 0 || sampler->is_moved[n] == 0)
                continue;
            const struct channel *channels = export_channels(e, clip) + sampler->channels[n];
            const struct trs *trs = &e->scaled_transforms[n];
            for (size_t i = 0; i < 4; i++) {
                export_values(e, &channels[1])[4 * k + i] = (float)trs->rotation[i];
                if (i == 3)
                    continue;
                export_values(e, &channels[0])[3 * k + i] = (float)trs->translation[i];
                export_values(e, &channels[2])[3 * k + i] = (float)trs->scale[i];
            }
        }
        context_check_stop(e->context);
    }
}

static bool sample_nodes(struct sampler *sampler, struct export_clip *clip)
{
    struct export *e = sampler->e;
    sampler->is_moved = calloc((size_t)e->model->node_count + 1, 1);
    sampler->channels = calloc((size_t)e->model->node_count + 1, sizeof *sampler->channels);
    if (sampler->is_moved == NULL || sampler->channels == NULL)
        return context_fail_memory(e->context);
    mark_moved(sampler);
    if (!list_times(sampler) || !export_is_affordable(e, 2 * (uint64_t)sampler->count * e->model->node_count))
        return false;
    drop_channels(sampler, clip);
    if (!add_channels(sampler, clip))
        return false;
    fill(sampler, clip);
    clip->is_approximated = true;
    return true;
}

bool export_sample_scaled_nodes(struct export *e, struct export_clip *clip)
{
    char label[EXPORT_LABEL_SIZE], where[EXPORT_LABEL_SIZE + 4];
    uint32_t first;
    if (e->is_scaled == NULL)
        return true;
    if (!export_is_affordable(e, e->model->node_count))
        return false;
    struct sampler sampler = {.e = e, .source = clip->source, .clip = clip->index};
    sampler.is_scaled = e->scaled_scratch + e->model->node_count;
    memcpy(sampler.is_scaled, e->is_scaled, e->model->node_count);
    if (!mark(e, clip->source, (int32_t)clip->index, e->scaled_scratch, sampler.is_scaled, &first))
        return true;
    snprintf(where, sizeof where, "in %s", export_clip_label(e, clip, label));
    if (e->context->request->export.is_exact)
        return refuse(e, where, first);
    const bool is_good = sample_nodes(&sampler, clip);
    free(sampler.is_moved);
    free(sampler.channels);
    free(sampler.times);
    return is_good;
}

static void warn(struct export *e, const char *what, const struct export_distance *distance)
{
    char where[EXPORT_DISTANCE_SIZE];
    export_approximate(e, "scales_approximated", export_share_of_size(e, distance),
                       "%s has nodes that do not inherit scales as glTF has them: poses are off by %s", what,
                       export_distance_label(e, distance, where));
}

bool export_warn_of_scales(struct export *e)
{
    struct export_distance distance;
    char label[EXPORT_LABEL_SIZE];
    if (e->rest != e->model->nodes) {
        export_measure_rest(e, &distance);
        warn(e, "the rest pose", &distance);
    }
    for (uint32_t i = 0; i < e->clips.count; i++) {
        if (!e->clips.clips[i].is_approximated)
            continue;
        if (!export_measure(e, i, &distance))
            return false;
        warn(e, export_clip_label(e, &e->clips.clips[i], label), &distance);
    }
    return true;
}
