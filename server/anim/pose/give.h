/* give.h - changes a pose by a given one (anim/given/given_pose.h). Pure; any thread. */
#pragma once

#include "anim/given/given_pose.h"
#include "anim/pose/pose.h"

/* How a given pose acts. */
struct give {
    const struct given_pose *given;
    double time_s;           /* of the given pose */
    double weight;           /* 0..1 */
    bool is_additive;        /* adds the difference from rest; otherwise it replaces */
    const uint8_t *is_moved; /* [node_count]: zero for nodes that it leaves alone; NULL: none */
};

/* Changes local transforms and morph weights of a sampled pose; pose_compose() has to follow. Of the nodes in `list`
 * only. */
void pose_give(struct pose *pose, const struct model *model, const struct node_list *list, const struct give *give);

/* Turns the eyes of a given pose, or moves their expressions, after all layers. It composes the pose where it has to
 * know where the head is; pose_compose() has to follow. For all nodes only. */
void pose_give_look(struct pose *pose, const struct model *model, const struct give *give);

/* Changes one local transform by what is given of its node. `rest` is the node's rest transform. */
void give_local(const struct give *give, const struct given_node *node, const struct given_moment *moment,
                const struct trs *rest, struct trs *local);

/* Makes local transforms of the numbers of a node that are relative to its rest: translations are added, rotations
 * follow about the node's own axes, scales are multiplied. values: those of a frame. */
void give_add_rest(const struct given_node *node, const struct model *model, double *values);
