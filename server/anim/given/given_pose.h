/* given_pose.h - a pose, or a motion of several frames, that a request brings instead of a clip. protocol/blending.md
 * specifies it.
 *
 * It has values of some nodes, each with a translation, a rotation or a scale, or several of them, and of some morph
 * weights. What it does not give stays as it is. Values are those of anim/pose: local transforms in the model's units,
 * in doubles, rotations x, y, z, w, which may have any length but 0. Pure; any thread. After given_pose_finish() it is
 * immutable. */
#pragma once

#include "anim/given/given_look.h"
#include "anim/model/mat.h"
#include "base/err.h"

#include <stdbool.h>
#include <stdint.h>

/* The parts of a transform, numbered as enum channel_path. */
enum given_part { GIVEN_TRANSLATION = 1, GIVEN_ROTATION = 2, GIVEN_SCALE = 4, GIVEN_WHOLE = 7 };

struct given_node {
    uint32_t node;  /* of the model */
    uint32_t parts; /* GIVEN_, at least one */
    uint32_t first; /* index of its numbers in a frame: those of its parts, translation first */
    uint32_t padding;
};

struct given_weight {
    uint32_t weight; /* of the model's weights */
    uint32_t node;   /* whose mesh has it */
    uint32_t first;  /* index of its number in a frame */
    uint32_t padding;
};

/* What expressions do to a material: five numbers of a frame. The first is the share of its own value that goes, the
 * others are what comes in its place: value * (1 - share) + sum. */
enum given_material_part {
    GIVEN_BASE_COLOR,        /* linear RGB and alpha */
    GIVEN_EMISSIVE,          /* linear RGB */
    GIVEN_TEXTURE_TRANSFORM, /* of all textures: scale, then offset */
    GIVEN_MATERIAL_PARTS
};
enum { GIVEN_MATERIAL_VALUES = 5 };
struct given_material {
    uint32_t material;
    uint32_t part;  /* GIVEN_.. */
    uint32_t first; /* index of its numbers in a frame */
    uint32_t padding;
};

enum given_flags {
    GIVEN_MODEST = 1, /* numbers are of the model's own size, so that compiled evaluation keeps its bound */
    GIVEN_COVERS = 2, /* all of each node of the model's compiled rig is given */
};

/* Frames are linear between their times, and rotations take the shorter arc. Before the first and after the last frame
 * the nearest one holds. */
struct given_pose {
    struct given_node *nodes;         /* [node_count], by rising node, each once */
    struct given_weight *weights;     /* [weight_count], by rising weight, each once */
    struct given_material *materials; /* [material_count], by rising material and part, each once */
    double *times_s;                  /* [frame_count], from 0 on, rising */
    double *values;                   /* [frame_count][frame_values] */
    uint32_t node_count, weight_count, material_count;
    uint32_t frame_count, frame_values; /* at least 1; 0 where expressions change nothing */
    uint32_t flags;                     /* enum given_flags, from given_pose_finish() */
    struct given_look look;             /* of all frames; it needs exact evaluation */
};

/* Returns how many numbers these parts have. */
static inline uint32_t given_part_values(uint32_t parts)
{
    return ((parts & GIVEN_TRANSLATION) != 0 ? 3U : 0U) + ((parts & GIVEN_ROTATION) != 0 ? 4U : 0U) +
           ((parts & GIVEN_SCALE) != 0 ? 3U : 0U);
}

/* Returns the time of its last frame. */
static inline double given_pose_duration_s(const struct given_pose *given)
{
    return given->times_s[given->frame_count - 1];
}

/* Frees the arrays, if they are its own. */
void given_pose_fini(struct given_pose *given);

/* Checks the arrays against the model: indices, order, times, and that all numbers are finite and fit floats. Sets the
 * flags. Returns 0, or ERR_BAD_PARAMETER that names frame, node and number. */
int given_pose_finish(struct given_pose *given, const struct model *model, struct err *err);

/* The same for arrays whose indices, order and times are known to be right: checks the numbers only. */
int given_pose_finish_values(struct given_pose *given, const struct model *model, struct err *err);

/* Finds the frames before and after a time, and where it lies between them, 0..1. */
struct given_moment {
    uint32_t from, to;
    double u;
};
struct given_moment given_pose_moment(const struct given_pose *given, double time_s);

/* Fills the parts of a node that are given, at a moment; the others are left as they are. Rotations get the length 1
 * (rotation_repair()). */
void given_pose_local(const struct given_pose *given, const struct given_node *node, const struct given_moment *moment,
                      struct trs *local);
void given_pose_material(const struct given_pose *given, const struct given_material *material,
                         const struct given_moment *moment, double out[GIVEN_MATERIAL_VALUES]);
double given_pose_look_share(const struct given_pose *given, const struct given_moment *moment);
double given_pose_weight(const struct given_pose *given, const struct given_weight *weight,
                         const struct given_moment *moment);
