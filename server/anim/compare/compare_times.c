/* compare_times.c - the times of a clip at which the models are compared: the keys of both, and times between them. */
#include "anim/compare/compare_internal.h"
#include "anim/pose/appearance.h"
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
static uint32_t count_keys(const struct model *model, int32_t index, double *out, uint32_t capacity, bool *has_steps)
{
    const struct clip *clip = &model->clips[index];
    uint32_t count = 0, last = UINT32_MAX, property_count;
    const struct property_channel *properties = appearance_channels(model, (uint32_t)index, &property_count);
    for (uint32_t c = 0; c < clip->channel_count + property_count; c++) {
        const struct channel *channel = c < clip->channel_count ? &model->channels[clip->channel_first + c]
                                                                : &properties[c - clip->channel_count].channel;
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

/* Sorts the times, and drops duplicates and times outside the range. */
static uint32_t sort_once(double *times, uint32_t count, double first_s, double end_s)
{
    const double same_s = fmax(SAME_S, ROUNDED * end_s);
    uint32_t kept = 0;
    if (count > 1)
        qsort(times, count, sizeof *times, by_time);
    for (uint32_t i = 0; i < count; i++)
        if (times[i] >= first_s && times[i] <= end_s && (kept == 0 || times[i] - times[kept - 1] > same_s))
            times[kept++] = times[i];
    return kept;
}

/* Returns how many poses of the clip may be compared, so that steps are left for later clips. */
static uint32_t affordable(const struct compare *compare, uint32_t clips_left)
{
    uint64_t steps = 1 + compare->morph_count + looks_steps(compare);
    for (int s = 0; s < COMPARE_SIDES; s++)
        steps += pose_step_count(compare->sides[s].model);
    const uint64_t poses = compare->steps_left / (clips_left == 0 ? 1 : clips_left) / steps;
    return poses < POSES_MOST ? (uint32_t)poses : POSES_MOST;
}

/* Lists the keys of both clips in times of the new one. Returns their number. */
static uint32_t list_keys(const struct compare *compare, const int32_t clips[COMPARE_SIDES],
                          const struct compare_times *times, double **out, bool *has_steps)
{
    const struct model *models[COMPARE_SIDES] = {compare->sides[COMPARE_OLD].model, compare->sides[COMPARE_NEW].model};
    uint32_t count = 0;
    for (int s = 0; s < COMPARE_SIDES; s++)
        count += count_keys(models[s], clips[s], NULL, KEYS_MOST, has_steps);
    double *keys = *out = mem_alloc(((size_t)count + 5) * sizeof *keys);
    count = count_keys(models[COMPARE_OLD], clips[COMPARE_OLD], keys, KEYS_MOST, has_steps);
    keys[count++] = models[COMPARE_OLD]->clips[clips[COMPARE_OLD]].duration_s;
    for (uint32_t i = 0; i < count; i++)
        keys[i] = times->firsts[COMPARE_NEW] + (keys[i] - times->firsts[COMPARE_OLD]) / times->scale;
    count += count_keys(models[COMPARE_NEW], clips[COMPARE_NEW], keys + count, KEYS_MOST, has_steps);
    return count;
}

/* Picks keys and the middles between them. */
static void pick(struct compare_times *times, const double *keys, uint32_t count, uint32_t most)
{
    const uint32_t all = count == 0 ? 0 : 2 * count - 1;
    times->count = all < most ? all : most;
    times->left_out = all - times->count;
    times->at = mem_alloc(((size_t)times->count + 2) * sizeof *times->at);
    for (uint32_t i = 0; i < times->count; i++) {
        const uint64_t place = times->count < 2 ? 0 : (uint64_t)i * (all - 1) / (times->count - 1), key = place / 2;
        times->at[i] = place % 2 == 1 ? (keys[key] + keys[key + 1]) / 2 : keys[key];
    }
}

void compare_times_make(struct compare_times *times, const struct compare *compare, const int32_t clips[COMPARE_SIDES],
                        enum clip_mapping mapping, uint32_t clips_left)
{
    const struct clip *old = &compare->sides[COMPARE_OLD].model->clips[clips[COMPARE_OLD]];
    const struct clip *new = &compare->sides[COMPARE_NEW].model->clips[clips[COMPARE_NEW]];
    const bool is_phase = mapping == MAPPING_PHASE;
    const double lengths[COMPARE_SIDES] = {old->duration_s - old->start_s, new->duration_s - new->start_s};
    const double first_s = is_phase ? new->start_s : 0;
    const double end_s = is_phase ? new->duration_s : fmin(old->duration_s, new->duration_s);
    bool has_steps = false;
    double *keys;
    *times = (struct compare_times){.scale = 1};
    if (is_phase) {
        times->firsts[COMPARE_OLD] = old->start_s;
        times->firsts[COMPARE_NEW] = new->start_s;
        times->scale =
            lengths[COMPARE_OLD] > 0 && lengths[COMPARE_NEW] > 0 ? lengths[COMPARE_OLD] / lengths[COMPARE_NEW] : 1;
    }
    uint32_t count = list_keys(compare, clips, times, &keys, &has_steps);
    keys[count++] = first_s;
    keys[count++] = end_s;
    count = sort_once(keys, count, first_s, end_s);
    times->shift_s = has_steps ? fmax(SAME_S, ROUNDED * end_s) : 0;
    pick(times, keys, count, affordable(compare, clips_left));
    const double last_s = fmax(old->duration_s, new->duration_s);
    if (!is_phase && last_s - end_s > SAME_S && last_s - end_s <= CLIP_FRAME_S && times->count > 0) {
        times->at[times->count++] = last_s;
        times->tail = 1;
    }
    free(keys);
}

void compare_times_free(struct compare_times *times) { free(times->at); }
