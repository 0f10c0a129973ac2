/* Arbitrary keys as an FBX curve: tangents, any time, its place in a clip, and its track. The bytes are two
 * extrapolations with counts, the range, then keys of a time step, a value, flags and four floats. */
#include "import/fbx_take/fbx_tangent.h"
#include "import/fbx_take/fbx_track.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { HEAD = 12, KEY = 28, KEYS_MAX = 60, KEY_LIMIT = 500 };

static float float_at(const uint8_t *bytes)
{
    float value;
    memcpy(&value, bytes, sizeof value);
    return isfinite(value) ? value : 1;
}

static uint32_t number_at(const uint8_t *bytes)
{
    uint32_t value;
    memcpy(&value, bytes, sizeof value);
    return value;
}

static struct fbx_extension extension_at(const uint8_t *bytes)
{
    static const char KINDS[] = "CKMRA";
    return (struct fbx_extension){.kind = (enum fbx_extrapolation)KINDS[bytes[0] % 5], .count = (int8_t)bytes[1]};
}

static void check_track(const struct fbx_curve *placed, double stop_s)
{
    const struct fbx_component component = {.curve = placed, .factor = 1};
    struct track track;
    struct err err = {0};
    bool is_exact;
    const int rc = fbx_track_exact(&track, &component, 1, stop_s, 10 * KEY_LIMIT, &is_exact, &err);
    if (rc > 0 || (rc < 0 && track.values != NULL) || (rc == 0 && is_exact != (track.values != NULL)))
        abort();
    for (uint32_t k = 0; k < track.count; k++)
        if (track.times_s[k] < 0 || track.times_s[k] > stop_s || (k > 0 && !(track.times_s[k] > track.times_s[k - 1])))
            abort();
    for (uint32_t i = 0; i < track.count * (track.is_cubic ? 3 : 1); i++)
        if (!(fabs(track.values[i]) <= 3.1e38))
            abort();
    track_fini(&track);
}

static void check_placed(const struct fbx_curve *curve, const struct fbx_range *range)
{
    struct fbx_curve placed;
    struct err err = {0};
    const double stop_s = fbx_range_s(range, range->stop);
    struct fbx_cursor cursor = {0};
    if (fbx_curve_place(&placed, curve, range, KEY_LIMIT, &err) < 0) {
        if (err.code != ERR_MODEL_LIMIT || placed.keys != NULL)
            abort();
        return;
    }
    for (uint32_t k = 0; k < placed.key_count; k++)
        if (!isfinite(placed.keys[k].time) || (k > 0 && !(placed.keys[k].time > placed.keys[k - 1].time)) ||
            placed.keys[k].interpolation == FBX_KEY_CONSTANT_NEXT)
            abort();
    for (int i = 0; i <= 16 && placed.key_count > 0; i++) {
        const double time_s = stop_s * i / 16, value = fbx_curve_at(&placed, time_s);
        if (fbx_curve_at_cursor(&placed, time_s, &cursor) != value && !isnan(value))
            abort();
    }
    check_track(&placed, stop_s);
    fbx_curve_fini(&placed);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct fbx_key keys[KEYS_MAX];
    struct fbx_key_data attributes[KEYS_MAX];
    if (size < HEAD)
        return 0;
    struct fbx_curve curve = {
        .keys = keys, .units_per_s = 1000, .before = extension_at(data), .after = extension_at(data + 2)};
    double time = (int32_t)number_at(data + 4) % 100000;
    const struct fbx_range range = {
        .start = 0, .stop = 1 + (double)(number_at(data + 8) % 1000000), .ticks_per_s = curve.units_per_s};
    for (const uint8_t *at = data + HEAD; at + KEY <= data + size && curve.key_count < KEYS_MAX; at += KEY) {
        const uint32_t i = curve.key_count++;
        time += number_at(at) % 5000;
        keys[i] = (struct fbx_key){.time = time, .value = (double)float_at(at + 4)};
        attributes[i] = (struct fbx_key_data){.flags = number_at(at + 8)};
        memcpy(attributes[i].bits, at + 12, sizeof attributes[i].bits);
    }
    fbx_tangents_solve(&curve, attributes);
    for (double at = -1e5; at <= 1e6; at += 54321.5)
        fbx_curve_at(&curve, at);
    check_placed(&curve, &range);
    return 0;
}
