/* node_constraint.h - part of the model (model.h): rules by which a node's rotation follows another node
 * (vrm-specification, VRMC_node_constraint-1.0). anim/pose/constraint.h evaluates them. */
#pragma once

#include "anim/model/model_types.h"

enum constraint_kind {
    CONSTRAINT_ROLL,     /* turns about the axis as the source turns from its rest */
    CONSTRAINT_AIM,      /* turns by the smallest angle so that the axis points at the source */
    CONSTRAINT_ROTATION, /* turns from its rest as the source turns from its own */
    CONSTRAINT_KIND_COUNT
};

/* Axes of the node: of a roll the first three, of an aim all, of a rotation AXIS_X. */
enum constraint_axis {
    AXIS_X,
    AXIS_Y,
    AXIS_Z,
    AXIS_MINUS_X,
    AXIS_MINUS_Y,
    AXIS_MINUS_Z,
    AXIS_COUNT,
    AXIS_ROLL_COUNT = AXIS_MINUS_X
};

/* A node has at most one. They stand in an order in which each can be evaluated: a roll and a rotation after the
 * constraint of their source, an aim after those of all ancestors of its node and of its source. So none depends on
 * itself. */
struct node_constraint {
    uint32_t node;
    uint32_t source; /* another node */
    uint32_t kind;   /* CONSTRAINT_ */
    uint32_t axis;   /* AXIS_ */
    float weight;    /* 0: the node rests, to 1: it follows wholly */
};

/* The length of the list of axes that a kind has. */
static inline uint32_t constraint_axis_count(uint32_t kind)
{
    return kind == CONSTRAINT_ROLL ? AXIS_ROLL_COUNT : kind == CONSTRAINT_AIM ? AXIS_COUNT : 1;
}
