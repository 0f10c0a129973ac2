/* compare.h - finds the differences between two models: in their skeletons, clips, poses and drawn surfaces.
 *
 * A file that another tool has written again counts as the same. Joints are matched by name, by the name as exporters
 * rewrite it, or by place. A joint is compared by the motion of what it carries, not by its own axes. Vertices,
 * triangles and keys may be split, ordered and resampled differently. `tolerance` is the distance at which two things
 * still count as the same, as a share of the model's size. Distances are in units of the old file, at places in its
 * scene space. Pure; any thread. Both models are borrowed for the call. */
#pragma once

#include "anim/model/mat.h"
#include "base/err.h"

enum difference_kind {
#define X(symbol, name, text) symbol,
#include "protocol/differences.def"
#undef X
    DIFFERENCE_COUNT
};
/* "joint_added" */
const char *difference_name(enum difference_kind kind);

/* One of the two models. Pairs are in this order. */
enum compare_side { COMPARE_OLD, COMPARE_NEW, COMPARE_SIDES };

enum {
    DIFFERENCES_MOST = 100, /* of one kind; more are only counted */
    DIFFERENCE_MESSAGE_SIZE = 480,
};
#define COMPARE_TOLERANCE 1e-3

enum value_kind { VALUE_NONE, VALUE_NULL, VALUE_NUMBER, VALUE_TEXT };
/* The value of a property in one of the models. */
struct difference_value {
    enum value_kind kind;
    double number;
    char text[SHORT_NAME_SIZE];
};

/* Indices into the old and the new model; -1: none. Numbers that do not apply are NaN. */
struct difference {
    enum difference_kind kind;
    int32_t clips[COMPARE_SIDES], nodes[COMPARE_SIDES], materials[COMPARE_SIDES], meshes[COMPARE_SIDES];
    double time_s;
    double distance;        /* greatest distance of what the joint carries: its origin, joints below it, vertices */
    double vertex_distance; /* greatest distance of the vertices that follow it most */
    double angle_deg;       /* between its two rotations */
    struct difference_value values[COMPARE_SIDES];
    char message[DIFFERENCE_MESSAGE_SIZE];
};

/* A clip that both models have, and the joint that differs most in it, however little. */
struct compared_clip {
    int32_t clips[COMPARE_SIDES];
    int32_t nodes[COMPARE_SIDES]; /* -1: the models share no joints */
    double time_s;                /* of the new clip; NaN without a joint, like the numbers below */
    double distance, vertex_distance, angle_deg;
    bool is_by_phase;              /* at the same shares of their lengths, which are nearer than the same times */
    uint32_t pose_count, left_out; /* poses that were compared, and poses beyond the limit on steps */
};
enum { COMPARED_CLIPS_MOST = 4096 };

/* What is stored otherwise and looks the same. */
struct comparison_note {
    const char *kind; /* static: "bind_pose" */
    char message[DIFFERENCE_MESSAGE_SIZE];
};
enum { COMPARISON_NOTES_MOST = 4 };

struct comparison {
    double tolerance;
    double size;                    /* longest side of the old model at rest */
    struct difference *differences; /* [difference_count], sorted by kind */
    uint32_t difference_count;
    uint32_t left_out[DIFFERENCE_COUNT]; /* per kind, beyond DIFFERENCES_MOST */
    struct compared_clip *clips;         /* [clip_count], in the new model's order */
    uint32_t clip_count;
    uint32_t clips_left_out; /* beyond COMPARED_CLIPS_MOST */
    struct comparison_note notes[COMPARISON_NOTES_MOST];
    uint32_t note_count;
    bool has_other_unit, has_other_up;       /* the files state different ones */
    bool is_unit_converted, is_up_converted; /* and their numbers differ exactly by that */
    uint64_t vertices_left_out;      /* vertices beyond the first two million of a model, which were not compared */
    uint64_t pose_count, step_count; /* poses that were evaluated, and the nodes and weights in them */
    size_t capacity;                 /* private */
};

struct compare_options {
    double tolerance;
    bool has_clip;                  /* compare only this clip */
    int32_t clip;                   /* of the new model, or POSE_REST for no clip */
    uint64_t steps;                 /* greatest number of nodes and morph weights to evaluate */
    const _Atomic bool *is_stopped; /* may be NULL; once it is true, the call ends soon */
};

/* Fills *out, which comparison_fini() frees, also after an error. Returns 0, ERR_TOO_MANY_FRAMES where the limit on
 * steps does not allow a single pose, ERR_NOT_FINITE, or ERR_REQUEST_TIMEOUT once stopped. */
int compare_models(const struct model *old, const struct model *new, const struct compare_options *options,
                   struct comparison *out, struct err *err);
void comparison_fini(struct comparison *comparison);
