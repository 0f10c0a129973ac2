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
