/* check.h - what is wrong with the motion of a clip. Pure; any thread.
 *
 * Each finding belongs to a rule (protocol/rules/motion_rules.def), and says which joint, when, and by how much.
 * Distances are shares of the model's size, the longest side of its box at rest, or of what its nodes span at the start
 * of the clip where it draws nothing. */
#pragma once

#include "anim/model/model.h"
#include "base/err.h"

enum motion_rule {
#define RULE(symbol, name, severity, text) MOTION_##symbol,
#include "protocol/rules/motion_rules.def"
#undef RULE
    MOTION_RULE_COUNT
};
const char *motion_rule_name(enum motion_rule rule); /* "loop-jump" */

enum {
    FINDINGS_MOST = 64, /* of a rule in a clip; more are only counted */
    FINDING_SUBJECT_SIZE = 512,
};

struct finding {
    enum motion_rule rule;
    int32_t clip, node, mesh;           /* or -1 */
    double time_s;                      /* in the clip; NaN: at no time */
    double value, limit;                /* NaN: the rule measures nothing */
    const char *unit;                   /* of both: "size", "degrees"; NULL without a value */
    bool is_note;                       /* looks like a fault and is none */
    char subject[FINDING_SUBJECT_SIZE]; /* "clip 'walk', joint 'foot'": identifies the finding with its rule */
    char message[ERR_MESSAGE_SIZE];
};

/* Whether a clip must end as it begins, and whether it may move over the ground. */
enum check_loop { CHECK_LOOP_AUTO, CHECK_LOOP_NO, CHECK_LOOP_YES }; /* auto: the clip's name says so */
enum check_ground { CHECK_GROUND_ANY, CHECK_GROUND_IN_PLACE, CHECK_GROUND_TRAVELS };

struct check_options {
    enum check_loop loop;
    enum check_ground ground;
    int32_t root;                             /* node whose movement `ground` means, or -1: the topmost joint */
    double max_jump, max_drift, least_motion; /* shares of the size */
    uint64_t steps;                           /* greatest number of nodes and morph weights to evaluate */
    uint64_t vertices;                        /* greatest number of vertices to deform */
    const _Atomic bool *is_stopped;           /* may be NULL; once it is true, a call ends soon */
};
#define CHECK_MAX_JUMP     0.01
#define CHECK_MAX_DRIFT    0.1
#define CHECK_LEAST_MOTION 1e-5

struct check_rig; /* check_rig.h */
struct check_report {
    double size;              /* of the model, in units of the scene; 0: unknown */
    struct finding *findings; /* [count], by clip */
    uint32_t count;
    uint32_t left_out; /* findings beyond FINDINGS_MOST */
    uint64_t pose_count, step_count, vertex_count;
    size_t capacity;       /* private */
    struct check_rig *rig; /* private: what the rules know of the model; found once */
    int32_t root;          /* private, with has_root: the model's default root, or -1 */
    bool has_root;
};

/* Returns whether a clip must end as it begins. */
bool check_must_loop(const struct model *model, int32_t clip, enum check_loop loop);
/* Appends the findings of a clip to *report, which starts as zeros and check_report_fini() frees, also after an error.
 * Returns 0, ERR_TOO_MANY_FRAMES beyond the steps, or ERR_REQUEST_TIMEOUT once stopped. */
int check_clip(const struct model *model, int32_t clip, const struct check_options *options,
               struct check_report *report, struct err *err);
/* The same for what is wrong without any clip: weights. */
int check_rest(const struct model *model, const struct check_options *options, struct check_report *report,
               struct err *err);
void check_report_fini(struct check_report *report);
