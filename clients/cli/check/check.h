/* check.h - what posectl check finds in models, and the parts that find and report it. A check_model() runs in one
 * thread of a pool, everything else in the main thread. */
#pragma once

#include "clients/cli/check/baseline.h"
#include "clients/cli/check/rule_set.h"
#include "clients/cli/server/model_list.h"

struct finding {
    enum rule_id rule;
    enum severity severity;
    char *subject; /* what it is about, "clip 'walk'": with model and rule it tells findings apart, see baseline.h */
    char *message;
    bool is_accepted;
};

/* What was found in one model. */
struct findings {
    struct finding *at;
    size_t count;
    bool is_unreadable;
    bool is_done; /* false: the run was interrupted before */
};

struct check {
    const struct args *args;
    struct rule_sets rules;
    struct model_list models;
    const struct rule_set **sets; /* of each model */
    struct skeleton **skeletons;  /* of reference_skeleton, each once */
    size_t skeleton_count;
    size_t ignored;            /* models that a key "ignore" excludes */
    struct findings *findings; /* of each model */
    struct baseline baseline;
    double seconds;
};

/* A model that is being checked. */
struct inspection {
    const struct rule_set *rules;
    struct connection *connection;
    const char *source;  /* what requests name */
    const cJSON *model;  /* the server's description */
    const cJSON **nodes; /* of the description: [node_count] */
    size_t node_count;
    bool *is_joint; /* [node_count]: the joints of the file's skins */
    double size;    /* the greatest extent of the model at rest, or of its nodes where nothing is drawn; 0: unknown */
    struct findings *findings;
};

/* findings.c */
struct subject {
    char text[512];
};
/* "clip 'walk'", "clip 3" where it has no name. `thing`: an object with "name" and "index" (or "node"). */
struct subject subject_of(const char *what, const cJSON *thing);
/* `code`, and what `message` has between quotation marks: of the server's messages, whose numbers may change. Without
 * the folder of the model, which depends on the root. */
struct subject subject_quoted(const char *code, const char *message, const char *source);
/* Adds a finding, unless its rule is off. */
void findings_add(const struct inspection *model, enum rule_id rule, const char *subject, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* check_model.c: fills nodes, node_count and is_joint from the model, and frees them. */
void inspection_find_nodes(struct inspection *model);
void inspection_free_nodes(struct inspection *model);

/* Each of these applies some rules to one model. */
/* check_model.c: all of them. */
void check_model(const struct rule_set *rules, struct connection *connection, const char *source,
                 struct findings *findings);
/* check_budgets.c: what the model has too much of. */
void check_budgets(const struct inspection *model);
/* check_names.c: names that are there several times, or should be there. */
void check_names(const struct inspection *model);
/* check_skeleton.c: the joints beside those of reference_skeleton. */
void check_skeleton(const struct inspection *model);
/* check_clips.c: each clip, in all rules about clips. */
void check_clips(struct inspection *model);
/* check_loop.c: the rule loop-jump for one clip. `clip`: the server's JSON. */
void check_loop(const struct inspection *model, const cJSON *clip);
/* check_motion.c: whether the clip moves anything, and the model over the ground. `most`: how far a node gets from
 * where it is in the first of some poses, in the model's units. */
void check_motion(const struct inspection *model, const cJSON *clip, double most);
/* check_frames.c: the frame rate of the file, and the ends of its clips. */
void check_frames(const struct inspection *model);

/* node_motion.c: how far points of a node move from one matrix to the other: its origin, and the points at `reach`
 * along its axes in scene units, whatever the node's scale (joints in centimetres under a root in metres). */
double node_motion(const float *a, const float *b, double reach);
/* The same at most of all nodes from frame 0 to any other of the binary frames of a pose; *node: which one. -1: the
 * answer has no such frames. */
double node_motion_most(const struct posed_packet *answer, double reach, uint32_t *node);
/* How far a vertex of a mesh with morph targets gets at most from frame 0 to any other of the clip's times of `query`
 * ("&t=0&t=1"); *mesh: of which one. */
double morph_motion_most(const struct inspection *model, const cJSON *clip, const char *query, const cJSON **mesh);
/* How far vertices lie from the node that moves them, as a share of the model's size: a head that turns moves although
 * its joint does not. */
#define NODE_REACH 0.1

/* check_report.c, check_documents.c: the report in one of its formats. */
void check_report_text(const struct check *check, struct text *out);
void check_report_json(const struct check *check, struct text *out);
void check_report_junit(const struct check *check, struct text *out);
void check_report_sarif(const struct check *check, struct text *out);
