/* clip_lanes.c - follows the channels of lanes through the frames of a clip. */
#include "anim/compiled/clip_lanes.h"

#include "anim/compiled/clip_splines.h"
#include "anim/compiled/spline_end.h"
#include "anim/pose/sample.h"

#include <math.h>
#include <string.h>

/* One path of a lane. */
struct track {
    const struct channel *channel; /* NULL: the value never changes */
    const double *times;           /* [channel->key_count] */
    uint32_t key;                  /* the last one at or before the frame, or the first */
    double value[4], slope[4];     /* in the frame; slopes are of splines */
    /* rotations along arcs: the one before, and whether q or -q is stored, so that neighbours lie in one hemisphere */
    double former[4], sign;
    /* splines: on both sides of the key, and before the next one */
    struct spline_end before, after, next;
    bool has_next; /* `next` was read */
};

static void read_spline(const struct model *model, struct track *track)
{
    spline_key(model, track->channel, track->key, &track->before, &track->after);
    track->has_next = false;
}

/* Most frames are keys, and need no other. */
static void read_next(const struct model *model, struct track *track)
{
    struct spline_end unused;
    if (!track->has_next)
        spline_key(model, track->channel, track->key + 1, &track->next, &unused);
    track->has_next = true;
}

static void start(struct track *track, const struct clip_plan *plan, uint32_t rig_node, int path)
{
    const struct model *model = plan->model;
    *track = (struct track){.value = {0, 0, 0, 1}}; /* unused lanes need a valid rotation too */
    if (rig_node >= model->rig_node_count)
        return;
    const struct trs *local = &plan->pose.local[model->rig_nodes[rig_node].node];
    const double *const still[3] = {local->translation, local->rotation, local->scale};
    memcpy(track->value, still[path], (path == PATH_ROTATION ? 4 : 3) * sizeof *track->value);
    if ((plan->motions[rig_node] & MOTION_MOVES << path) == 0)
        return;
    track->channel = &model->channels[plan->channels[rig_node][path]];
    track->times = model->key_times + track->channel->key_time_first;
    if (track->channel->interpolation == INTERPOLATION_CUBICSPLINE)
        read_spline(model, track);
}

/* Moves on to the last key at or before a time that is not before the last one. True: to another key. */
static bool advance(struct track *track, double time_s)
{
    const uint32_t former = track->key;
    while (track->key + 1 < track->channel->key_count && track->times[track->key + 1] <= time_s)
        track->key++;
    return track->key != former;
}

/* Takes the rotation of a key at exactly this time from the file. quat_repair() would normalize it, which the kernels
 * do too, and rounding that to float again would turn it. False: there is none, or it is not of unit length. */
static bool take_key(const struct model *model, struct track *track, double time_s)
{
    const float *value = model->key_values + track->channel->value_first + 4 * (size_t)track->key;
    const bool is_between = time_s > track->times[track->key] && track->key + 1 < track->channel->key_count;
    double square = 0;
    for (int i = 0; i < 4; i++)
        square += (double)value[i] * (double)value[i];
    const bool is_taken = !is_between && fabs(square - 1) < 1e-5;
    for (int i = 0; i < 4 && is_taken; i++)
        track->value[i] = (double)value[i];
    return is_taken;
}

static void sample_linear(const struct model *model, struct track *track, int path, double time_s)
{
    if (track->channel == NULL)
        return;
    advance(track, time_s);
    if (path != PATH_ROTATION || !take_key(model, track, time_s))
        sample_channel_at(model, track->channel, track->key, time_s, track->value);
}

/* Takes the side to which quat_slerp() turns from the previous frame: both are keys, or lie on the arc between two. */
static void choose_side(struct track *track, bool is_first)
{
    const double dot = dot4(track->former, track->value);
    track->sign = is_first ? 1 : dot < 0 ? -track->sign : track->sign;
    memcpy(track->former, track->value, sizeof track->former);
}

/* Does not normalize rotations. */
static void sample_spline(const struct model *model, struct track *track, double time_s, uint32_t sides)
{
    struct spline_end inside;
    const struct spline_end *left = &track->before, *right = &track->after;
    if (track->channel == NULL)
        return;
    if (advance(track, time_s))
        read_spline(model, track);
    const uint32_t n = track->channel->component_count;
    const double *times = track->times + track->key;
    const double from_s = times[0];
    if (time_s > from_s && track->key + 1 < track->channel->key_count) {
        const double distance_s = times[1] - from_s;
        read_next(model, track);
        spline_between(&track->after, &track->next, n, (time_s - from_s) / distance_s, distance_s, &inside);
        left = right = &inside;
    }
    const bool holds = left != &inside && time_s != from_s; /* before the first key, after the last one */
    for (uint32_t i = 0; i < n; i++) {
        track->value[i] = right->value[i];
        track->slope[i] = holds                  ? 0
                          : sides == FRAME_LEFT  ? left->slope[i]
                          : sides == FRAME_RIGHT ? right->slope[i]
                                                 : (left->slope[i] + right->slope[i]) / 2;
    }
}

/* Fills one path of a block: `count` vectors of its width in each frame from `values` on. */
static void put_path(const struct clip_plan *plan, const struct lane_block *block, int path, bool is_cubic,
                     uint32_t frame_floats, float *values)
{
    struct track tracks[LANE_WIDTH];
    const uint32_t width = block->width, count = path == PATH_ROTATION ? 4 : 3;
    for (uint32_t l = 0; l < width; l++)
        start(&tracks[l], plan, block->rig_nodes[l], path);
    for (uint32_t f = 0; f < plan->time_count; f++, values += frame_floats)
        for (uint32_t l = 0; l < width; l++) {
            struct track *track = &tracks[l];
            if (is_cubic)
                sample_spline(plan->model, track, plan->times[f], plan->sides[f]);
            else
                sample_linear(plan->model, track, path, plan->times[f]);
            if (!is_cubic && path == PATH_ROTATION)
                choose_side(track, f == 0);
            const double sign = !is_cubic && path == PATH_ROTATION ? track->sign : 1;
            for (uint32_t i = 0; i < count; i++)
                values[i * width + l] = (float)(sign * track->value[i]);
            for (uint32_t i = 0; i < count && is_cubic; i++)
                values[(count + i) * width + l] = (float)track->slope[i];
        }
}

void clip_lanes_put(const struct clip_plan *plan, const struct lane_block *blocks, uint32_t block_count,
                    uint32_t frame_floats, float *values)
{
    static const int PATHS[3] = {PATH_ROTATION, PATH_TRANSLATION, PATH_SCALE};
    static const uint32_t CUBIC[3] = {LANES_CUBIC_ROTATE, LANES_CUBIC_TRANSLATE, LANES_CUBIC_SCALE};
    for (uint32_t b = 0; b < block_count; b++) {
        const uint32_t flags = blocks[b].flags;
        const uint32_t vectors[3] = {block_rotation_vectors(flags), block_translation_vectors(flags),
                                     block_scale_vectors(flags)};
        float *to = values + blocks[b].frame_offset;
        for (int p = 0; p < 3; to += vectors[p++] * blocks[b].width)
            if (vectors[p] > 0)
                put_path(plan, &blocks[b], PATHS[p], (flags & CUBIC[p]) != 0, frame_floats, to);
    }
}
