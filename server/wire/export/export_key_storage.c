/* export_key_storage.c - optimize=1: the values of keys as the file stores them. */
#include "wire/encode/meshopt.h"
#include "wire/export/export_optimize.h"

#include <math.h>
#include <stdlib.h>

enum { ROTATION_BITS = 16, FLOAT_BITS_LEAST = 10, FLOAT_BITS_MOST = 22 };

uint32_t export_row_count(const struct channel *channel)
{
    return channel->key_count * (channel->interpolation == INTERPOLATION_CUBICSPLINE ? 3 : 1);
}

static bool is_filtered(const struct channel *channel, uint32_t bits)
{
    return bits > 0 && !(channel->path == PATH_ROTATION && bits == ROTATION_BITS);
}

uint32_t export_add_filtered(struct export *e, const struct channel *channel, const float *values, uint32_t bits)
{
    static const enum glb_array ARRAYS[] = {
        [1] = GLB_FILTERED_SCALAR, [3] = GLB_FILTERED_VEC3, [4] = GLB_FILTERED_VEC4};
    const uint32_t width = channel->path == PATH_WEIGHTS ? 1 : channel->component_count;
    const uint32_t count = export_row_count(channel) * channel->component_count / width;
    void *filtered = malloc(((size_t)count * width + 1) * sizeof(uint32_t));
    uint32_t accessor = GLB_NONE;
    if (filtered == NULL) {
        buf_fail(&e->glb->bin, BUF_FULL);
    } else if (is_filtered(channel, bits)) {
        meshopt_filter_floats(values, count, width, (int)bits, filtered);
        accessor = glb_add(e->glb, ARRAYS[width], filtered, count);
    } else {
        meshopt_filter_quaternions(values, count, filtered);
        accessor = glb_add(e->glb, GLB_ROTATION, filtered, count);
    }
    free(filtered);
    return accessor;
}

void export_decode_values(const struct channel *channel, uint32_t bits, float *values)
{
    enum { AT_ONCE = 64 };
    const uint32_t width = channel->component_count;
    for (uint32_t r = 0; r < export_row_count(channel); r++) {
        float *row = values + (size_t)r * width;
        for (uint32_t first = 0; first < width; first += AT_ONCE) {
            uint32_t words[AT_ONCE];
            const uint32_t count = width - first < AT_ONCE ? width - first : AT_ONCE;
            const uint32_t at_once = channel->path == PATH_WEIGHTS ? 1 : width;
            if (is_filtered(channel, bits)) {
                meshopt_filter_floats(row + first, count / at_once, at_once, (int)bits, words);
                meshopt_unfilter(MESHOPT_EXPONENTIAL, words, count / at_once, at_once * sizeof *words);
                memcpy(row + first, words, count * sizeof *words);
                continue;
            }
            int16_t *shorts = (int16_t *)(void *)words;
            meshopt_filter_quaternions(row, 1, shorts);
            meshopt_unfilter(MESHOPT_QUATERNION, shorts, 1, 4 * sizeof *shorts);
            for (int i = 0; i < 4; i++)
                row[i] = (float)shorts[i] / INT16_MAX;
        }
    }
}

/* --- how many bits --- */

bool export_is_reducible(const struct channel *channel) { return channel->path <= PATH_WEIGHTS; }

static float largest_of(const float *values, size_t count)
{
    float largest = 0;
    for (size_t i = 0; i < count; i++)
        largest = fmaxf(largest, fabsf(values[i]));
    return largest;
}

double export_tolerance_of(const struct export *e, const struct channel *channel, const float *values, double units)
{
    if (!(units > 0))
        return 0;
    const double share = units / e->size;
    if (channel->path == PATH_TRANSLATION)
        return units / fmax(e->optimizing->stretches[channel->node], 1e-30);
    if (channel->path != PATH_SCALE)
        return share;
    const float largest = largest_of(values, (size_t)export_row_count(channel) * channel->component_count);
    return share * (double)(channel->interpolation == INTERPOLATION_CUBICSPLINE ? fminf(largest, 1) : largest);
}

/* Returns how many bits of the largest value are needed for this tolerance; 0: all. */
static uint32_t bits_for(const struct channel *channel, const float *values, double tolerance)
{
    const float largest = largest_of(values, (size_t)export_row_count(channel) * channel->component_count);
    if (!(tolerance > 0))
        return 0;
    const double steps = fmax((double)largest / tolerance, 1);
    const int bits = 2 + (int)ceil(log2(fmin(steps, 1e9)));
    return bits > FLOAT_BITS_MOST ? 0 : bits < FLOAT_BITS_LEAST ? FLOAT_BITS_LEAST : (uint32_t)bits;
}

/* Readers that do not normalise rotations see their lengths, which short ones do not have. */
static bool are_unit(const struct channel *channel, const float *rotations)
{
    static const double NEAR = 1e-5;
    for (uint32_t k = 0; k < channel->key_count; k++) {
        const float *q = rotations + (size_t)k * 4;
        const double length = sqrt((double)q[0] * (double)q[0] + (double)q[1] * (double)q[1] +
                                   (double)q[2] * (double)q[2] + (double)q[3] * (double)q[3]);
        if (!(fabs(length - 1) < NEAR))
            return false;
    }
    return true;
}

uint32_t export_choose_bits(const struct export *e, const struct channel *channel, double units,
                            bool has_short_rotations)
{
    enum { PARTS = 8 }; /* of what a key may be off, for rounding */
    const float *values = export_values(e, channel);
    if (channel->path > PATH_WEIGHTS || !(units > 0))
        return 0;
    if (channel->path == PATH_ROTATION && has_short_rotations && channel->interpolation != INTERPOLATION_CUBICSPLINE &&
        are_unit(channel, values))
        return ROTATION_BITS;
    if (e->glb->compression != GLB_MESHOPT)
        return 0;
    const uint32_t bits = bits_for(channel, values, export_tolerance_of(e, channel, values, units / PARTS));
    return channel->path == PATH_ROTATION && bits == ROTATION_BITS ? bits + 1 : bits;
}
