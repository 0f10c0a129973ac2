/* compare.h - what is different between two models: the skeleton, clips, poses, what is drawn.
 *
 * A file that another tool has written again is the same: joints are found by name, by the name as exporters rewrite
 * it, or by place; a joint is judged by how it moves what it carries and not by its own axes; vertices, triangles and
 * keys may be split, ordered and resampled otherwise. `tolerance` says how far what is the same may be away, as a share
 * of the model's size. Distances are in units of the old file, at places in its scene space.
 * Pure; any thread. Both models are borrowed for the call. */
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

/* Which of the two models. Pairs are in this order. */
enum compare_side { COMPARE_OLD, COMPARE_NEW, COMPARE_SIDES };

enum {
    DIFFERENCES_MOST = 100, /* of one kind; more are counted */
    DIFFERENCE_MESSAGE_SIZE = 480,
};
#define COMPARE_TOLERANCE 1e-3

enum value_kind { VALUE_NONE, VALUE_NULL, VALUE_NUMBER, VALUE_TEXT };
/* What something is in one of the models. */
struct difference_value {
    enum value_kind kind;
    double number;
    char text[SHORT_NAME_SIZE];
};

/* Indices are those of the old and the new model; -1: of neither, or it has none. Numbers that do not apply are NaN. */
struct difference {
    enum difference_kind kind;
    int32_t clips[COMPARE_SIDES], nodes[COMPARE_SIDES], materials[COMPARE_SIDES], meshes[COMPARE_SIDES];
    double time_s;
    double distance;        /* of the farthest of what the joint carries: its origin, those below it, vertices */
    double vertex_distance; /* of the vertices that follow it most */
    double angle_deg;       /* between its rotations */
    struct difference_value values[COMPARE_SIDES];
    char message[DIFFERENCE_MESSAGE_SIZE];
};

/* A clip that both models have, and the joint that is farthest away in it, however little that is. */
struct compared_clip {
    int32_t clips[COMPARE_SIDES];
    int32_t nodes[COMPARE_SIDES]; /* -1: there are no joints */
    double time_s;                /* likewise NaN, as what follows */
    double distance, vertex_distance, angle_deg;
    uint32_t pose_count, left_out; /* poses that were looked at, and that would have been too many */
};
enum { COMPARED_CLIPS_MOST = 4096 };

struct comparison {
    double tolerance;
    double size;                    /* the longest side of the old model at rest */
    struct difference *differences; /* [difference_count], by kind */
    uint32_t difference_count;
    uint32_t left_out[DIFFERENCE_COUNT]; /* of each kind, beyond DIFFERENCES_MOST */
    struct compared_clip *clips;         /* [clip_count], in the new model's order */
    uint32_t clip_count;
    uint32_t clips_left_out;                 /* beyond COMPARED_CLIPS_MOST */
    bool has_other_unit, has_other_up;       /* the files say different ones */
    bool is_unit_converted, is_up_converted; /* and their numbers differ by just that */
    uint64_t vertices_left_out;              /* behind the two millions of a model that are looked at */
    uint64_t pose_count, step_count;         /* poses evaluated, and nodes and weights in them */
    size_t capacity;                         /* private */
};

struct compare_options {
    double tolerance;
    bool has_clip;                  /* only this clip: */
    int32_t clip;                   /* of the new model, or POSE_REST: no clip */
    uint64_t steps;                 /* how many nodes and morph weights may be evaluated */
    const _Atomic bool *is_stopped; /* or NULL: once true, the call ends soon */
};

/* Fills *out, which comparison_fini() frees, also after an error. Returns 0, ERR_TOO_MANY_FRAMES where not even one
 * pose of the models may be evaluated, ERR_NOT_FINITE, or ERR_REQUEST_TIMEOUT once stopped. */
int compare_models(const struct model *old, const struct model *new, const struct compare_options *options,
                   struct comparison *out, struct err *err);
void comparison_fini(struct comparison *comparison);
