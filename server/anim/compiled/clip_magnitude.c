/* clip_magnitude.c - bounds the elements of all matrices that a compiled clip can produce. */
#include "anim/compiled/clip_magnitude.h"

#include "anim/compiled/clip_turns.h"
#include "anim/model/mat.h"

#include <math.h>
#include <stddef.h>

static double length3(double x, double y, double z) { return sqrt(x * x + y * y + z * z); }

/* m: three rows of 4. The squared norm of a matrix is at most the largest row sum of its product with its own
 * transpose. For rotations that is 1. */
static struct clip_magnitude magnitude_of_rows(const float *m, uint32_t stride)
{
    double largest = 0;
    for (uint32_t a = 0; a < 3; a++) {
        double sum = 0;
        for (uint32_t b = 0; b < 3; b++) {
            double dot = 0;
            for (uint32_t r = 0; r < 3; r++)
                dot += (double)m[r * stride + a] * (double)m[r * stride + b];
            sum += fabs(dot);
        }
        largest = fmax(largest, sum);
    }
    return (struct clip_magnitude){sqrt(largest),
                                   length3((double)m[3], (double)m[stride + 3], (double)m[2 * stride + 3])};
}

static double largest3(const double v[3]) { return fmax(fabs(v[0]), fmax(fabs(v[1]), fabs(v[2]))); }

/* Bounds a matrix with scales along its axes. Scales whose difference may overflow a float on their own count as
 * unbounded, even beside the smallest matrix. */
static double scaled_norm(double norm, const double scale[3])
{
    const double largest = largest3(scale);
    return largest <= CLIP_MAGNITUDE_MAX ? norm * largest : HUGE_VAL;
}

/* A block's components in all frames. */
struct block_frames {
    const double *times;
    const float *values; /* in the first frame */
    uint32_t count;
    size_t stride; /* floats from one frame to the next */
};

/* Finds the largest absolute values of three components of each lane: largest[3 * width]. `at`: their place in a frame;
 * slope_at: floats from it to their slopes, 0 for none. The value weights of a spline sum to 1, and those of its slopes
 * are at most 4/27 of the frames' distance. Frame by frame, as they lie in memory. */
static void find_largest(const struct block_frames *frames, size_t at, uint32_t width, size_t slope_at, double *largest)
{
    for (uint32_t e = 0; e < 3 * width; e++)
        largest[e] = 0;
    for (uint32_t f = 0; f < frames->count; f++) {
        const bool is_end = f + 1 == frames->count;
        const float *own = frames->values + f * frames->stride + at, *next = is_end ? own : own + frames->stride;
        const double weight = slope_at == 0 || is_end ? 0 : 4.0 / 27 * (frames->times[f + 1] - frames->times[f]);
        for (uint32_t e = 0; e < 3 * width; e++) {
            const double value = larger_of(fabs((double)own[e]), fabs((double)next[e]));
            const double slopes =
                slope_at == 0 ? 0 : fabs((double)own[slope_at + e]) + fabs((double)next[slope_at + e]);
            largest[e] = larger_of(largest[e], value + weight * slopes);
        }
    }
}

static void widen(const float *constants, uint32_t width, double *largest)
{
    for (uint32_t e = 0; e < 3 * width; e++)
        largest[e] = (double)constants[e];
}

/* Bounds the matrices of a block's nodes. */
static void put_block(const struct model *model, const struct compiled_clip *clip, const struct lane_block *block,
                      struct clip_magnitude *magnitudes)
{
    const uint32_t width = block->width, flags = block->flags;
    const float *constants = model->lane_values + block->constant_first, *turned = constants;
    const struct block_frames frames = {model->frame_times + clip->frame_first,
                                        model->lane_values + clip->value_first + block->frame_offset, clip->frame_count,
                                        clip->frame_floats};
    const size_t translation_at = (size_t)block_rotation_vectors(flags) * width;
    const size_t scale_at = translation_at + (size_t)block_translation_vectors(flags) * width;
    double translations[3 * LANE_WIDTH], scales[3 * LANE_WIDTH];
    constants += (flags & LANES_ROTATE) != 0 ? 0 : 9 * width;
    if ((flags & LANES_TRANSLATE) != 0)
        find_largest(&frames, translation_at, width, (flags & LANES_CUBIC_TRANSLATE) != 0 ? 3 * width : 0,
                     translations);
    else
        widen(constants, width, translations);
    constants += (flags & LANES_TRANSLATE) != 0 ? 0 : 3 * width;
    if ((flags & LANES_SCALE) != 0)
        find_largest(&frames, scale_at, width, (flags & LANES_CUBIC_SCALE) != 0 ? 3 * width : 0, scales);
    else if ((flags & LANES_FIXED_SCALE) != 0)
        widen(constants, width, scales);
    for (uint32_t l = 0; l < width; l++) {
        double norm = 1.01, scale[3] = {1, 1, 1}; /* a rotation's norm, but for its rounding */
        float rows[12] = {0};
        for (uint32_t i = 0; i < 9 && (flags & LANES_ROTATE) == 0; i++)
            rows[i / 3 * 4 + i % 3] = turned[i * width + l];
        if ((flags & LANES_ROTATE) == 0)
            norm = 1.01 * magnitude_of_rows(rows, 4).norm;
        for (uint32_t i = 0; i < 3 && (flags & (LANES_SCALE | LANES_FIXED_SCALE)) != 0; i++)
            scale[i] = scales[i * width + l];
        if (block->rig_nodes[l] < model->rig_node_count)
            magnitudes[block->rig_nodes[l]] =
                (struct clip_magnitude){scaled_norm(norm, scale),
                                        length3(translations[l], translations[width + l], translations[2 * width + l])};
    }
}

/* --- splines --- */

static bool are_splines_bounded(const struct model *model, const struct compiled_clip *clip)
{
    const double *times = model->frame_times + clip->frame_first;
    bool is_good = true;
    for (uint32_t f = 1; f < clip->frame_count && is_good; f++)
        is_good = times[f] - times[f - 1] <= CLIP_MAGNITUDE_MAX; /* the weights of slopes are floats */
    for (uint32_t b = 0; b < clip->block_count && is_good; b++) {
        const struct lane_block *block = &model->lane_blocks[clip->block_first + b];
        const float *values = model->lane_values + clip->value_first + block->frame_offset;
        if ((block->flags & LANES_CUBIC_ROTATE) != 0)
            is_good = clip_turns_are_good(clip, times, values, block->width);
    }
    return is_good;
}

/* --- all --- */

void clip_magnitude_of_outputs(const struct model *model, struct clip_magnitude *binds)
{
    for (uint32_t i = 0; i < model->rig_node_count; i++)
        binds[i] = (struct clip_magnitude){0, 0};
    for (uint32_t i = 0; i < model->rig_output_count; i++) {
        const struct rig_output *output = &model->rig_outputs[i];
        const struct clip_magnitude bind = magnitude_of_rows(output->joint_from_bind, 4);
        struct clip_magnitude *largest = &binds[output->rig_node];
        *largest = (struct clip_magnitude){fmax(largest->norm, bind.norm), fmax(largest->offset, bind.offset)};
    }
}

static bool is_within_max(struct clip_magnitude magnitude)
{
    return magnitude.norm <= CLIP_MAGNITUDE_MAX && magnitude.offset <= CLIP_MAGNITUDE_MAX; /* false for NaN */
}

/* The bound of applying b, then a. */
static struct clip_magnitude product(struct clip_magnitude a, struct clip_magnitude b)
{
    return (struct clip_magnitude){1.0001 * a.norm * b.norm, a.norm * b.offset + a.offset}; /* and its rounding */
}

bool clip_is_bounded(const struct model *model, const struct compiled_clip *clip, const struct clip_magnitude *binds,
                     struct clip_magnitude *magnitudes)
{
    if ((clip->flags & COMPILED_CUBIC) != 0 && !are_splines_bounded(model, clip))
        return false;
    for (uint32_t i = 0; i < clip->still_count; i++) {
        const struct still_node *still = &model->still_nodes[clip->still_first + i];
        magnitudes[still->rig_node] = magnitude_of_rows(still->parent_from_node, 4);
    }
    for (uint32_t b = 0; b < clip->block_count; b++)
        put_block(model, clip, &model->lane_blocks[clip->block_first + b], magnitudes);
    for (uint32_t i = 0; i < model->rig_node_count; i++) {
        const int32_t parent = model->rig_nodes[i].parent;
        /* checked on its own: a parent of scale 0 would hide it here, but infinity times 0 is NaN */
        if (!is_within_max(magnitudes[i]))
            return false;
        magnitudes[i] = parent < 0 ? magnitudes[i] : product(magnitudes[parent], magnitudes[i]);
        if (!is_within_max(magnitudes[i]) || !is_within_max(product(magnitudes[i], binds[i])))
            return false;
    }
    return true;
}
