#include "anim/pose/bounds.h"

#include "base/err.h"
#include "anim/pose/sample.h"
#include "anim/pose/skin.h"

#include <math.h>

#define NEAR_S 1e-9 /* a step of the rate so near to a key is the key */

const struct box BOX_EMPTY = {{HUGE_VAL, HUGE_VAL, HUGE_VAL}, {-HUGE_VAL, -HUGE_VAL, -HUGE_VAL}};

bool box_is_empty(const struct box *box) { return !(box->min[0] <= box->max[0]); }

void box_add(struct box *box, const double point[3])
{
    for (int i = 0; i < 3; i++) {
        box->min[i] = fmin(box->min[i], point[i]);
        box->max[i] = fmax(box->max[i], point[i]);
    }
}

void box_join(struct box *box, const struct box *other)
{
    for (int i = 0; i < 3; i++) {
        box->min[i] = fmin(box->min[i], other->min[i]);
        box->max[i] = fmax(box->max[i], other->max[i]);
    }
}

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

int bounds_deform(const struct pose *pose, const struct model *model, uint32_t draw, struct mat4 *palette,
                  bool is_palette_set, struct vec3 *out, struct err *err)
{
    const struct draw *d = &model->draws[draw];
    const struct primitive *primitive = &model->primitives[d->primitive];
    const struct node *node = &model->nodes[d->node];
    const struct vec3 *bind = model->positions + primitive->vertex_first;
    if (!is_palette_set) {
        const int rc = pose_palette(pose, model, d->skin, &DMAT4_IDENTITY, palette, err);
        if (rc < 0)
            return rc;
    }
    if (primitive->morph_target_count > 0 && node->weight_count > 0) {
        skin_morph_positions(model, d->primitive, pose->weights + node->weight_first, node->weight_count, out);
        bind = out;
    }
    skin_positions(model, d->primitive, palette, bind, out);
    for (uint32_t v = 0; v < primitive->vertex_count; v++)
        if (!(isfinite(out[v].x) && isfinite(out[v].y) && isfinite(out[v].z)))
            return err_set(err, ERR_NOT_FINITE, "vertex %u of mesh %u at node %u is not finite", v, primitive->mesh,
                           d->node);
    return 0;
}

/* The first key of any channel after `time_s`; infinity when there is none. */
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

/* The first step of the rate after `time_s`; infinity without a rate, or when its steps are too small for a double. */
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
