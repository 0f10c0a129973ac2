/* bounds.c - deforms vertices and extends boxes to hold them. */
#include "anim/pose/bounds.h"

#include "base/err.h"
#include "anim/pose/sample.h"
#include "anim/pose/skin.h"

#include <math.h>

#define NEAR_S 1e-9 /* a step of the rate this close to a key is skipped */

uint32_t bounds_main_joint(const struct model *model, uint32_t vertex)
{
    const uint32_t first = model->influence_firsts[vertex], end = model->influence_firsts[vertex + 1];
    uint32_t joint = 0;
    float weight = 0;
    for (uint32_t i = first; i < end; i++) {
        const struct influence *influence = &model->influences[i];
        if (influence->weight > weight || (influence->weight >= weight && influence->joint < joint)) {
            joint = influence->joint;
            weight = influence->weight;
        }
    }
    return joint;
}

/* Returns the first key of any channel after `time_s`; infinity when there is none. */
static double next_key(const struct bounds_times *walk, double time_s)
{
    const struct model *model = walk->model;
    double next_s = HUGE_VAL;
    if (walk->clip == POSE_REST)
        return next_s;
    const struct clip *clip = &model->clips[walk->clip];
    for (uint32_t c = 0; c < clip->channel_count; c++) {
        const struct channel *channel = &model->channels[clip->channel_first + c];
        const double *times = model->key_times + channel->key_time_first;
        uint32_t key = sample_key(times, channel->key_count, time_s);
        key += times[key] <= time_s;
        if (key < channel->key_count)
            next_s = fmin(next_s, times[key]);
    }
    return next_s;
}

/* Returns the first step of the rate after `time_s`; infinity without a rate, or when its steps are too small for a
 * double. */
static double next_step(const struct bounds_times *walk, double time_s)
{
    if (!(walk->rate > 0))
        return HUGE_VAL;
    const double step = floor((time_s - walk->from_s + NEAR_S) * walk->rate) + 1;
    const double next_s = walk->from_s + step / walk->rate;
    return next_s > time_s ? next_s : HUGE_VAL;
}

bool bounds_times_next(struct bounds_times *walk, double *time_s)
{
    if (!walk->is_begun) {
        walk->is_begun = true;
        walk->time_s = walk->from_s;
    } else if (walk->time_s >= walk->to_s) {
        return false;
    } else {
        const double key_s = fmin(next_key(walk, walk->time_s), walk->to_s), step_s = next_step(walk, walk->time_s);
        walk->time_s = step_s + NEAR_S < key_s ? step_s : key_s;
    }
    *time_s = walk->time_s;
    walk->count++;
    return true;
}

/* --- boxes that grow from pose to pose --- */

static const struct primitive *primitive_of(const struct bounds_sum *sum, uint32_t entry)
{
    return &sum->model->primitives[sum->model->draws[sum->draws[entry]].primitive];
}

/* Returns the joint box to which vertex `v` of an entry belongs. */
static struct joint_box *joint_of(const struct bounds_sum *sum, uint32_t entry, uint32_t v)
{
    const struct model *model = sum->model;
    const struct skin *skin = &model->skins[model->draws[sum->draws[entry]].skin];
    const uint32_t place = bounds_main_joint(model, primitive_of(sum, entry)->vertex_first + v);
    return &sum->joints[model->joints[skin->joint_first + place].node];
}

void bounds_sum_clear(struct bounds_sum *sum)
{
    sum->all = BOX_EMPTY;
    for (uint32_t e = 0; e < sum->draw_count; e++)
        sum->entries[e] = BOX_EMPTY;
    for (uint32_t n = 0; sum->joints != NULL && n < sum->model->node_count; n++)
        sum->joints[n].scene = sum->joints[n].joint = BOX_EMPTY;
}

void bounds_sum_start(struct bounds_sum *sum)
{
    const struct model *model = sum->model;
    sum->is_in_scene = false;
    bounds_sum_clear(sum);
    for (uint32_t n = 0; sum->joints != NULL && n < model->node_count; n++)
        sum->joints[n].vertex_count = 0;
    for (uint32_t e = 0; e < sum->draw_count; e++) {
        sum->is_in_scene = sum->is_in_scene || (model->draws[sum->draws[e]].flags & DRAW_IN_SCENE) != 0;
        for (uint32_t v = 0; sum->joints != NULL && v < primitive_of(sum, e)->vertex_count; v++)
            joint_of(sum, e, v)->vertex_count++;
    }
    for (uint32_t n = 0; sum->is_nodes && n < model->node_count; n++)
        sum->is_in_scene = sum->is_in_scene || (model->nodes[n].flags & NODE_IN_SCENE) != 0;
}

static void invert_joints(struct bounds_sum *sum, const struct pose *pose)
{
    for (uint32_t n = 0; n < sum->model->node_count; n++) {
        struct joint_box *joint = &sum->joints[n];
        if (joint->vertex_count > 0)
            joint->has_inverse = dmat4_invert(&pose->scene_from_node[n], &joint->joint_from_scene);
    }
}

static void add_entry(struct bounds_sum *sum, uint32_t entry)
{
    const uint32_t count = primitive_of(sum, entry)->vertex_count;
    for (uint32_t v = 0; v < count; v++) {
        const double *point = DOUBLE3(sum->vertices[v]);
        box_add(&sum->entries[entry], point);
        if (sum->joints == NULL)
            continue;
        struct joint_box *joint = joint_of(sum, entry, v);
        box_add(&joint->scene, point);
        if (joint->has_inverse) {
            double inside[3];
            dmat4_point(&joint->joint_from_scene, point, inside);
            box_add(&joint->joint, inside);
        }
    }
}

static int add_nodes(struct bounds_sum *sum, const struct pose *pose, struct err *err)
{
    for (uint32_t n = 0; n < sum->model->node_count; n++) {
        const double *origin = pose->scene_from_node[n].m + 12;
        if (sum->is_in_scene && (sum->model->nodes[n].flags & NODE_IN_SCENE) == 0)
            continue;
        for (int i = 0; i < 3; i++)
            if (!isfinite((float)origin[i]))
                return err_set(err, ERR_NOT_FINITE, "the place of node %u is not finite", n);
        box_add(&sum->all, origin);
    }
    return 0;
}

int bounds_sum_add(struct bounds_sum *sum, const struct pose *pose, struct err *err)
{
    const struct model *model = sum->model;
    if (sum->is_nodes)
        return add_nodes(sum, pose, err);
    if (sum->joints != NULL)
        invert_joints(sum, pose);
    uint32_t skin = UINT32_MAX;
    for (uint32_t e = 0; e < sum->draw_count; e++) {
        const struct draw *draw = &model->draws[sum->draws[e]];
        int rc =
            draw->skin == skin ? 0 : skin_palette_make(&sum->palette, pose, model, draw->skin, &DMAT4_IDENTITY, err);
        if (rc == 0) {
            skin_draw(model, sum->draws[e], pose, &sum->palette, false, sum->vertices);
            rc = skin_check(model, sum->draws[e], sum->vertices, err);
        }
        if (rc < 0)
            return rc;
        skin = draw->skin;
        add_entry(sum, e);
        if (!sum->is_in_scene || (draw->flags & DRAW_IN_SCENE) != 0)
            box_join(&sum->all, &sum->entries[e]);
    }
    return 0;
}
