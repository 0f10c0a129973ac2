/* clip_error.c - compares palettes of compiled clips with palettes in double precision. */
#include "anim/compiled/clip_error.h"

#include "base/mem.h"

#include <math.h>
#include <stdlib.h>

/* Computes the boxes around what each skin moves, in bind space: boxes[skin_count]. */
static void bind_boxes(const struct model *model, struct box *boxes)
{
    for (uint32_t s = 0; s < model->skin_count; s++)
        boxes[s] = BOX_EMPTY;
    for (uint32_t d = 0; d < model->draw_count; d++) {
        const struct primitive *primitive = &model->primitives[model->draws[d].primitive];
        for (uint32_t v = 0; v < primitive->vertex_count; v++) {
            const struct vec3 *p = &model->positions[primitive->vertex_first + v];
            box_add(&boxes[model->draws[d].skin], DOUBLE3(*p));
        }
    }
    for (uint32_t s = 0; s < model->skin_count; s++)
        for (uint32_t j = 0; j < model->skins[s].joint_count && box_is_empty(&boxes[s]); j++) {
            const struct joint *joint = &model->joints[model->skins[s].joint_first + j];
            const struct dmat4 joint_from_bind = dmat4_from_mat4(&joint->joint_from_bind);
            struct dmat4 bind_from_joint;
            dmat4_invert(&joint_from_bind, &bind_from_joint);
            box_add(&boxes[s], bind_from_joint.m + 12);
        }
}

static double model_size(const struct model *model, struct pose *pose)
{
    const struct model_info *info = &model->infos[0];
    struct box box = BOX_EMPTY;
    if (info->rest_min.x <= info->rest_max.x) {
        box_add(&box, DOUBLE3(info->rest_min));
        box_add(&box, DOUBLE3(info->rest_max));
        return box_size(&box);
    }
    pose_evaluate(pose, model, POSE_REST, 0);
    for (uint32_t i = 0; i < model->rig_node_count; i++)
        box_add(&box, pose->scene_from_node[model->rig_nodes[i].node].m + 12);
    return box_size(&box);
}

static double largest_element(const struct dmat4 *m)
{
    double largest = 0;
    for (int c = 0; c < 3; c++)
        for (int r = 0; r < 3; r++)
            largest = fabs(m->m[4 * c + r]) > largest ? fabs(m->m[4 * c + r]) : largest;
    return largest;
}

/* fmax() ignores NaN; here NaN is the worst. */
static inline double worse(double a, double b) { return isnan(a) || isnan(b) ? HUGE_VAL : a > b ? a : b; }

/* Returns the error of one joint as a length. `fast`: its three rows; `exact`: in double precision. */
static double joint_error(const float *fast, const struct dmat4 *exact, const struct box *box, double size)
{
    const double element = largest_element(exact);
    double largest = 0;
    for (int r = 0; r < 3; r++) {
        const double offset = (double)fast[4 * r + 3] - exact->m[12 + r];
        double at_middle = offset, to_corner = 0;
        for (int c = 0; c < 3; c++) {
            const double difference = (double)fast[4 * r + c] - exact->m[4 * c + r];
            at_middle += difference * (box->min[c] + box->max[c]) / 2;
            to_corner += fabs(difference) * (box->max[c] - box->min[c]) / 2;
            largest = worse(largest, element > 0 ? fabs(difference) / element * size : 0);
        }
        largest = worse(largest, fabs(at_middle) + to_corner);
    }
    return largest;
}

/* Makes the exact palettes from measure->pose. */
static void put_exact(struct clip_error *measure, const struct model *model)
{
    struct dmat4 *out = measure->exact;
    for (uint32_t s = 0; s < model->skin_count; s++)
        for (uint32_t j = 0; j < model->skins[s].joint_count; j++) {
            const struct joint *joint = &model->joints[model->skins[s].joint_first + j];
            const struct dmat4 joint_from_bind = dmat4_from_mat4(&joint->joint_from_bind);
            *out++ = dmat4_mul(&measure->pose.scene_from_node[joint->node], &joint_from_bind);
        }
}

/* Returns the largest error of all joints. measure->exact is filled, measure->palette has the compiled local
 * transforms. */
static double pose_error(struct clip_error *measure, const struct model *model)
{
    const struct dmat4 *exact = measure->exact;
    double largest = 0;
    for (uint32_t s = 0; s < model->skin_count; s++) {
        if (s == 0)
            clip_palette_compose(&measure->palette, model, s, PALETTE_MAT3X4, measure->rows);
        else
            clip_palette_next(&measure->palette, model, s, PALETTE_MAT3X4, measure->rows);
        for (uint32_t j = 0; j < model->skins[s].joint_count; j++)
            largest =
                worse(largest, joint_error(measure->rows + 12 * (size_t)j, exact++, &measure->boxes[s], measure->size));
    }
    return largest;
}

void clip_error_init(struct clip_error *measure, const struct model *model)
{
    uint32_t joints = 0;
    size_t all_joints = 0;
    for (uint32_t s = 0; s < model->skin_count; s++) {
        joints = model->skins[s].joint_count > joints ? model->skins[s].joint_count : joints;
        all_joints += model->skins[s].joint_count;
    }
    *measure = (struct clip_error){
        .boxes = mem_alloc(model->skin_count * sizeof *measure->boxes),
        .rows = mem_alloc((size_t)joints * 12 * sizeof *measure->rows),
        .exact = mem_alloc((all_joints + 1) * sizeof *measure->exact),
    };
    clip_palette_init(&measure->palette, kernel_best());
    clip_blend_init(&measure->blend);
    pose_init(&measure->pose);
    blend_init(&measure->exact_blend);
    bind_boxes(model, measure->boxes);
    measure->size = model_size(model, &measure->pose);
}

void clip_error_fini(struct clip_error *measure)
{
    clip_palette_fini(&measure->palette);
    clip_blend_fini(&measure->blend);
    pose_fini(&measure->pose);
    blend_fini(&measure->exact_blend);
    free(measure->boxes);
    free(measure->rows);
    free(measure->exact);
}

/* Of errors that are relative to the model's size. */
struct statistics {
    double largest, sum, square_sum;
    uint32_t count;
};

static void count_error(struct statistics *of, double error)
{
    of->largest = worse(of->largest, error);
    of->sum += error;
    of->square_sum += error * error;
    of->count++;
}

/* The largest of n values has a Gumbel distribution, whose parameters follow from mean and standard deviation (E. J.
 * Gumbel, "Statistics of Extremes", 1958, 6.2). The errors of moments are largest values themselves, of all joints. */
static double expect_largest(const struct statistics *of, double count)
{
    static const double SCALE = 0.7796968012336761, EULER = 0.5772156649015329; /* SCALE: sqrt(6) / pi */
    const double mean = of->sum / of->count, variance = of->square_sum / of->count - mean * mean;
    return mean + SCALE * (log(count) - EULER) * sqrt(fmax(variance, 0));
}

/* A measurement under way. */
struct moments {
    struct clip_error *measure;
    const struct model *model;
    uint32_t clip;
    const uint32_t *flags; /* [way_count] */
    uint32_t way_count;
    struct statistics found[CLIP_ERROR_WAYS_MAX];
};

/* Measures all ways at one time. The exact pose takes much longer than each of them. */
static void measure_at(struct moments *moments, double time_s)
{
    struct clip_error *measure = moments->measure;
    pose_evaluate(&measure->pose, moments->model, (int32_t)moments->clip, time_s);
    put_exact(measure, moments->model);
    for (uint32_t w = 0; w < moments->way_count; w++) {
        clip_palette_sample_by(&measure->palette, moments->model, moments->clip, moments->flags[w], time_s);
        count_error(&moments->found[w], pose_error(measure, moments->model) / measure->size);
    }
}

/* Half of the times are frames, half lie between; where there are fewer of either, all are used. Times between two
 * frames follow fractions of the golden ratio, so that together they cover the whole interval. */
void clip_error_measure(struct clip_error *measure, const struct model *model, uint32_t clip, uint32_t moment_count,
                        const uint32_t *flags, uint32_t way_count, struct clip_error_found *found)
{
    struct moments moments = {.measure = measure, .model = model, .clip = clip, .flags = flags, .way_count = way_count};
    const struct compiled_clip *compiled = &model->compiled_clips[clip];
    const double *times = model->frame_times + compiled->frame_first;
    const uint32_t half = moment_count / 2 > 0 ? moment_count / 2 : 1;
    const uint32_t count = half < compiled->frame_count ? half : compiled->frame_count;
    measure_at(&moments, model->clips[clip].duration_s);
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t f = (uint32_t)((uint64_t)i * compiled->frame_count / count);
        measure_at(&moments, times[f]);
        if (f + 1 == compiled->frame_count)
            continue;
        const double u = fmod(0.5 + i * 0.6180339887498949, 1);
        measure_at(&moments, times[f] + u * (times[f + 1] - times[f]));
    }
    for (uint32_t w = 0; w < way_count; w++)
        found[w] =
            (struct clip_error_found){moments.found[w].largest, expect_largest(&moments.found[w], CLIP_ERROR_TIMES)};
}

/* --- blends --- */

/* Multiples of an irrational number modulo 1: evenly spread, and never in step with each other. */
static double spread(uint32_t i, double step) { return fmod(0.5 + i * step, 1); }

static double time_in(const struct model *model, uint32_t clip, double share)
{
    const struct compiled_clip *compiled = &model->compiled_clips[clip];
    const double *times = model->frame_times + compiled->frame_first;
    return times[0] + share * (times[compiled->frame_count - 1] - times[0]);
}

/* Blends the clip with itself, with the rest pose, with the other clip, or with the first two. Returns the number of
 * layers. */
static uint32_t moment_layers(const struct model *model, uint32_t clip, uint32_t other, uint32_t i,
                              struct blend_layer layers[3])
{
    const double weight = spread(i, 0.7548776662466927), time_s = time_in(model, clip, spread(i, 0.4142135623730950));
    const struct blend_layer own = {
        .clip = (int32_t)clip, .clip_time_s = time_in(model, clip, spread(i, 0.6180339887498949)), .weight = weight};
    const struct blend_layer again = {.clip = (int32_t)clip, .clip_time_s = time_s, .weight = 1 - weight};
    const struct blend_layer rest = {.clip = POSE_REST, .weight = 1 - weight};
    const struct blend_layer beside = {.clip = (int32_t)other,
                                       .clip_time_s = time_in(model, other, spread(i, 0.7320508075688772)),
                                       .weight = 1 - weight};
    layers[0] = own;
    layers[1] = i % 4 == 1 ? rest : i % 4 == 2 ? beside : again;
    layers[2] = rest;
    return i % 4 == 3 ? 3 : 2;
}

void clip_error_measure_blends(struct clip_error *measure, const struct model *model, uint32_t clip, uint32_t other,
                               uint32_t moment_count, double errors[2])
{
    errors[0] = errors[1] = 0;
    for (uint32_t i = 0; i < moment_count; i++) {
        struct clip_blend_plan plan = {0};
        plan.count = plan.override_count = moment_layers(model, clip, other, i, plan.layers);
        plan.is_sized = clip_blend_is_sized(model, &plan);
        blend_evaluate(&measure->exact_blend, &measure->pose, model, plan.layers, plan.count);
        put_exact(measure, model);
        for (int is_f64 = 0; is_f64 < 2; is_f64++) {
            plan.is_f64 = is_f64;
            if (clip_blend_sample(&measure->blend, &measure->palette, model, &plan))
                errors[is_f64] = worse(errors[is_f64], pose_error(measure, model));
        }
    }
    errors[0] /= measure->size;
    errors[1] /= measure->size;
}
