/* root_motion.c - separates the root's motion over the ground from its pose. */
#include "anim/pose/root_motion.h"

#include "anim/model/trig.h"

#include <math.h>
#include <string.h>

static const double HALF_TURN_DEG = 180, PI = 3.14159265358979323846;

enum { IS_JOINT = 1, IS_BELOW = 2 };

/* Marks the joints of skins. In a model without skins, such as a motion file, it marks the nodes that a clip moves. */
static void mark_joints(const struct model *model, uint8_t *marks)
{
    bool is_skinned = false;
    for (uint32_t n = 0; n < model->node_count; n++) {
        marks[n] = (model->nodes[n].flags & NODE_JOINT) != 0 ? IS_JOINT : 0;
        is_skinned = is_skinned || marks[n] != 0;
    }
    for (uint32_t i = 0; i < model->channel_count && !is_skinned; i++)
        if (path_is_transform(model->channels[i].path))
            marks[model->channels[i].node] = IS_JOINT;
}

int32_t root_motion_find_root(const struct model *model, uint8_t *marks)
{
    int32_t top = -1;
    uint32_t count = 0;
    mark_joints(model, marks);
    for (uint32_t i = 0; i < model->order_count; i++) {
        const uint32_t node = model->node_order[i];
        const int32_t parent = model->nodes[node].parent;
        const bool is_covered = parent >= 0 && (marks[parent] & IS_BELOW) != 0;
        if ((marks[node] & IS_JOINT) != 0 && !is_covered) {
            top = (int32_t)node;
            count++;
        }
        if (marks[node] != 0 || is_covered)
            marks[node] |= IS_BELOW;
    }
    if (count == 0 && model->root_count == 1)
        return (int32_t)model->scene_roots[0];
    return count == 1 ? top : -1;
}

void root_motion_mark(const struct model *model, uint32_t node, uint8_t *is_moved)
{
    for (uint32_t i = 0; i < model->order_count; i++) {
        const uint32_t n = model->node_order[i];
        const int32_t parent = model->nodes[n].parent;
        is_moved[n] = n == node || (parent >= 0 && is_moved[parent]);
    }
}

/* Computes the origin of the root without its height. */
static void ground_point(const struct root_motion *motion, const struct pose *pose, double out[3])
{
    const double *place = pose->scene_from_node[motion->node].m + 12;
    const double height = dot3(place, motion->up);
    for (int i = 0; i < 3; i++)
        out[i] = place[i] - height * motion->up[i];
}

static void rotation_of(const struct pose *pose, uint32_t node, double out[4])
{
    struct trs trs;
    trs_from_dmat4(&pose->scene_from_node[node], &trs); /* of a sheared matrix, the best fit */
    memcpy(out, trs.rotation, sizeof trs.rotation);
}

void root_motion_start(struct root_motion *motion, const struct pose *pose, const struct model *model, uint32_t node,
                       bool has_turn, const uint8_t *is_moved)
{
    const float *up = model->infos[0].up;
    *motion = (struct root_motion){.node = node, .has_turn = has_turn, .is_moved = is_moved};
    for (int i = 0; i < 3; i++)
        motion->up[i] = (double)up[i];
    unit3(motion->up);
    ground_point(motion, pose, motion->origin);
    rotation_of(pose, node, motion->start_rotation);
}

/* Returns the angle about `up` of the rotation from `start` to `now`: now * conjugate(start) = (v, w). */
static double twist_deg(const double now[4], const double start[4], const double up[3])
{
    const double w = now[3] * start[3] + dot3(now, start);
    const double v[3] = {start[3] * now[0] - now[3] * start[0] - (now[1] * start[2] - now[2] * start[1]),
                         start[3] * now[1] - now[3] * start[1] - (now[2] * start[0] - now[0] * start[2]),
                         start[3] * now[2] - now[3] * start[2] - (now[0] * start[1] - now[1] * start[0])};
    const double along = dot3(v, up);
    /* of the two signs, w >= 0 gives an angle in -180..180 */
    const double angle = 2 * trig_atan(w < 0 ? -along : along, fabs(w)) * HALF_TURN_DEG / PI;
    return angle <= -HALF_TURN_DEG ? HALF_TURN_DEG : angle + 0;
}

void root_motion_measure(const struct root_motion *motion, const struct pose *pose, struct root_step *step)
{
    double now[4];
    *step = (struct root_step){.is_local_exact = true};
    ground_point(motion, pose, step->translation);
    for (int i = 0; i < 3; i++)
        step->translation[i] -= motion->origin[i];
    if (!motion->has_turn)
        return;
    rotation_of(pose, motion->node, now);
    step->angle_deg = twist_deg(now, motion->start_rotation, motion->up);
}

/* T(o) * R(up, -angle) * T(-g) */
static struct dmat4 still_from_scene(const struct root_motion *motion, const struct root_step *step)
{
    const double half = -step->angle_deg * PI / HALF_TURN_DEG / 2, sine = trig_sin(half), *up = motion->up;
    const struct trs turn = {.rotation = {up[0] * sine, up[1] * sine, up[2] * sine, trig_cos(half)},
                             .scale = {1, 1, 1}};
    struct dmat4 m = dmat4_from_trs(&turn);
    double ground[3], turned[3];
    for (int i = 0; i < 3; i++)
        ground[i] = motion->origin[i] + step->translation[i];
    dmat4_direction(&m, ground, turned);
    for (int i = 0; i < 3; i++)
        m.m[12 + i] = motion->origin[i] - turned[i];
    return m;
}

struct dmat4 root_motion_remove_nodes(const struct root_motion *motion, struct pose *pose, const struct model *model,
                                      const struct node_list *list, struct root_step *step)
{
    root_motion_measure(motion, pose, step);
    const struct dmat4 still = still_from_scene(motion, step);
    for (uint32_t i = 0; i < list->count; i++) {
        struct dmat4 *matrix = &pose->scene_from_node[list->nodes[i]];
        if (motion->is_moved[list->nodes[i]])
            *matrix = dmat4_mul(&still, matrix);
    }
    const int32_t parent = model->nodes[motion->node].parent;
    struct dmat4 parent_from_scene = DMAT4_IDENTITY;
    const bool has_inverse = parent < 0 || dmat4_invert(&pose->scene_from_node[parent], &parent_from_scene);
    const struct dmat4 local = dmat4_mul(&parent_from_scene, &pose->scene_from_node[motion->node]);
    step->is_local_exact = has_inverse && trs_from_dmat4(&local, &pose->local[motion->node]);
    pose->is_animated[motion->node] = true; /* its local transform is not the file's */
    return still;
}

void root_motion_remove(const struct root_motion *motion, struct pose *pose, const struct model *model,
                        struct root_step *step)
{
    const struct node_list all = node_list_all(model);
    root_motion_remove_nodes(motion, pose, model, &all, step);
}
