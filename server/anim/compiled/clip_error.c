/* clip_error.c - compares palettes of compiled clips with those in double precision. */
#include "anim/compiled/clip_error.h"

#include "base/mem.h"

#include <math.h>
#include <stdlib.h>

/* What each skin moves, in bind space: boxes[skin_count]. */
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
            largest = fmax(largest, fabs(m->m[4 * c + r]));
    return largest;
}

/* fmax() passes over what is no number; here nothing is worse. */
static double worse(double a, double b) { return isnan(a) || isnan(b) ? HUGE_VAL : fmax(a, b); }

/* Of one joint, as lengths: `fast` are its three rows, `exact` is in double precision. */
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

static double error_at(struct clip_error *measure, const struct model *model, uint32_t clip, double time_s)
{
    double largest = 0;
    pose_evaluate(&measure->pose, model, (int32_t)clip, time_s);
    for (uint32_t s = 0; s < model->skin_count; s++) {
        const struct skin *skin = &model->skins[s];
        if (s == 0)
            clip_palette_evaluate(&measure->palette, model, clip, time_s, s, PALETTE_MAT3X4, measure->rows);
        else
            clip_palette_next(&measure->palette, model, s, PALETTE_MAT3X4, measure->rows);
        for (uint32_t j = 0; j < skin->joint_count; j++) {
            const struct joint *joint = &model->joints[skin->joint_first + j];
            const struct dmat4 joint_from_bind = dmat4_from_mat4(&joint->joint_from_bind);
            const struct dmat4 exact = dmat4_mul(&measure->pose.scene_from_node[joint->node], &joint_from_bind);
            largest =
                worse(largest, joint_error(measure->rows + 12 * (size_t)j, &exact, &measure->boxes[s], measure->size));
        }
    }
    return largest;
}

void clip_error_init(struct clip_error *measure, const struct model *model)
{
    uint32_t joints = 0;
    for (uint32_t s = 0; s < model->skin_count; s++)
        joints = model->skins[s].joint_count > joints ? model->skins[s].joint_count : joints;
    *measure = (struct clip_error){
        .boxes = mem_alloc(model->skin_count * sizeof *measure->boxes),
        .rows = mem_alloc((size_t)joints * 12 * sizeof *measure->rows),
    };
    clip_palette_init(&measure->palette, kernel_best());
    pose_init(&measure->pose);
    bind_boxes(model, measure->boxes);
    measure->size = model_size(model, &measure->pose);
}

void clip_error_fini(struct clip_error *measure)
{
    clip_palette_fini(&measure->palette);
    pose_fini(&measure->pose);
    free(measure->boxes);
    free(measure->rows);
}

/* Half of the moments at frames, half between; where there are fewer of either, all. Times between two frames go
 * through fractions of the golden ratio, so that no place between frames is left out in all of them. */
double clip_error_measure(struct clip_error *measure, const struct model *model, uint32_t clip, uint32_t moment_count)
{
    const struct compiled_clip *compiled = &model->compiled_clips[clip];
    const double *times = model->frame_times + compiled->frame_first;
    const uint32_t half = moment_count / 2 > 0 ? moment_count / 2 : 1;
    const uint32_t count = half < compiled->frame_count ? half : compiled->frame_count;
    double largest = error_at(measure, model, clip, model->clips[clip].duration_s);
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t f = (uint32_t)((uint64_t)i * compiled->frame_count / count);
        largest = fmax(largest, error_at(measure, model, clip, times[f]));
        if (f + 1 == compiled->frame_count)
            continue;
        const double u = fmod(0.5 + i * 0.6180339887498949, 1);
        largest = fmax(largest, error_at(measure, model, clip, times[f] + u * (times[f + 1] - times[f])));
    }
    return largest / measure->size;
}
