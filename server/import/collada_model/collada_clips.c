/* collada_clips.c - fits keys to node transforms and morph weights. A clip begins at its start, as time 0. */
#include "import/collada/transform_stack.h"
#include "import/collada_model/collada_model.h"
#include "import/curve/curve_fit.h"

#include "base/mem.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* --- motion --- */

struct moving {
    struct transform_stack stack;
    int path;
    bool is_skewed;
};

/* Whether a matrix differs from its decomposition by more than the rounding of the file's decimals. */
static bool is_skewed(const struct transform_stack *stack, double time_s, const struct trs *trs)
{
    static const double SAME_SHARE = 1e-4;
    const struct dmat4 whole = transform_stack_matrix(stack, time_s), parts = dmat4_from_trs(trs);
    double largest = 0, worst = 0;
    for (int i = 0; i < 12; i++) {
        largest = fmax(largest, fmax(fabs(whole.m[i]), fabs(parts.m[i])));
        worst = fmax(worst, fabs(whole.m[i] - parts.m[i]));
    }
    return !(worst <= SAME_SHARE * largest);
}

static void motion_at(void *user, double time_s, double *out)
{
    struct moving *moving = user;
    struct trs trs;
    if (!transform_stack_trs(&moving->stack, time_s, &trs))
        moving->is_skewed = moving->is_skewed || is_skewed(&moving->stack, time_s, &trs);
    if (moving->path == PATH_ROTATION)
        memcpy(out, trs.rotation, sizeof trs.rotation);
    else
        memcpy(out, moving->path == PATH_SCALE ? trs.scale : trs.translation, sizeof trs.scale);
}

static double motion_turn(void *user, double from_s, double to_s)
{
    return transform_stack_turn(&((struct moving *)user)->stack, from_s, to_s);
}

/* Cuts the rising times[*count] to the clip and puts its ends in place of the removed times. The clip keeps the file's
 * length even if its keys end earlier. The array has capacity for one more time. */
static void cut_times(const struct collada_clip *clip, double *times, uint32_t *count)
{
    if (*count == 0 || collada_clip_is_whole(clip))
        return;
    const double first_s = fmin(fmax(times[0], clip->start_s), clip->end_s);
    const double last_s = isfinite(clip->end_s) ? clip->end_s : fmax(times[*count - 1], clip->start_s);
    uint32_t kept = 1;
    times[0] = first_s;
    for (uint32_t i = 1; i < *count; i++)
        if (times[i] > first_s && times[i] < last_s)
            times[kept++] = times[i];
    if (last_s > first_s)
        times[kept++] = last_s;
    *count = kept;
}

/* Adds a track whose times are the file's. The motion itself takes the file's times, so that a key of a STEP curve is
 * met exactly. A step lies between neighbouring numbers, of which a start before 0 can make one: they stay apart. */
static int put_track(struct collada_model *model, const struct collada_clip *clip, struct track *track, uint32_t n,
                     int path, struct err *err)
{
    for (uint32_t k = 0; k < track->count; k++) {
        track->times_s[k] -= clip->start_s;
        if (k > 0 && track->times_s[k] <= track->times_s[k - 1])
            track->times_s[k] = nextafter(track->times_s[k - 1], HUGE_VAL);
    }
    return track_put(track, model->import, n, (uint32_t)path, err);
}

static void warn_of(struct collada_model *model, uint32_t n, bool is_skewed, bool is_near)
{
    const char *name = collada_node_name(model, n);
    if (is_skewed)
        bake_warn(model->builder, "shear_dropped", "node '%s': a clip skews it, which is left out", name);
    if (!is_near)
        bake_warn(
            model->builder, "curve_approximated",
            "node '%s': a clip stands upright or turns inside out between keys, which is followed less closely there",
            name);
}

/* Whether a track is constant at the node's rest value, so the clip can omit it. */
static bool is_rest(const struct node *node, int path, const struct track *track)
{
    static const double SAME_VALUE = 1e-6;
    const float *rest = path == PATH_TRANSLATION ? node->translation
                        : path == PATH_ROTATION  ? node->rotation
                                                 : node->scale;
    double dot = 0;
    if (track->count != 1)
        return false;
    for (uint32_t c = 0; c < track->components; c++) {
        dot += (double)rest[c] * track->values[c];
        if (path != PATH_ROTATION &&
            fabs((double)rest[c] - track->values[c]) > SAME_VALUE * fmax(1, fabs((double)rest[c])))
            return false;
    }
    /* 1 - cos of the half angle; its square root is proportional to the angle. */
    return path != PATH_ROTATION || 1 - fabs(dot) < SAME_VALUE * SAME_VALUE;
}

static int add_path(struct collada_model *model, const struct collada_clip *clip, struct moving *moving, uint32_t n,
                    int path, bool *is_near, struct err *err)
{
    const struct curve_fit fit = {
        .at = motion_at,
        .turn = motion_turn,
        .user = moving,
        .times_s = moving->stack.times_s,
        .time_count = moving->stack.time_count,
        .components = path == PATH_ROTATION ? 4 : 3,
        .is_rotation = path == PATH_ROTATION,
        .bound = CURVE_FIT_BOUND,
        .key_limit = model->import->limits->value[LIMIT_KEYS] / 10,
    };
    struct track track;
    bool is_path_near;
    moving->path = path;
    int rc = curve_fit(&track, &fit, &is_path_near, err);
    if (rc < 0)
        return rc;
    *is_near &= is_path_near;
    if (!is_rest(&model->builder->nodes[n], path, &track))
        rc = put_track(model, clip, &track, n, path, err);
    track_fini(&track);
    return rc;
}

static int add_node(struct collada_model *model, const struct collada_clip *clip, uint32_t n, struct err *err)
{
    struct moving moving = {0};
    bool is_near = true;
    int rc = 0;
    transform_stack_init(&moving.stack, &model->collada, n, clip);
    cut_times(clip, moving.stack.times_s, &moving.stack.time_count);
    for (int path = PATH_TRANSLATION; path <= PATH_SCALE && moving.stack.time_count > 0 && rc == 0; path++)
        rc = add_path(model, clip, &moving, n, path, &is_near, err);
    if (rc < 0)
        err_prefix(err, "node '%s'", collada_node_name(model, n));
    warn_of(model, n, moving.is_skewed, is_near);
    transform_stack_fini(&moving.stack);
    return rc;
}

/* --- morph weights --- */

struct weighing {
    const struct collada *collada;
    const uint32_t *channels; /* [channel_count], into collada->channels */
    uint32_t channel_count;
    const float *rest; /* [count] */
    uint32_t count;
};

static void weights_at(void *user, double time_s, double *out)
{
    const struct weighing *weighing = user;
    for (uint32_t w = 0; w < weighing->count; w++)
        out[w] = (double)weighing->rest[w];
    for (uint32_t c = 0; c < weighing->channel_count; c++) {
        const struct collada_channel *channel = &weighing->collada->channels[weighing->channels[c]];
        for (uint32_t i = 0; i < channel->count && i < weighing->count && channel->first < weighing->count - i; i++)
            out[channel->first + i] = sampler_at(&weighing->collada->samplers[channel->sampler], i, time_s);
    }
}

static int add_weights(struct collada_model *model, const struct collada_clip *clip, const struct morphed_node *morphed,
                       struct err *err)
{
    const struct node *node = &model->builder->nodes[morphed->node];
    struct weighing weighing = {.collada = &model->collada, .count = node->weight_count};
    if (morphed->weight_source == XML_NONE)
        return 0;
    weighing.channels = clip_channels_of(&model->collada, clip, morphed->weight_source, &weighing.channel_count);
    if (weighing.channel_count == 0)
        return 0;
    weighing.rest = model->builder->weights + node->weight_first;
    uint32_t time_count;
    double *times_s = channels_times(&model->collada, weighing.channels, weighing.channel_count, &time_count);
    cut_times(clip, times_s, &time_count);
    const struct curve_fit fit = {
        .at = weights_at,
        .user = &weighing,
        .times_s = times_s,
        .time_count = time_count,
        .components = node->weight_count,
        .bound = CURVE_FIT_BOUND,
        .key_limit = model->import->limits->value[LIMIT_KEYS] / node->weight_count,
    };
    struct track track;
    bool is_near;
    const uint32_t shown = morphed->node < model->collada.node_count ? morphed->node : (uint32_t)node->parent;
    int rc = curve_fit(&track, &fit, &is_near, err);
    free(times_s);
    if (rc < 0)
        return err_prefix(err, "morph weights of node '%s'", collada_node_name(model, shown));
    warn_of(model, shown, false, is_near);
    rc = put_track(model, clip, &track, morphed->node, PATH_WEIGHTS, err);
    track_fini(&track);
    return rc;
}

/* --- clips --- */

/* A file without clips gets one clip of all its animations; a single animation gives it its name. */
static struct str clip_name(struct collada_model *model, const struct collada_clip *clip)
{
    const struct xml *xml = &model->collada.xml;
    if (clip->name != NULL)
        return bake_textz(model->builder, clip->name);
    if (model->collada.clip_count > 1)
        return bake_textz(model->builder, "default");
    const uint32_t only = xml_child(xml, xml_child(xml, 0, "library_animations"), "animation");
    const char *name = NULL;
    if (only != XML_NONE && xml_next(xml, only, "animation") == XML_NONE)
        name = xml_get(xml, only, "name") != NULL ? xml_get(xml, only, "name") : xml_get(xml, only, "id");
    return bake_textz(model->builder, name != NULL && name[0] != '\0' ? name : "animation");
}

/* Adds channels in node order: the file's nodes, then the added nodes. */
static int add_channels(struct collada_model *model, const struct collada_clip *clip, struct err *err)
{
    const uint32_t count = model->collada.node_count;
    uint32_t m = 0;
    for (uint32_t n = 1; n < count; n++) {
        if (add_node(model, clip, n, err) < 0)
            return err->code;
        while (m < model->morphed_count && (model->morphed[m].node < n || model->morphed[m].node >= count))
            m++;
        if (m < model->morphed_count && model->morphed[m].node == n &&
            add_weights(model, clip, &model->morphed[m], err) < 0)
            return err->code;
    }
    for (m = 0; m < model->morphed_count; m++)
        if (model->morphed[m].node >= count && add_weights(model, clip, &model->morphed[m], err) < 0)
            return err->code;
    return 0;
}

static int add_clip(struct collada_model *model, const struct collada_clip *clip, struct err *err)
{
    struct bake_builder *builder = model->builder;
    struct clip added = {.name = clip_name(model, clip),
                         .channel_first = builder->channel_count,
                         .duration_s =
                             collada_clip_is_whole(clip) || !isfinite(clip->end_s) ? 0 : clip->end_s - clip->start_s};
    if (add_channels(model, clip, err) < 0)
        return err_prefix(err, "clip '%s'", clip->name != NULL ? clip->name : "default");
    added.channel_count = builder->channel_count - added.channel_first;
    return import_put_clip(model->import, &added, err);
}

int collada_add_clips(struct collada_model *model, struct err *err)
{
    for (uint32_t c = 0; c < model->collada.clip_count; c++)
        if (add_clip(model, &model->collada.clips[c], err) < 0)
            return err->code;
    return 0;
}
