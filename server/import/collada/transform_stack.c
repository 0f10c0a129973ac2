/* transform_stack.c - evaluates the product of a node's transform elements at a time, as a matrix or as TRS. */
#include "import/collada/transform_stack.h"

#include "anim/pose/sample.h"
#include "base/mem.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double RAD_PER_DEGREE = 3.14159265358979323846 / 180;

static const struct collada_sampler *sampler_of(const struct collada *collada, uint32_t channel)
{
    return &collada->samplers[collada->channels[channel].sampler];
}

/* --- one element --- */

static void values_at(const struct transform_stack *stack, const struct transform_stack_part *part, double time_s,
                      double values[16])
{
    memcpy(values, part->step->values, sizeof part->step->values);
    for (uint32_t c = 0; c < part->channel_count; c++) {
        const struct collada_channel *channel = &stack->collada->channels[part->channels[c]];
        for (uint32_t i = 0; i < channel->count; i++)
            values[channel->first + i] = sampler_at(sampler_of(stack->collada, part->channels[c]), i, time_s);
    }
}

static void quat_turn(const double q[4], const double v[3], double out[3])
{
    const struct trs turn = {.rotation = {q[0], q[1], q[2], q[3]}, .scale = {1, 1, 1}};
    const struct dmat4 m = dmat4_from_trs(&turn);
    dmat4_direction(&m, v, out);
}

/* Converts an axis and an angle in degrees; an axis of length 0 gives no rotation. */
static void quat_of(const double values[4], double q[4])
{
    const double length = sqrt(dot3(values, values));
    const double half_rad = fmod(values[3], 720) * RAD_PER_DEGREE / 2;
    for (int i = 0; i < 3; i++)
        q[i] = length > 0 ? values[i] / length * sin(half_rad) : 0;
    q[3] = length > 0 ? cos(half_rad) : 1;
}

/* Converts the file's rows. The last row is ignored, because some exporters write a wrong one. */
static struct dmat4 matrix_of(const double v[16])
{
    return (struct dmat4){{v[0], v[4], v[8], 0, v[1], v[5], v[9], 0, v[2], v[6], v[10], 0, v[3], v[7], v[11], 1}};
}

/* The node is at the eye and looks along -z at the point of interest; x points right. */
static struct dmat4 lookat_of(const double v[9])
{
    double ahead[3] = {v[3] - v[0], v[4] - v[1], v[5] - v[2]}, up[3] = {v[6], v[7], v[8]}, right[3], over[3];
    struct dmat4 m = DMAT4_IDENTITY;
    memcpy(m.m + 12, v, 3 * sizeof *v);
    unit3(ahead);
    cross3(ahead, up, right);
    if (!(unit3(right) > 0))
        return m;
    cross3(right, ahead, over);
    for (int i = 0; i < 3; i++) {
        m.m[i] = right[i];
        m.m[4 + i] = over[i];
        m.m[8 + i] = -ahead[i];
    }
    return m;
}

/* Moves points along the second axis so that the first axis leans towards it by the angle (COLLADA 1.4.1, <skew>, the
 * same as RenderMan's RiSkew). n is the component of the first axis perpendicular to the second, and phi is the angle
 * between the axes: p + (cot(phi - angle) - cot(phi)) * dot(n, p) * second. */
static struct dmat4 skew_of(const double v[7])
{
    double across[3] = {v[1], v[2], v[3]}, second[3] = {v[4], v[5], v[6]};
    struct dmat4 m = DMAT4_IDENTITY;
    if (!(unit3(across) > 0 && unit3(second) > 0))
        return m;
    const double along = dot3(across, second);
    for (int i = 0; i < 3; i++)
        across[i] -= along * second[i];
    const double phi = acos(fmin(fmax(along, -1), 1)), leaning = phi - v[0] * RAD_PER_DEGREE;
    if (!(unit3(across) > 0 && fabs(sin(phi)) > 0 && fabs(sin(leaning)) > 0))
        return m;
    const double shift = cos(leaning) / sin(leaning) - cos(phi) / sin(phi);
    for (int r = 0; r < 3; r++)
        for (int c = 0; c < 3; c++)
            m.m[4 * c + r] += shift * second[r] * across[c];
    return m;
}

/* --- a driven matrix --- */

/* The interpolation of a matrix after a time, without its translation: linear, held or other. */
static enum curve_kind kind_behind(const struct transform_stack *stack, const struct transform_stack_part *part,
                                   double time_s)
{
    bool is_straight = false, is_held = false;
    for (uint32_t c = 0; c < part->channel_count; c++) {
        const struct collada_channel *channel = &stack->collada->channels[part->channels[c]];
        const struct collada_sampler *sampler = sampler_of(stack->collada, part->channels[c]);
        const uint32_t key = sampler_key(sampler, time_s);
        if (key + 1 == sampler->key_count || time_s < sampler->times[key])
            continue;
        for (uint32_t i = 0; i < channel->count; i++) {
            const double *value = sampler->values + (uint64_t)key * sampler->width + i;
            const bool is_rotation = (channel->first + i) % 4 != 3 && channel->first + i < 12;
            if (!is_rotation || (sampler->kinds[key] != CURVE_BEZIER && value[0] == value[sampler->width]))
                continue;
            if (sampler->kinds[key] == CURVE_BEZIER)
                return CURVE_BEZIER;
            *(sampler->kinds[key] == CURVE_STEP ? &is_held : &is_straight) = true;
        }
    }
    return is_straight ? (is_held ? CURVE_BEZIER : CURVE_LINEAR) : CURVE_STEP;
}

static struct dmat4 driven_matrix(const struct transform_stack *stack, const struct transform_stack_part *part,
                                  double time_s)
{
    double values[16];
    values_at(stack, part, time_s, values);
    const struct dmat4 own = matrix_of(values);
    const uint32_t key = sample_key(part->times_s, part->time_count, time_s);
    if (key + 1 == part->time_count || time_s <= part->times_s[key])
        return own;
    const double from_s = part->times_s[key], to_s = part->times_s[key + 1];
    if (kind_behind(stack, part, from_s) != CURVE_LINEAR)
        return own;
    const double u = (time_s - from_s) / (to_s - from_s);
    struct trs from, to, between;
    values_at(stack, part, from_s, values);
    struct dmat4 m = matrix_of(values);
    trs_from_dmat4(&m, &from);
    values_at(stack, part, to_s, values);
    m = matrix_of(values);
    trs_from_dmat4(&m, &to);
    quat_slerp(from.rotation, to.rotation, u, between.rotation);
    for (int i = 0; i < 3; i++) {
        between.translation[i] = own.m[12 + i];
        between.scale[i] = from.scale[i] * (1 - u) + to.scale[i] * u;
    }
    return dmat4_from_trs(&between);
}

static struct dmat4 part_matrix(const struct transform_stack *stack, const struct transform_stack_part *part,
                                double time_s);

/* Of a part that has these parts. */
static void part_trs(const struct transform_stack *stack, const struct transform_stack_part *part, double time_s,
                     struct trs *trs)
{
    double v[16];
    *trs = (struct trs){.rotation = {0, 0, 0, 1}, .scale = {1, 1, 1}};
    values_at(stack, part, time_s, v);
    if (part->step->kind == COLLADA_TRANSLATE) {
        memcpy(trs->translation, v, sizeof trs->translation);
    } else if (part->step->kind == COLLADA_ROTATE) {
        quat_of(v, trs->rotation);
    } else if (part->step->kind == COLLADA_SCALE) {
        memcpy(trs->scale, v, sizeof trs->scale);
    } else {
        const struct dmat4 m = part_matrix(stack, part, time_s);
        trs_from_dmat4(&m, trs);
    }
}

static struct dmat4 part_matrix(const struct transform_stack *stack, const struct transform_stack_part *part,
                                double time_s)
{
    double v[16];
    struct trs trs;
    if (part->time_count > 0)
        return driven_matrix(stack, part, time_s);
    values_at(stack, part, time_s, v);
    if (part->step->kind == COLLADA_MATRIX)
        return matrix_of(v);
    if (part->step->kind == COLLADA_LOOKAT)
        return lookat_of(v);
    if (part->step->kind == COLLADA_SKEW)
        return skew_of(v);
    part_trs(stack, part, time_s, &trs);
    return dmat4_from_trs(&trs);
}

/* --- all of them --- */

static int by_value(const void *a, const void *b)
{
    const double i = *(const double *)a, k = *(const double *)b;
    return (i > k) - (i < k);
}

double *channels_times(const struct collada *collada, const uint32_t *channels, uint32_t count, uint32_t *time_count)
{
    size_t total = 0, used = 0;
    for (uint32_t c = 0; c < count; c++)
        total += sampler_of(collada, channels[c])->key_count;
    double *times = mem_alloc((total + 1) * sizeof *times);
    for (uint32_t c = 0; c < count; c++) {
        const struct collada_sampler *sampler = sampler_of(collada, channels[c]);
        memcpy(times + used, sampler->times, sampler->key_count * sizeof *times);
        used += sampler->key_count;
    }
    qsort(times, used, sizeof *times, by_value);
    *time_count = 0;
    for (size_t i = 0; i < used; i++)
        if (*time_count == 0 || times[i] > times[*time_count - 1])
            times[(*time_count)++] = times[i];
    return times;
}

/* But for rounding. */
static bool is_even(const double scale[3])
{
    return fabs(scale[0] - scale[1]) <= 1e-12 * fabs(scale[0]) && fabs(scale[0] - scale[2]) <= 1e-12 * fabs(scale[0]);
}

/* Whether a matrix element can always be decomposed; if so, also its scale. */
static bool is_part_trs(const struct transform_stack *stack, const struct transform_stack_part *part, double scale[3])
{
    struct trs trs;
    const struct dmat4 m = part_matrix(stack, part, 0);
    const bool is_trs = trs_from_dmat4(&m, &trs);
    memcpy(scale, trs.scale, sizeof trs.scale);
    return part->step->kind == COLLADA_LOOKAT || (is_trs && part->channel_count == 0);
}

/* A rotation after a non-uniform scale shears; a translation does not. */
static bool is_always_trs(const struct transform_stack *stack)
{
    bool is_uneven = false;
    for (uint32_t i = 0; i < stack->part_count; i++) {
        const struct transform_stack_part *part = &stack->parts[i];
        double scale[3] = {1, 1, 1};
        if (part->step->kind == COLLADA_SCALE)
            memcpy(scale, part->step->values, sizeof scale);
        else if (part->step->kind != COLLADA_TRANSLATE &&
                 (is_uneven || (part->step->kind != COLLADA_ROTATE && !is_part_trs(stack, part, scale))))
            return false;
        is_uneven |= !is_even(scale) || (part->step->kind == COLLADA_SCALE && part->channel_count > 0);
    }
    return true;
}

const uint32_t *clip_channels_of(const struct collada *collada, const struct collada_clip *clip, uint32_t element,
                                 uint32_t *count)
{
    const uint32_t *all = collada->clip_channels + clip->channel_first; /* sorted by element */
    uint32_t first = 0, end = clip->channel_count;
    while (first < end) {
        const uint32_t middle = first + (end - first) / 2;
        if (collada->channels[all[middle]].element < element)
            first = middle + 1;
        else
            end = middle;
    }
    for (end = first; end < clip->channel_count && collada->channels[all[end]].element == element;)
        end++;
    *count = end - first;
    return all + first;
}

static void gather_times(struct transform_stack *stack)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < stack->part_count; i++)
        count += stack->parts[i].channel_count;
    if (count == 0)
        return;
    uint32_t *all = mem_alloc(count * sizeof *all);
    count = 0;
    for (uint32_t i = 0; i < stack->part_count; i++) {
        memcpy(all + count, stack->parts[i].channels, stack->parts[i].channel_count * sizeof *all);
        count += stack->parts[i].channel_count;
    }
    stack->times_s = channels_times(stack->collada, all, count, &stack->time_count);
    free(all);
}

void transform_stack_init(struct transform_stack *stack, const struct collada *collada, uint32_t n,
                          const struct collada_clip *clip)
{
    const struct collada_node *node = &collada->nodes[n];
    *stack = (struct transform_stack){.collada = collada,
                                      .part_count = node->step_count,
                                      .parts = mem_zalloc(node->step_count, sizeof *stack->parts)};
    for (uint32_t i = 0; i < node->step_count; i++) {
        struct transform_stack_part *part = &stack->parts[i];
        part->step = &collada->steps[node->step_first + i];
        if (clip != NULL)
            part->channels = clip_channels_of(collada, clip, part->step->element, &part->channel_count);
        if (part->channel_count > 0 && part->step->kind == COLLADA_MATRIX)
            part->times_s = channels_times(collada, part->channels, part->channel_count, &part->time_count);
    }
    gather_times(stack);
    stack->is_trs = is_always_trs(stack);
}

void transform_stack_fini(struct transform_stack *stack)
{
    for (uint32_t i = 0; i < stack->part_count; i++)
        free(stack->parts[i].times_s);
    free(stack->parts);
    free(stack->times_s);
    *stack = (struct transform_stack){0};
}

struct dmat4 transform_stack_matrix(const struct transform_stack *stack, double time_s)
{
    struct dmat4 product = DMAT4_IDENTITY;
    for (uint32_t i = 0; i < stack->part_count; i++) {
        const struct dmat4 factor = part_matrix(stack, &stack->parts[i], time_s);
        product = dmat4_mul(&product, &factor);
    }
    return product;
}

bool transform_stack_trs(const struct transform_stack *stack, double time_s, struct trs *trs)
{
    if (!stack->is_trs) {
        const struct dmat4 product = transform_stack_matrix(stack, time_s);
        return trs_from_dmat4(&product, trs);
    }
    *trs = (struct trs){.rotation = {0, 0, 0, 1}, .scale = {1, 1, 1}};
    for (uint32_t i = 0; i < stack->part_count; i++) {
        struct trs part;
        double turned[3];
        part_trs(stack, &stack->parts[i], time_s, &part);
        for (int c = 0; c < 3; c++)
            part.translation[c] *= trs->scale[c];
        quat_turn(trs->rotation, part.translation, turned);
        for (int c = 0; c < 3; c++) {
            trs->translation[c] += turned[c];
            trs->scale[c] *= part.scale[c];
        }
        quat_mul(trs->rotation, part.rotation, trs->rotation);
    }
    quat_normalize(trs->rotation);
    return true;
}

double transform_stack_turn(const struct transform_stack *stack, double from_s, double to_s)
{
    double turn = 0;
    for (uint32_t i = 0; i < stack->part_count; i++) {
        double from[16], to[16];
        if (stack->parts[i].step->kind != COLLADA_ROTATE || stack->parts[i].channel_count == 0)
            continue;
        values_at(stack, &stack->parts[i], from_s, from);
        values_at(stack, &stack->parts[i], to_s, to);
        turn += fabs(to[3] - from[3]) * RAD_PER_DEGREE;
    }
    return turn;
}
