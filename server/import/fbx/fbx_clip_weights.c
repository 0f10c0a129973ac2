/* fbx_clip_weights.c - converts a take's animation of a node's blend shapes: slider percents become weights of morph
 * targets. */
#include "import/curve/curve_fit.h"
#include "import/fbx/fbx_clip.h"
#include "import/fbx/fbx_deform.h"
#include "import/fbx_take/fbx_track.h"

#include "base/mem.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char SLIDER[] = "DeformPercent";

struct weighing {
    struct fbx_times extrema; /* of all sliders, during a fit */
    const struct fbx_blend *blend;
    struct fbx_motion *motions; /* [blend->channel_count], in percent; undriven ones have no sheets */
    double *rest;               /* [blend->target_count] */
    bool is_driven;
};

/* --- reading --- */

/* The property that drives a channel: its own, or a property of another object linked to it. Files that store shapes
 * within their meshes do the latter. */
static void find_driven(const struct fbx *fbx, uint32_t channel, uint32_t *object, struct fbx_span *property)
{
    uint32_t count;
    const struct fbx_link *links = fbx_children(&fbx->scene, channel, &count);
    *object = channel;
    *property = fbx_span_of(SLIDER);
    for (uint32_t i = 0; i < count; i++)
        if (fbx_span_is(links[i].property, SLIDER) && links[i].child_property.size_bytes > 0) {
            *object = links[i].child;
            *property = links[i].child_property;
        }
}

static int read_weighing(struct weighing *weighing, const struct fbx *fbx, const struct fbx_take_reader *reader,
                         const struct fbx_blend *blend, struct err *err)
{
    *weighing = (struct weighing){
        .blend = blend,
        .motions = mem_zalloc(blend->channel_count, sizeof *weighing->motions),
        .rest = mem_zalloc(blend->target_count, sizeof *weighing->rest),
    };
    for (uint32_t c = 0; c < blend->channel_count; c++) {
        const struct fbx_channel *channel = &blend->channels[c];
        struct fbx_motion *motion = &weighing->motions[c];
        struct fbx_span property;
        uint32_t object;
        fbx_channel_weights(channel, channel->percent, weighing->rest + channel->target_first);
        motion->rest[0] = channel->percent;
        find_driven(fbx, channel->object, &object, &property);
        if (fbx_motion_read(motion, reader, object, property, err) < 0)
            return err_prefix(err, "%s", FBX_OBJECT_TEXT(&fbx->scene, channel->object));
        weighing->is_driven |= motion->sheet_count > 0;
    }
    return 0;
}

static void fini(struct weighing *weighing)
{
    for (uint32_t c = 0; c < weighing->blend->channel_count; c++)
        fbx_motion_fini(&weighing->motions[c]);
    free(weighing->motions);
    free(weighing->rest);
}

/* --- as the file has them --- */

/* A slider with one shape is linear, so its weight is a multiple of the file's curve. */
static bool is_line(const struct weighing *weighing, uint32_t c)
{
    const struct fbx_channel *channel = &weighing->blend->channels[c];
    return weighing->motions[c].sheet_count == 0 ||
           (channel->shape_count == 1 && channel->full_percents[0] != 0 && fbx_motion_is_plain(&weighing->motions[c]));
}

static int exact_track(struct track *track, const struct weighing *weighing, double stop_s, uint64_t value_limit,
                       bool *is_exact, struct err *err)
{
    const struct fbx_blend *blend = weighing->blend;
    *is_exact = true;
    for (uint32_t c = 0; c < blend->channel_count; c++)
        *is_exact &= is_line(weighing, c);
    if (!*is_exact)
        return 0;
    struct fbx_component *components = mem_zalloc(blend->target_count, sizeof *components);
    for (uint32_t t = 0; t < blend->target_count; t++)
        components[t].constant = weighing->rest[t];
    for (uint32_t c = 0; c < blend->channel_count; c++) {
        const struct fbx_motion *motion = &weighing->motions[c];
        if (motion->sheet_count == 0)
            continue;
        const struct fbx_sheet *sheet = &motion->sheets[0];
        const double factor = 1 / blend->channels[c].full_percents[0];
        components[blend->channels[c].target_first] = (struct fbx_component){
            .curve = &sheet->curves[0],
            .factor = factor,
            .constant = sheet->curves[0].key_count > 0 ? 0 : factor * sheet->defaults[0],
        };
    }
    const int rc = fbx_track_exact(track, components, blend->target_count, stop_s, value_limit, is_exact, err);
    free(components);
    return rc;
}

/* --- fitted --- */

static double percent_at(struct fbx_motion *motion, double time_s)
{
    double percent[3];
    fbx_motion_at(motion, time_s, percent);
    return percent[0];
}

static void weights_at(void *user, double time_s, double *out)
{
    const struct weighing *weighing = user;
    const struct fbx_blend *blend = weighing->blend;
    memcpy(out, weighing->rest, blend->target_count * sizeof *out);
    for (uint32_t c = 0; c < blend->channel_count; c++)
        if (weighing->motions[c].sheet_count > 0)
            fbx_channel_weights(&blend->channels[c], percent_at(&weighing->motions[c], time_s),
                                out + blend->channels[c].target_first);
}

/* The time at which a slider crosses `percent`, between two times at which it is on opposite sides of it. */
static double crossing(struct fbx_motion *motion, double percent, double from_s, double to_s)
{
    const bool is_above = percent_at(motion, from_s) > percent;
    for (;;) {
        const double middle_s = from_s + (to_s - from_s) / 2;
        if (!(middle_s > from_s && middle_s < to_s))
            return to_s;
        if ((percent_at(motion, middle_s) > percent) == is_above)
            from_s = middle_s;
        else
            to_s = middle_s;
    }
}

/* Weights have a corner where a slider passes a shape, so a piece begins there. `times` holds the times of keys and
 * extrema. The search divides each interval between two of them into eight parts, and finds a crossing in a part that
 * the slider crosses once. */
static void add_corners(struct fbx_times *corners, const struct fbx_times *times, struct fbx_motion *motion,
                        double percent)
{
    enum { PARTS = 8 };
    double *found_s = mem_alloc((size_t)times->count * PARTS * sizeof *found_s);
    uint32_t count = 0;
    for (uint64_t i = 0; i + PARTS < (uint64_t)times->count * PARTS; i++) {
        const double start_s = times->times_s[i / PARTS], span_s = times->times_s[i / PARTS + 1] - start_s;
        const double from_s = start_s + span_s * (double)(i % PARTS) / PARTS;
        const double to_s = fmin(from_s + span_s / PARTS, nextafter(start_s + span_s, -HUGE_VAL));
        const double from = percent_at(motion, from_s) - percent, to = percent_at(motion, to_s) - percent;
        if (from == 0)
            found_s[count++] = from_s;
        else if (to_s > from_s && (from < 0 ? to > 0 : to < 0))
            found_s[count++] = crossing(motion, percent, from_s, to_s);
    }
    fbx_times_merge(corners, found_s, count);
    free(found_s);
}

static void weight_times(const struct weighing *weighing, double stop_s, struct fbx_times *times,
                         struct fbx_times *extrema)
{
    struct fbx_times keys = {0};
    *times = *extrema = (struct fbx_times){0};
    for (uint32_t c = 0; c < weighing->blend->channel_count; c++) {
        fbx_motion_times(&weighing->motions[c], stop_s, &keys);
        fbx_motion_extrema(&weighing->motions[c], stop_s, &keys);
        fbx_motion_extrema(&weighing->motions[c], stop_s, extrema);
    }
    for (uint32_t c = 0; c < weighing->blend->channel_count; c++) {
        const struct fbx_channel *channel = &weighing->blend->channels[c];
        fbx_motion_times(&weighing->motions[c], stop_s, times);
        if (is_line(weighing, c))
            continue;
        add_corners(times, &keys, &weighing->motions[c], 0);
        for (uint32_t s = 0; s < channel->shape_count; s++)
            add_corners(times, &keys, &weighing->motions[c], channel->full_percents[s]);
    }
    fbx_times_complete(times);
    fbx_times_fini(&keys);
}

static const double *weight_extrema(void *user, uint32_t *count)
{
    const struct weighing *weighing = user;
    *count = weighing->extrema.count;
    return weighing->extrema.times_s;
}

static int fitted_track(struct track *track, struct weighing *weighing, double stop_s, uint64_t value_limit,
                        bool *is_near, struct err *err)
{
    struct fbx_times times;
    weight_times(weighing, stop_s, &times, &weighing->extrema);
    const struct curve_fit fit = {
        .at = weights_at,
        .user = weighing,
        .times_s = times.times_s,
        .time_count = times.count,
        .extrema = weight_extrema,
        .components = weighing->blend->target_count,
        .bound = CURVE_FIT_BOUND / 2,
        .may_step = true,
        .key_limit = value_limit / weighing->blend->target_count,
    };
    const int rc = curve_fit(track, &fit, is_near, err);
    fbx_times_fini(&times);
    fbx_times_fini(&weighing->extrema);
    return rc;
}

/* --- the channel --- */

static bool is_rest(const struct weighing *weighing, const struct track *track)
{
    for (uint32_t t = 0; t < track->components; t++)
        if ((float)track->values[t] != (float)weighing->rest[t])
            return false;
    return track->count == 1;
}

static int add_track(struct fbx *fbx, struct weighing *weighing, uint32_t n, double stop_s, struct err *err)
{
    const uint64_t value_limit = fbx->import->limits->value[LIMIT_KEYS];
    struct track track = {0};
    bool is_exact, is_near = true;
    int rc = exact_track(&track, weighing, stop_s, value_limit, &is_exact, err);
    if (rc == 0 && !is_exact)
        rc = fitted_track(&track, weighing, stop_s, value_limit, &is_near, err);
    if (!is_near)
        bake_warn(fbx->builder, "curve_approximated",
                  "%s: weights of its shapes stand upright between keys, which is followed less closely there",
                  FBX_OBJECT_TEXT(&fbx->scene, fbx->object_of[n]));
    if (rc == 0 && !is_rest(weighing, &track))
        rc = track_put(&track, fbx->import, n, PATH_WEIGHTS, err);
    track_fini(&track);
    return rc;
}

int fbx_add_weight_channel(struct fbx *fbx, const struct fbx_take_reader *reader, uint32_t n, double stop_s,
                           struct err *err)
{
    const uint32_t geometry = fbx->geometry_of[n];
    struct fbx_blend blend;
    struct weighing weighing;
    if (geometry == FBX_NONE || fbx->builder->nodes[n].weight_count == 0)
        return 0;
    int rc = fbx_blend_read(fbx, geometry, &blend, err);
    if (rc == 0 && blend.target_count > 0 && blend.target_count == fbx->builder->nodes[n].weight_count) {
        rc = read_weighing(&weighing, fbx, reader, &blend, err);
        if (rc == 0 && weighing.is_driven)
            rc = add_track(fbx, &weighing, n, stop_s, err);
        fini(&weighing);
    }
    fbx_blend_fini(&blend);
    return rc;
}
