/* clip_lanes.c - follows the channels of lanes through the frames of a clip. */
#include "anim/compiled/clip_lanes.h"

#include "anim/compiled/clip_splines.h"
#include "anim/compiled/spline_end.h"
#include "anim/kernel/kernel_simd.h"
#include "anim/pose/sample.h"
#include "base/mem.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* One path of a lane. */
struct track {
    const struct channel *channel; /* NULL: the value never changes */
    const double *times;           /* [channel->key_count] */
    uint32_t key;                  /* the last one at or before the frame, or the first */
    double value[4];               /* in the frame; of splines, if it never changes */
    /* rotations along arcs: the one before, and whether q or -q is stored, so that neighbours lie in one hemisphere */
    double former[4], sign;
    /* splines between two keys: after and before them */
    struct spline_end after, next;
    bool has_ends; /* they were read */
};

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
    __builtin_prefetch(value + SPLINE_AHEAD_FLOATS);
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

/* A frame's values of one lane and path, and of their slopes: an element of every `width`. */
struct spline_column {
    float *values;
    uint32_t width;
};

/* n: 3 or 4 */
static inline f32x4 load_key(const float *from, uint32_t n)
{
    f32x4 v = {0};
    memcpy(&v, from, n * sizeof *from);
    return v;
}

/* Returns (float)(((double)a + (double)b) / 2) of each element. */
static inline f32x4 mean(f32x4 a, f32x4 b)
{
    f32x4 out;
    for (int i = 0; i < 4; i++)
        out[i] = (float)(((double)a[i] + (double)b[i]) / 2);
    return out;
}

/* Most frames are keys, whose floats are copied. n: 3 or 4, a constant where this is inlined. is_held: before the first
 * key, or after the last one. */
static inline void put_key(const struct model *model, const struct track *track, uint32_t n, uint32_t sides,
                           bool is_held, struct spline_column to)
{
    const float *in = model->key_values + track->channel->value_first + 3 * (size_t)n * track->key;
    __builtin_prefetch(in + SPLINE_AHEAD_FLOATS);
    const bool begins = is_held || track->key == 0, ends = is_held || track->key + 1 == track->channel->key_count;
    const f32x4 none = {0}, value = load_key(in + n, n);
    const f32x4 left = begins ? none : load_key(in, n), right = ends ? none : load_key(in + 2 * (size_t)n, n);
    const f32x4 slope = sides == FRAME_LEFT ? left : sides == FRAME_RIGHT ? right : mean(left, right);
    for (uint32_t i = 0; i < n; i++) {
        to.values[i * to.width] = value[i];
        to.values[(n + i) * to.width] = slope[i];
    }
}

static inline void put_between(const struct model *model, struct track *track, uint32_t n, double time_s,
                               struct spline_column to)
{
    const double from_s = track->times[track->key], distance_s = track->times[track->key + 1] - from_s;
    struct spline_end unused, inside;
    if (!track->has_ends) {
        spline_key(model, track->channel, track->key, &unused, &track->after);
        spline_key(model, track->channel, track->key + 1, &track->next, &unused);
    }
    track->has_ends = true;
    spline_between(&track->after, &track->next, n, (time_s - from_s) / distance_s, distance_s, &inside);
    for (uint32_t i = 0; i < n; i++) {
        to.values[i * to.width] = (float)inside.value[i];
        to.values[(n + i) * to.width] = (float)inside.slope[i];
    }
}

/* Does not normalize rotations. */
static inline void put_spline(const struct model *model, struct track *track, uint32_t n, double time_s, uint32_t sides,
                              struct spline_column to)
{
    for (uint32_t i = 0; i < n && track->channel == NULL; i++) {
        to.values[i * to.width] = (float)track->value[i];
        to.values[(n + i) * to.width] = 0;
    }
    if (track->channel == NULL)
        return;
    if (advance(track, time_s))
        track->has_ends = false;
    const double key_s = track->times[track->key];
    if (time_s > key_s && track->key + 1 < track->channel->key_count)
        put_between(model, track, n, time_s, to);
    else
        put_key(model, track, n, sides, time_s != key_s, to);
}

/* One path of a block. */
struct block_path {
    struct track tracks[LANE_WIDTH];
    uint32_t width;
    int path;
    bool is_cubic;
    uint32_t at; /* its place in a frame */
};

/* Fills one frame of a path that follows splines: vectors of values, and as many of slopes. */
static void put_splines(const struct clip_plan *plan, struct block_path *of, uint32_t frame, float *values)
{
    const double time_s = plan->times[frame];
    const uint32_t sides = plan->sides[frame];
    for (uint32_t l = 0; l < of->width; l++) {
        const struct spline_column to = {values + l, of->width};
        if (of->path == PATH_ROTATION)
            put_spline(plan->model, &of->tracks[l], 4, time_s, sides, to);
        else
            put_spline(plan->model, &of->tracks[l], 3, time_s, sides, to);
    }
}

static void put_linear(const struct clip_plan *plan, struct block_path *of, uint32_t frame, float *values)
{
    const bool is_rotation = of->path == PATH_ROTATION;
    for (uint32_t l = 0; l < of->width; l++) {
        struct track *track = &of->tracks[l];
        sample_linear(plan->model, track, of->path, plan->times[frame]);
        if (is_rotation)
            choose_side(track, frame == 0);
        for (uint32_t i = 0; i < (is_rotation ? 4u : 3u); i++)
            values[i * of->width + l] = (float)((is_rotation ? track->sign : 1) * track->value[i]);
    }
}

/* Returns how many paths there are: out[3 * block_count]. */
static uint32_t start_paths(const struct clip_plan *plan, const struct lane_block *blocks, uint32_t block_count,
                            struct block_path *out)
{
    static const int PATHS[3] = {PATH_ROTATION, PATH_TRANSLATION, PATH_SCALE};
    static const uint32_t CUBIC[3] = {LANES_CUBIC_ROTATE, LANES_CUBIC_TRANSLATE, LANES_CUBIC_SCALE};
    uint32_t count = 0;
    for (uint32_t b = 0; b < block_count; b++) {
        const uint32_t flags = blocks[b].flags, width = blocks[b].width;
        const uint32_t vectors[3] = {block_rotation_vectors(flags), block_translation_vectors(flags),
                                     block_scale_vectors(flags)};
        uint32_t at = blocks[b].frame_offset;
        for (int p = 0; p < 3; at += vectors[p++] * width) {
            if (vectors[p] == 0)
                continue;
            struct block_path *added = &out[count++];
            added->width = width;
            added->path = PATHS[p];
            added->is_cubic = (flags & CUBIC[p]) != 0;
            added->at = at;
            for (uint32_t l = 0; l < width; l++)
                start(&added->tracks[l], plan, blocks[b].rig_nodes[l], PATHS[p]);
        }
    }
    return count;
}

/* Frame by frame, as they lie in memory, which is new. */
void clip_lanes_put(const struct clip_plan *plan, const struct lane_block *blocks, uint32_t block_count,
                    uint32_t frame_floats, float *values)
{
    struct block_path *paths = mem_alloc(3 * (size_t)block_count * sizeof *paths);
    const uint32_t count = start_paths(plan, blocks, block_count, paths);
    for (uint32_t f = 0; f < plan->time_count; f++, values += frame_floats)
        for (uint32_t p = 0; p < count; p++)
            if (paths[p].is_cubic)
                put_splines(plan, &paths[p], f, values + paths[p].at);
            else
                put_linear(plan, &paths[p], f, values + paths[p].at);
    free(paths);
}
