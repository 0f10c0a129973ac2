/* key_pose.c - scores the poses of a clip and picks one. */
#include "render/camera/key_pose.h"

#include "base/err.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double WIDTH_SHARE = 0.25;    /* weight of the width, relative to the distance from the rest pose */
static const double DISTANCE_SHARE = 0.25; /* weight of the distance, relative to how a timeline's pose stands */
static const double TIMELINE_S = 8;        /* a single clip at least this long is a timeline */
static const double MUCH_BETTER = 1e-6;    /* closer scores are equal, and the earlier time wins */
static const double NEARLY = 0.9;          /* of the best score: good enough if it avoids an unusual state */
static const float SHRUNK = 0.5f, FAR_WEIGHT = 0.5f;
/* Shares of the greatest area: below HIDDEN a pose hardly shows the model, from SHOWN on it shows enough. */
static const double HIDDEN = 0.25, SHOWN = 0.5;
/* A step this many times as long as the median step, and this share of the widest pose, is a jump. It ends a
 * calibration when it comes in the first share of the poses. */
static const double JUMP_STEPS = 8, JUMP_WIDTH = 0.1, JUMP_WITHIN = 0.1;
static const double AT_REST = 0.1; /* of the greatest distance: a pose of a timeline that shows nothing else */

static void watch(struct key_pose_search *search, uint32_t node, uint32_t weight)
{
    if (search->watched_count < KEY_POSE_WATCHED_MAX)
        search->watched[search->watched_count++] = (struct pose_watch){node, weight};
}

/* Many exporters write scales that never change. */
static bool is_moving(const struct model *model, const struct channel *channel)
{
    const size_t row = (size_t)channel->component_count * (channel->interpolation == INTERPOLATION_CUBICSPLINE ? 3 : 1);
    const float *values = model->key_values + channel->value_first;
    for (size_t i = row; i < channel->key_count * row; i++)
        if (values[i] != values[i - row])
            return true;
    return false;
}

int key_pose_init(struct key_pose_search *search, const struct model *model, int32_t clip, struct err *err)
{
    search->watched = malloc(KEY_POSE_WATCHED_MAX * sizeof *search->watched);
    if (search->watched == NULL)
        return err_set(err, ERR_NO_MEMORY, "no memory for the moments of a clip");
    const struct clip *played = clip == POSE_REST ? NULL : &model->clips[clip];
    search->is_timeline =
        played != NULL && model->clip_count == 1 && played->duration_s - played->start_s >= TIMELINE_S;
    for (uint32_t c = 0; played != NULL && c < played->channel_count; c++) {
        const struct channel *channel = &model->channels[played->channel_first + c];
        const struct node *node = &model->nodes[channel->node];
        if (!is_moving(model, channel))
            continue;
        if (channel->path == PATH_SCALE)
            watch(search, channel->node, UINT32_MAX);
        for (uint32_t w = 0; channel->path == PATH_WEIGHTS && w < node->weight_count; w++)
            watch(search, channel->node, node->weight_first + w);
    }
    search->values = malloc(((size_t)KEY_POSE_POSES_MAX * search->watched_count + 1) * sizeof *search->values);
    return search->values == NULL ? err_set(err, ERR_NO_MEMORY, "no memory for the moments of a clip") : 0;
}

static float value_of(const struct pose_watch *watched, const struct pose *pose)
{
    if (watched->weight != UINT32_MAX)
        return (float)pose->weights[watched->weight];
    const double *scale = pose->local[watched->node].scale;
    return (float)fmin(fabs(scale[0]), fmin(fabs(scale[1]), fabs(scale[2])));
}

double points_area(const struct vec3 *points, uint32_t count)
{
    double sum[3] = {0}, product[3][3] = {{0}}, square = 0;
    for (uint32_t i = 0; i < count; i++) {
        const double at[3] = {(double)points[i].x - (double)points[0].x, (double)points[i].y - (double)points[0].y,
                              (double)points[i].z - (double)points[0].z};
        for (int a = 0; a < 3; a++) {
            sum[a] += at[a] / count;
            for (int b = 0; b < 3; b++)
                product[a][b] += at[a] * at[b] / count;
        }
    }
    for (int a = 0; a < 3; a++)
        for (int b = 0; b < 3; b++)
            product[a][b] -= sum[a] * sum[b];
    for (int a = 0, b = 1; a < 3; a++, b = (b + 1) % 3)
        square += product[a][a] * product[b][b] - product[a][b] * product[b][a];
    return sqrt(fmax(square, 0));
}

static double height_of(const struct vec3 *point, const float up[3])
{
    return (double)point->x * (double)up[0] + (double)point->y * (double)up[1] + (double)point->z * (double)up[2];
}

double points_upright(const struct vec3 *rest, const struct vec3 *points, uint32_t count, const float up[3])
{
    double mean[3] = {0}, height = 0, leaned[3] = {0};
    for (uint32_t i = 0; i < count; i++) {
        const double *at = DOUBLE3(points[i]);
        for (int a = 0; a < 3; a++)
            mean[a] += at[a] / count;
        height += height_of(&rest[i], up) / count;
    }
    for (uint32_t i = 0; i < count; i++) {
        const double *at = DOUBLE3(points[i]);
        const double above = height_of(&rest[i], up) - height;
        for (int a = 0; a < 3; a++)
            leaned[a] += above * (at[a] - mean[a]);
    }
    const double length = sqrt(leaned[0] * leaned[0] + leaned[1] * leaned[1] + leaned[2] * leaned[2]);
    const double along = leaned[0] * (double)up[0] + leaned[1] * (double)up[1] + leaned[2] * (double)up[2];
    return length > 0 ? along / length : 1;
}

void key_pose_add(struct key_pose_search *search, const struct pose *pose, double time_s,
                  const struct pose_score *score)
{
    const uint32_t at = search->count++;
    search->times_s[at] = time_s;
    search->scores[at] = *score;
    for (uint32_t i = 0; i < search->watched_count; i++)
        search->values[(size_t)at * search->watched_count + i] = value_of(&search->watched[i], pose);
}

static int compare(const void *a, const void *b)
{
    const float x = *(const float *)a, y = *(const float *)b;
    return (x > y) - (x < y);
}

static float median_of(const struct key_pose_search *search, uint32_t watched)
{
    float values[KEY_POSE_POSES_MAX] = {0};
    for (uint32_t p = 0; p < search->count; p++)
        values[p] = search->values[(size_t)p * search->watched_count + watched];
    qsort(values, search->count, sizeof *values, compare);
    return values[search->count / 2];
}

/* Sets is_odd[p] for each pose p in which something is in an unusual state. */
static void find_odd(const struct key_pose_search *search, bool is_odd[KEY_POSE_POSES_MAX])
{
    for (uint32_t i = 0; i < search->watched_count && search->count > 0; i++) {
        const float usual = median_of(search, i);
        const bool is_weight = search->watched[i].weight != UINT32_MAX;
        for (uint32_t p = 0; p < search->count; p++) {
            const float value = search->values[(size_t)p * search->watched_count + i];
            is_odd[p] |= is_weight ? fabsf(value - usual) > FAR_WEIGHT : value < SHRUNK * usual;
        }
    }
}

static double greatest_area(const struct key_pose_search *search, double end_s)
{
    double greatest = 0;
    for (uint32_t p = 0; p < search->count; p++)
        if (search->times_s[p] <= end_s)
            greatest = fmax(greatest, search->scores[p].area);
    return greatest;
}

static int compare_steps(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Returns the number of poses before a jump near the beginning. Clips whose values are stepped jump everywhere. */
static uint32_t count_before_jump(const struct key_pose_search *search)
{
    double steps[KEY_POSE_POSES_MAX], widest = 0;
    for (uint32_t p = 0; p < search->count; p++) {
        steps[p] = search->scores[p].step;
        widest = fmax(widest, search->scores[p].width);
    }
    if (search->count == 0)
        return 0;
    qsort(steps, search->count, sizeof *steps, compare_steps);
    const double median = steps[search->count / 2], least = fmax(JUMP_STEPS * median, JUMP_WIDTH * widest);
    uint32_t first = 0;
    for (uint32_t p = 1; p <= JUMP_WITHIN * search->count && median > 0; p++)
        if (search->scores[p].step > least)
            first = p;
    return first;
}

/* Returns the number of poses from `at` on, in steps of 1 or -1, that calibrate. */
static uint32_t count_calibration(const struct key_pose_search *search, uint32_t at, int step)
{
    uint32_t count = 0;
    if (search->count == 0 || search->scores[at].calibration != CALIBRATION_FULL)
        return 0;
    for (; count < search->count && search->scores[at].calibration != CALIBRATION_NONE; count++)
        at += (uint32_t)(count + 1 < search->count ? step : 0);
    return count;
}

/* Marks poses that calibrate, unless they are all there is. */
static void leave_out_calibration(const struct key_pose_search *search, bool is_left_out[KEY_POSE_POSES_MAX])
{
    const uint32_t count = search->count, last = count_calibration(search, count - 1, -1);
    uint32_t first = count_calibration(search, 0, 1);
    double farthest = 0;
    if (first == 0)
        first = count_before_jump(search);
    for (uint32_t p = 0; p < count; p++)
        farthest = fmax(farthest, search->scores[p].distance);
    for (uint32_t p = 0; p < count && first + last < count; p++)
        is_left_out[p] =
            p < first || p >= count - last || (search->is_timeline && search->scores[p].distance < AT_REST * farthest);
}

/* Returns the index of the greatest of `values`, without those that `is_left_out` marks; UINT32_MAX: none is above
 * `least`. */
static uint32_t find_best(const struct key_pose_search *search, const double *values, double end_s,
                          const bool *is_left_out, double least)
{
    uint32_t best = UINT32_MAX;
    for (uint32_t p = 0; p < search->count; p++)
        if (values[p] > least + MUCH_BETTER && search->times_s[p] <= end_s && !is_left_out[p]) {
            best = p;
            least = values[p];
        }
    return best;
}

static void find_values(const struct key_pose_search *search, double values[KEY_POSE_POSES_MAX])
{
    double farthest = 0, widest = 0;
    for (uint32_t p = 0; p < search->count; p++) {
        farthest = fmax(farthest, search->scores[p].distance);
        widest = fmax(widest, search->scores[p].width);
    }
    for (uint32_t p = 0; p < search->count; p++) {
        const struct pose_score *score = &search->scores[p];
        const double distance = farthest > 0 ? score->distance / farthest : 0;
        const double width = widest > 0 ? score->width / widest : 0;
        values[p] = search->is_timeline ? fmax(score->upright, 0) * width + DISTANCE_SHARE * distance
                                        : distance + WIDTH_SHARE * width;
    }
}

/* Returns the index of the greatest value among poses that show enough of the model; UINT32_MAX: none. *least_area: the
 * area that they have. */
static uint32_t find_shown(const struct key_pose_search *search, const double *values, double end_s,
                           const bool *is_left_out, double *least_area)
{
    const double area = greatest_area(search, end_s);
    bool is_hidden[KEY_POSE_POSES_MAX];
    *least_area = HIDDEN * area;
    const uint32_t best = find_best(search, values, end_s, is_left_out, -1);
    if (best == UINT32_MAX || search->scores[best].area >= *least_area)
        return best;
    *least_area = SHOWN * area;
    for (uint32_t p = 0; p < search->count; p++)
        is_hidden[p] = is_left_out[p] || search->scores[p].area < *least_area;
    return find_best(search, values, end_s, is_hidden, -1);
}

double key_pose_find(const struct key_pose_search *search, double end_s, double otherwise_s)
{
    double values[KEY_POSE_POSES_MAX], least_area;
    bool is_left_out[KEY_POSE_POSES_MAX] = {false}, is_odd[KEY_POSE_POSES_MAX] = {false};
    if (greatest_area(search, end_s) <= 0 && greatest_area(search, HUGE_VAL) > 0)
        end_s = HUGE_VAL; /* only the last pose shows anything */
    find_values(search, values);
    leave_out_calibration(search, is_left_out);
    uint32_t best = find_shown(search, values, end_s, is_left_out, &least_area);
    if (best == UINT32_MAX) { /* a calibration is all that is seen */
        memset(is_left_out, 0, sizeof is_left_out);
        best = find_shown(search, values, end_s, is_left_out, &least_area);
    }
    if (best == UINT32_MAX)
        return otherwise_s;
    find_odd(search, is_odd);
    if (!is_odd[best])
        return search->times_s[best];
    for (uint32_t p = 0; p < search->count; p++)
        is_left_out[p] |= is_odd[p] || search->scores[p].area < least_area;
    const uint32_t usual = find_best(search, values, end_s, is_left_out, NEARLY * values[best]);
    return search->times_s[usual == UINT32_MAX ? best : usual];
}

void key_pose_fini(struct key_pose_search *search)
{
    free(search->watched);
    free(search->values);
    search->watched = NULL;
    search->values = NULL;
}
