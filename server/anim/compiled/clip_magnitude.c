/* clip_magnitude.c - bounds the elements of all matrices that a compiled clip can produce. */
#include "anim/compiled/clip_magnitude.h"

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

/* Returns the largest absolute value of a component of a channel at any time. The value weights of a spline sum to 1,
 * and those of its tangents are at most 4/27 of the key distance. */
static double largest_value(const struct model *model, const struct channel *channel, uint32_t component)
{
    const bool is_cubic = channel->interpolation == INTERPOLATION_CUBICSPLINE;
    const size_t n = channel->component_count, stride = is_cubic ? 3 * n : n;
    const float *values = model->key_values + channel->value_first + component;
    const double *times = model->key_times + channel->key_time_first;
    double largest = 0;
    for (uint32_t k = 0; k < channel->key_count; k++, values += stride) {
        const double before_s = k > 0 ? times[k] - times[k - 1] : 0;
        const double after_s = k + 1 < channel->key_count ? times[k + 1] - times[k] : 0;
        const double value = fabs((double)values[is_cubic ? n : 0]);
        const double in = is_cubic ? fabs((double)values[0]) * before_s : 0;
        const double out = is_cubic ? fabs((double)values[2 * n]) * after_s : 0;
        largest = fmax(largest, value + in + out);
    }
    return largest;
}

static struct clip_magnitude magnitude_of_sampled(const struct model *model, const struct sampled_node *sampled)
{
    const struct node *node = &model->nodes[model->rig_nodes[sampled->rig_node].node];
    double translation[3], scale[3];
    for (uint32_t i = 0; i < 3; i++) {
        translation[i] = sampled->channels[PATH_TRANSLATION] < 0
                             ? (double)node->translation[i]
                             : largest_value(model, &model->channels[sampled->channels[PATH_TRANSLATION]], i);
        scale[i] = sampled->channels[PATH_SCALE] < 0
                       ? (double)node->scale[i]
                       : largest_value(model, &model->channels[sampled->channels[PATH_SCALE]], i);
    }
    return (struct clip_magnitude){scaled_norm(1.01, scale), length3(translation[0], translation[1], translation[2])};
}

/* Returns the largest absolute value of a lane's component. `at`: its place in the first of `count` frames. */
static double largest_in_frames(const float *at, uint32_t count, size_t stride)
{
    float largest = 0;
    for (uint32_t f = 0; f < count; f++)
        largest = fabsf(at[f * stride]) > largest ? fabsf(at[f * stride]) : largest;
    return (double)largest;
}

static struct clip_magnitude magnitude_of_lane(const struct model *model, const struct compiled_clip *clip,
                                               const struct lane_block *block, uint32_t lane)
{
    const uint32_t width = block->width, flags = block->flags;
    const float *constants = model->lane_values + block->constant_first + lane;
    const float *frames = model->lane_values + clip->value_first + block->frame_offset + lane;
    double norm = 1.01, translation[3], scale[3] = {1, 1, 1}; /* a rotation's norm, but for its rounding */
    if ((flags & LANES_ROTATE) == 0) {
        float rows[12] = {0};
        for (uint32_t i = 0; i < 9; i++)
            rows[i / 3 * 4 + i % 3] = constants[i * width];
        norm = 1.01 * magnitude_of_rows(rows, 4).norm;
        constants += 9 * width;
    } else {
        frames += 4 * width;
    }
    for (uint32_t i = 0; i < 3; i++)
        translation[i] = (flags & LANES_TRANSLATE) != 0
                             ? largest_in_frames(frames + i * width, clip->frame_count, clip->frame_floats)
                             : (double)constants[i * width];
    *((flags & LANES_TRANSLATE) != 0 ? &frames : &constants) += 3 * width;
    for (uint32_t i = 0; i < 3 && (flags & LANES_SCALE) != 0; i++)
        scale[i] = largest_in_frames(frames + i * width, clip->frame_count, clip->frame_floats);
    for (uint32_t i = 0; i < 3 && (flags & LANES_FIXED_SCALE) != 0; i++)
        scale[i] = (double)constants[i * width];
    return (struct clip_magnitude){scaled_norm(norm, scale), length3(translation[0], translation[1], translation[2])};
}

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
    for (uint32_t i = 0; i < clip->still_count; i++) {
        const struct still_node *still = &model->still_nodes[clip->still_first + i];
        magnitudes[still->rig_node] = magnitude_of_rows(still->parent_from_node, 4);
    }
    for (uint32_t i = 0; i < clip->sampled_count; i++) {
        const struct sampled_node *sampled = &model->sampled_nodes[clip->sampled_first + i];
        magnitudes[sampled->rig_node] = magnitude_of_sampled(model, sampled);
    }
    for (uint32_t b = 0; b < clip->block_count; b++) {
        const struct lane_block *block = &model->lane_blocks[clip->block_first + b];
        for (uint32_t l = 0; l < block->width; l++)
            if (block->rig_nodes[l] < model->rig_node_count)
                magnitudes[block->rig_nodes[l]] = magnitude_of_lane(model, clip, block, l);
    }
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

uint64_t clip_sampled_floats(const struct model *model, const struct compiled_clip *clip)
{
    uint64_t floats = 0;
    for (uint32_t i = 0; i < clip->sampled_count; i++)
        for (int path = 0; path < 3; path++) {
            const int32_t c = model->sampled_nodes[clip->sampled_first + i].channels[path];
            if (c < 0)
                continue;
            const struct channel *channel = &model->channels[c];
            const uint64_t parts = channel->interpolation == INTERPOLATION_CUBICSPLINE ? 3 : 1;
            floats += parts * channel->key_count * channel->component_count;
        }
    return floats;
}
