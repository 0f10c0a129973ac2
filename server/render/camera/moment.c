#include "render/camera/moment.h"

#include "base/err.h"

#include <math.h>
#include <stdlib.h>

static const double WIDTH_SHARE = 0.25; /* what width counts beside the distance from the rest pose */
static const double MUCH_BETTER = 1e-6; /* scores nearer to each other are equal: the earlier moment is taken */
static const double NEARLY = 0.9;       /* of the best score: as good, where something is usual that is not there */
static const float SHRUNK = 0.5f, FAR_WEIGHT = 0.5f;
/* Of the greatest area: with less of it a pose hardly shows the model, from here on it shows enough. */
static const double HIDDEN = 0.25, SHOWN = 0.5;

static void watch(struct moments *moments, uint32_t node, uint32_t weight)
{
    if (moments->watched_count < MOMENT_WATCHED_MAX)
        moments->watched[moments->watched_count++] = (struct moment_watch){node, weight};
}

/* Many exporters write scales that stay what they are. */
static bool is_moving(const struct model *model, const struct channel *channel)
{
    const size_t row = (size_t)channel->component_count * (channel->interpolation == INTERPOLATION_CUBICSPLINE ? 3 : 1);
    const float *values = model->key_values + channel->value_first;
    for (size_t i = row; i < channel->key_count * row; i++)
        if (values[i] != values[i - row])
            return true;
    return false;
}

int moments_init(struct moments *moments, const struct model *model, int32_t clip, struct err *err)
{
    moments->watched = malloc(MOMENT_WATCHED_MAX * sizeof *moments->watched);
    if (moments->watched == NULL)
        return err_set(err, ERR_NO_MEMORY, "no memory for the moments of a clip");
    const struct clip *played = clip == POSE_REST ? NULL : &model->clips[clip];
    for (uint32_t c = 0; played != NULL && c < played->channel_count; c++) {
        const struct channel *channel = &model->channels[played->channel_first + c];
        const struct node *node = &model->nodes[channel->node];
        if (!is_moving(model, channel))
            continue;
        if (channel->path == PATH_SCALE)
            watch(moments, channel->node, UINT32_MAX);
        for (uint32_t w = 0; channel->path == PATH_WEIGHTS && w < node->weight_count; w++)
            watch(moments, channel->node, node->weight_first + w);
    }
    moments->values = malloc(((size_t)MOMENT_POSES_MAX * moments->watched_count + 1) * sizeof *moments->values);
    return moments->values == NULL ? err_set(err, ERR_NO_MEMORY, "no memory for the moments of a clip") : 0;
}

static float value_of(const struct moment_watch *watched, const struct pose *pose)
{
    if (watched->weight != UINT32_MAX)
        return (float)pose->weights[watched->weight];
    const double *scale = pose->local[watched->node].scale;
    return (float)fmin(fabs(scale[0]), fmin(fabs(scale[1]), fabs(scale[2])));
}

double moment_area(const struct vec3 *points, uint32_t count)
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

void moments_add(struct moments *moments, const struct pose *pose, double time_s, const struct moment_score *score)
{
    const uint32_t at = moments->count++;
    moments->times_s[at] = time_s;
    moments->scores[at] = *score;
    for (uint32_t i = 0; i < moments->watched_count; i++)
        moments->values[(size_t)at * moments->watched_count + i] = value_of(&moments->watched[i], pose);
}

static int compare(const void *a, const void *b)
{
    const float x = *(const float *)a, y = *(const float *)b;
    return (x > y) - (x < y);
}

static float median_of(const struct moments *moments, uint32_t watched)
{
    float values[MOMENT_POSES_MAX] = {0};
    for (uint32_t p = 0; p < moments->count; p++)
        values[p] = moments->values[(size_t)p * moments->watched_count + watched];
    qsort(values, moments->count, sizeof *values, compare);
    return values[moments->count / 2];
}

/* Adds to is_odd[count] in which poses something is out of its usual state. */
static void find_odd(const struct moments *moments, bool is_odd[MOMENT_POSES_MAX])
{
    for (uint32_t i = 0; i < moments->watched_count && moments->count > 0; i++) {
        const float usual = median_of(moments, i);
        const bool is_weight = moments->watched[i].weight != UINT32_MAX;
        for (uint32_t p = 0; p < moments->count; p++) {
            const float value = moments->values[(size_t)p * moments->watched_count + i];
            is_odd[p] |= is_weight ? fabsf(value - usual) > FAR_WEIGHT : value < SHRUNK * usual;
        }
    }
}

static double greatest_area(const struct moments *moments, double end_s)
{
    double greatest = 0;
    for (uint32_t p = 0; p < moments->count; p++)
        if (moments->times_s[p] <= end_s)
            greatest = fmax(greatest, moments->scores[p].area);
    return greatest;
}

static void find_small(const struct moments *moments, double least_area, bool is_small[MOMENT_POSES_MAX])
{
    for (uint32_t p = 0; p < moments->count; p++)
        is_small[p] = moments->scores[p].area < least_area;
}

/* The greatest of `values`, but where `is_left_out`; UINT32_MAX: there is none above `least`. */
static uint32_t find_best(const struct moments *moments, const double *values, double end_s, const bool *is_left_out,
                          double least)
{
    uint32_t best = UINT32_MAX;
    for (uint32_t p = 0; p < moments->count; p++)
        if (values[p] > least + MUCH_BETTER && moments->times_s[p] <= end_s && !is_left_out[p]) {
            best = p;
            least = values[p];
        }
    return best;
}

static void find_values(const struct moments *moments, double values[MOMENT_POSES_MAX])
{
    double farthest = 0, widest = 0;
    for (uint32_t p = 0; p < moments->count; p++) {
        farthest = fmax(farthest, moments->scores[p].distance);
        widest = fmax(widest, moments->scores[p].width);
    }
    for (uint32_t p = 0; p < moments->count; p++)
        values[p] = (farthest > 0 ? moments->scores[p].distance / farthest : 0) +
                    WIDTH_SHARE * (widest > 0 ? moments->scores[p].width / widest : 0);
}

double moments_find(const struct moments *moments, double end_s, double otherwise_s)
{
    double values[MOMENT_POSES_MAX];
    bool is_left_out[MOMENT_POSES_MAX] = {false};
    if (greatest_area(moments, end_s) <= 0 && greatest_area(moments, HUGE_VAL) > 0)
        end_s = HUGE_VAL; /* only the last pose shows anything */
    const double area = greatest_area(moments, end_s);
    find_values(moments, values);
    uint32_t best = find_best(moments, values, end_s, is_left_out, -1);
    if (best == UINT32_MAX)
        return otherwise_s;
    const bool is_hidden = moments->scores[best].area < HIDDEN * area;
    find_small(moments, (is_hidden ? SHOWN : HIDDEN) * area, is_left_out);
    if (is_hidden)
        best = find_best(moments, values, end_s, is_left_out, -1);
    bool is_odd[MOMENT_POSES_MAX] = {false};
    find_odd(moments, is_odd);
    if (!is_odd[best])
        return moments->times_s[best];
    for (uint32_t p = 0; p < moments->count; p++)
        is_left_out[p] |= is_odd[p];
    const uint32_t usual = find_best(moments, values, end_s, is_left_out, NEARLY * values[best]);
    return moments->times_s[usual == UINT32_MAX ? best : usual];
}

void moments_fini(struct moments *moments)
{
    free(moments->watched);
    free(moments->values);
    moments->watched = NULL;
    moments->values = NULL;
}
