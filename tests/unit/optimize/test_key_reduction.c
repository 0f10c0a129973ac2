/* server/wire/optimize/key_reduction.h: the keys that stay give the others. */
#include "wire/optimize/key_reduction.h"

#include "tests/unit/support/check.h"

#include "anim/model/mat.h"

enum { KEYS = 400 };

static void fill_times(double times[KEYS])
{
    for (int k = 0; k < KEYS; k++)
        times[k] = k * k * 1e-3 + k * 0.02;
}

/* Returns how far a key is from what the kept ones around it give. */
static double far(const struct key_curve *curve, uint32_t k, const uint32_t *kept, uint32_t count)
{
    uint32_t i = 0;
    while (i + 1 < count && kept[i + 1] < k)
        i++;
    const uint32_t a = kept[i], b = count == 1 ? a : kept[i + 1], w = curve->width;
    const double u = a == b ? 0 : (curve->times[k] - curve->times[a]) / (curve->times[b] - curve->times[a]);
    double most = 0;
    if (curve->is_rotation) {
        double qa[4], qb[4], own[4], between[4];
        for (uint32_t c = 0; c < 4; c++) {
            qa[c] = (double)curve->values[4 * a + c];
            qb[c] = (double)curve->values[4 * b + c];
            own[c] = (double)curve->values[4 * k + c];
        }
        quat_slerp(qa, qb, u, between);
        return 2 * quat_angle(own, between, dot4(own, between) < 0 ? -1 : 1);
    }
    for (uint32_t c = 0; c < w; c++) {
        const double from = (double)curve->values[a * w + c], to = (double)curve->values[b * w + c];
        most = fmax(most, fabs((double)curve->values[k * w + c] - (from + (to - from) * u)));
    }
    return most;
}

static void check_all(const struct key_curve *curve, double tolerance, uint32_t least, uint32_t most)
{
    uint32_t kept[KEYS];
    uint64_t looks;
    const uint32_t count = keys_reduce(curve, tolerance, UINT64_MAX, kept, &looks);
    assert_in_range(count, least, most);
    assert_int_equal(kept[0], 0);
    assert_true(count == 1 || kept[count - 1] == curve->count - 1);
    for (uint32_t i = 1; i < count; i++)
        assert_true(kept[i] > kept[i - 1]);
    for (uint32_t k = 0; k < curve->count; k++)
        assert_true(far(curve, k, kept, count) <= tolerance * 1.001 + 1e-7);
    assert_true(looks <= 20 * (uint64_t)curve->count);
}

TEST(key_reduction_of_a_line_and_a_corner)
{
    double times[KEYS];
    float values[2 * KEYS];
    fill_times(times);
    for (int k = 0; k < KEYS; k++) {
        values[2 * k] = (float)times[k];
        values[2 * k + 1] = (float)(k < 123 ? 0 : times[k] - times[123]);
    }
    const struct key_curve curve = {.times = times, .values = values, .count = KEYS, .width = 2};
    check_all(&curve, 1e-4, 3, 6);
}

TEST(key_reduction_of_a_curve)
{
    double times[KEYS];
    float values[KEYS];
    fill_times(times);
    for (int k = 0; k < KEYS; k++)
        values[k] = (float)sin(times[k] / 9);
    const struct key_curve curve = {.times = times, .values = values, .count = KEYS, .width = 1};
    check_all(&curve, 1e-3, 20, 260);
    check_all(&curve, 1e-2, 5, 60);
}

/* A wheel turns evenly, through more than a circle, with signs that change. */
TEST(key_reduction_of_a_rotation)
{
    double times[KEYS];
    float values[4 * KEYS];
    for (int k = 0; k < KEYS; k++) {
        const double half = k * 0.05, sign = k % 3 == 0 ? -1 : 1;
        times[k] = k / 30.0;
        values[4 * k] = (float)(sign * 0.6 * sin(half));
        values[4 * k + 1] = 0;
        values[4 * k + 2] = (float)(sign * 0.8 * sin(half));
        values[4 * k + 3] = (float)(sign * cos(half));
    }
    const struct key_curve curve = {.times = times, .values = values, .count = KEYS, .width = 4, .is_rotation = true};
    check_all(&curve, 1e-4, 90, 200); /* along a longer chord it would not turn evenly */
}

TEST(key_reduction_without_tolerance_keeps_what_differs)
{
    double times[KEYS];
    float values[3 * KEYS];
    uint32_t kept[KEYS];
    uint64_t looks;
    fill_times(times);
    for (int i = 0; i < 3 * KEYS; i++)
        values[i] = i < 300 ? 5 : (float)(i * i % 1013);
    const struct key_curve curve = {.times = times, .values = values, .count = KEYS, .width = 3};
    assert_int_equal(keys_reduce(&curve, 0, UINT64_MAX, kept, &looks), KEYS - 98);
    const struct key_curve still = {.times = times, .values = values, .count = 100, .width = 3};
    assert_int_equal(keys_reduce(&still, 0, UINT64_MAX, kept, &looks), 1);
}

TEST(key_reduction_of_steps)
{
    static const double TIMES[] = {0, 1, 2, 3, 4, 5};
    static const float VALUES[] = {1, 1, 2, 2, 2, 1};
    uint32_t kept[6];
    uint64_t looks;
    const struct key_curve curve = {.times = TIMES, .values = VALUES, .count = 6, .width = 1, .is_step = true};
    assert_int_equal(keys_reduce(&curve, 0, UINT64_MAX, kept, &looks), 3);
    assert_int_equal(kept[1], 2);
    assert_int_equal(kept[2], 5);
}

TEST(key_reduction_ends_at_its_limit)
{
    double times[KEYS];
    float values[KEYS];
    uint32_t kept[KEYS];
    uint64_t looks;
    fill_times(times);
    for (int k = 0; k < KEYS; k++)
        values[k] = (float)times[k];
    const struct key_curve curve = {.times = times, .values = values, .count = KEYS, .width = 1};
    const uint32_t count = keys_reduce(&curve, 1, 40, kept, &looks);
    assert_true(looks < 40 + KEYS && count > 2);
    assert_int_equal(kept[count - 1], KEYS - 1);
}

/* --- cubic curves --- */

/* A component of the curve at a time, from those of its keys that stay (glTF 2.0, appendix C.4). */
static double cubic_value(const struct key_curve *curve, const uint32_t *kept, uint32_t count, double time_s,
                          uint32_t c)
{
    uint32_t i = 0;
    while (i + 2 < count && curve->times[kept[i + 1]] <= time_s)
        i++;
    const float *a = curve->values + (size_t)kept[i] * 3 * curve->width + c;
    if (count == 1)
        return (double)a[curve->width];
    const float *b = curve->values + (size_t)kept[i + 1] * 3 * curve->width + c;
    const double d = curve->times[kept[i + 1]] - curve->times[kept[i]], u = (time_s - curve->times[kept[i]]) / d;
    const double of_slopes =
        d * ((u * u * u - 2 * u * u + u) * (double)a[2 * curve->width] + (u * u * u - u * u) * (double)b[0]);
    return (2 * u * u * u - 3 * u * u + 1) * (double)a[curve->width] +
           (3 * u * u - 2 * u * u * u) * (double)b[curve->width] + of_slopes;
}

static uint32_t check_cubic(const struct key_curve *curve, double tolerance)
{
    enum { LOOKS = 16 };
    uint32_t kept[KEYS], all[KEYS];
    uint64_t looks;
    const uint32_t count = keys_reduce(curve, tolerance, UINT64_MAX, kept, &looks);
    for (uint32_t k = 0; k < curve->count; k++)
        all[k] = k;
    assert_int_equal(kept[0], 0);
    assert_true(count == 1 || kept[count - 1] == curve->count - 1);
    for (uint32_t k = 0; k + 1 < curve->count; k++)
        for (int part = 0; part < LOOKS; part++) {
            const double time_s = curve->times[k] + (curve->times[k + 1] - curve->times[k]) * part / LOOKS;
            double apart = 0, length = 0;
            for (uint32_t c = 0; c < curve->width; c++) {
                const double was = cubic_value(curve, all, curve->count, time_s, c);
                apart = fmax(apart, fabs(cubic_value(curve, kept, count, time_s, c) - was));
                length += was * was;
            }
            assert_true(apart <= 1.2 * tolerance * (curve->is_rotation ? sqrt(length) : 1) + 1e-6);
        }
    assert_true(looks <= 100 * (uint64_t)curve->count);
    return count;
}

/* Two waves with their slopes, on times that are not even. */
static void fill_cubic(double times[KEYS], float values[6 * KEYS])
{
    fill_times(times);
    for (int k = 0; k < KEYS; k++) {
        const double x = times[k] / 9, y = times[k] / 5;
        const float rows[6] = {(float)(cos(x) / 9), (float)(-sin(y) / 5), (float)sin(x),
                               (float)cos(y),       (float)(cos(x) / 9),  (float)(-sin(y) / 5)};
        memcpy(values + 6 * (size_t)k, rows, sizeof rows);
    }
}

TEST(key_reduction_of_a_cubic_curve)
{
    double times[KEYS];
    float values[6 * KEYS];
    fill_cubic(times, values);
    const struct key_curve curve = {.times = times, .values = values, .count = KEYS, .width = 2, .is_cubic = true};
    const uint32_t few = check_cubic(&curve, 1e-2), more = check_cubic(&curve, 1e-4);
    assert_in_range(few, 8, 60);
    assert_in_range(more, few, 200);
    assert_int_equal(check_cubic(&curve, 0), KEYS);
}

TEST(key_reduction_of_a_cubic_that_jumps_between_its_keys)
{
    /* all values are 0, and only slopes move it */
    double times[KEYS];
    float values[6 * KEYS] = {0};
    fill_times(times);
    const struct key_curve curve = {.times = times, .values = values, .count = KEYS, .width = 2, .is_cubic = true};
    assert_int_equal(check_cubic(&curve, 0), 1);
    values[6 * 200 + 5] = 30; /* the second component, after key 200 */
    assert_in_range(check_cubic(&curve, 1e-3), 3, 5);
}

TEST(key_reduction_of_a_cubic_rotation)
{
    double times[KEYS];
    float values[12 * KEYS];
    fill_times(times);
    for (int k = 0; k < KEYS; k++) {
        const double half = sin(times[k] / 20), slope = cos(times[k] / 20) / 20;
        for (int row = 0; row < 3; row++) {
            const double s = row == 1 ? sin(half) : cos(half) * slope, c = row == 1 ? cos(half) : -sin(half) * slope;
            const float q[4] = {(float)(0.6 * s), 0, (float)(0.8 * s), (float)c};
            memcpy(values + 12 * (size_t)k + 4 * (size_t)row, q, sizeof q);
        }
    }
    const struct key_curve curve = {
        .times = times, .values = values, .count = KEYS, .width = 4, .is_rotation = true, .is_cubic = true};
    assert_in_range(check_cubic(&curve, 1e-3), 4, 80);
}
