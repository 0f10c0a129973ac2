/* compare_times.c - the times of a clip at which the models are compared: the keys of both, and times between them. */
#include "anim/compare/compare_internal.h"
#include "base/mem.h"

#include <stdlib.h>

enum { KEYS_MOST = 1000000, POSES_MOST = 20000 }; /* of a clip */
#define SAME_S  1e-5                              /* keys this close are one */
#define ROUNDED 3e-7 /* of a time: greatest difference of two files that store it as float32 */

static int by_time(const void *left, const void *right)
{
    const double a = *(const double *)left, b = *(const double *)right;
    return a < b ? -1 : a > b;
}

/* Collects the keys of a clip. An array of times that consecutive channels share is taken once. */
static uint32_t count_keys(const struct model *model, const struct clip *clip, double *out, uint32_t capacity,
                           bool *has_steps)
{
    uint32_t count = 0, last = UINT32_MAX;
    for (uint32_t c = clip->channel_first; c < clip->channel_first + clip->channel_count; c++) {
        const struct channel *channel = &model->channels[c];
        *has_steps = *has_steps || channel->interpolation == INTERPOLATION_STEP;
        if (channel->key_time_first == last)
            continue;
        last = channel->key_time_first;
        for (uint32_t k = 0; k < channel->key_count && count < capacity; k++, count++)
            if (out != NULL)
                out[count] = model->key_times[channel->key_time_first + k];
    }
    return count;
}

/* Sorts the times, and drops duplicates and times outside 0..end_s. */
static uint32_t sort_once(double *times, uint32_t count, double end_s)
{
    const double same_s = fmax(SAME_S, ROUNDED * end_s);
    uint32_t kept = 0;
    if (count > 1)
        qsort(times, count, sizeof *times, by_time);
    for (uint32_t i = 0; i < count; i++)
        if (times[i] >= 0 && times[i] <= end_s && (kept == 0 || times[i] - times[kept - 1] > same_s))
            times[kept++] = times[i];
    return kept;
}

/* Returns how many poses of the clip may be compared, so that steps are left for later clips. */
static uint32_t affordable(const struct compare *compare, uint32_t clips_left)
{
    uint64_t steps = 1 + compare->morph_count;
    for (int s = 0; s < COMPARE_SIDES; s++)
        steps += (uint64_t)compare->sides[s].model->node_count + compare->sides[s].model->weight_count;
    const uint64_t poses = compare->steps_left / (clips_left == 0 ? 1 : clips_left) / steps;
    return poses < POSES_MOST ? (uint32_t)poses : POSES_MOST;
}

void compare_times_make(struct compare_times *times, const struct compare *compare, const int32_t clips[COMPARE_SIDES],
                        uint32_t clips_left)
{
    const struct model *models[COMPARE_SIDES] = {compare->sides[COMPARE_OLD].model, compare->sides[COMPARE_NEW].model};
    double end_s = 0;
    bool has_steps = false;
    uint32_t count = 0;
    for (int s = 0; s < COMPARE_SIDES; s++) {
        end_s = fmax(end_s, models[s]->clips[clips[s]].duration_s);
        count += count_keys(models[s], &models[s]->clips[clips[s]], NULL, KEYS_MOST, &has_steps);
    }
    double *keys = mem_alloc(((size_t)count + 3) * sizeof *keys);
    count = 0;
    for (int s = 0; s < COMPARE_SIDES; s++) {
        count += count_keys(models[s], &models[s]->clips[clips[s]], keys + count, KEYS_MOST, &has_steps);
        keys[count++] = models[s]->clips[clips[s]].duration_s;
    }
    keys[count++] = 0;
    count = sort_once(keys, count, end_s);
    const uint32_t all = 2 * count - 1, most = affordable(compare, clips_left);
    times->shift_s = has_steps ? fmax(SAME_S, ROUNDED * end_s) : 0;
    times->count = all < most ? all : most;
    times->left_out = all - times->count;
    times->at = mem_alloc(((size_t)times->count + 1) * sizeof *times->at);
    for (uint32_t i = 0; i < times->count; i++) {
        const uint64_t place = times->count < 2 ? 0 : (uint64_t)i * (all - 1) / (times->count - 1), key = place / 2;
        times->at[i] = place % 2 == 1 ? (keys[key] + keys[key + 1]) / 2 : keys[key];
    }
    free(keys);
}

void compare_times_free(struct compare_times *times) { free(times->at); }
