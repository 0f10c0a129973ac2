/* check.h - what posectl check finds in models, and the parts that find and report it. check_model() runs in one thread
 * of a pool. Everything else runs in the main thread. */
#pragma once

#include "clients/cli/check/baseline.h"
#include "clients/cli/check/rule_set.h"
#include "clients/cli/server/model_list.h"

struct finding {
    enum rule_id rule;
    enum severity severity;
    char *subject; /* "clip 'walk'": model, rule and subject identify a finding, see baseline.h */
    char *message;
    bool is_accepted;
};

/* What -v says of a model beside its findings: something that looks like a fault and is none. */
struct note {
    enum rule_id rule;
    char *message;
};

/* The findings of one model. */
struct findings {
    struct finding *at;
    size_t count;
    struct note *notes;
    size_t note_count;
    bool is_unreadable;
    size_t unmeasured;   /* joints that flex did not measure; a note names them */
    cJSON *sheet_answer; /* of /v1/flex, for the sheet; or NULL */
    char *refusal;       /* why the server refused the command line, or NULL */
    char *lack;          /* that the model lacks the joint that the command line names, or NULL */
    bool is_skipped;     /* it is no model: skipped_model.h. The reason is a note */
    bool is_done;        /* false: the run was interrupted before it reached the model */
};

struct check;
typedef void inspect_fn(const struct check *check, struct connection *connection, size_t index);

/* A run of one of the two commands. */
struct check {
    const char *command; /* "check", "flex" */
    bool is_flex;
    inspect_fn *inspect; /* finds what is wrong with one model */
    const struct args *args;
    struct rule_sets rules;
    struct model_list models;
    const struct rule_set **sets; /* one for each model */
    struct skeleton **skeletons;  /* the models of reference_skeleton, each once */
    size_t skeleton_count;
    size_t ignored;            /* number of models that a key "ignore" excludes */
    struct findings *findings; /* one for each model */
    struct baseline baseline;
    double seconds;
};

/* A model while it is checked. */
struct inspection {
    const struct rule_set *rules;
    struct connection *connection;
    const struct model_list *models; /* all models of the run, and which of them this is */
    size_t index;
    const char *source;  /* the name of the model in requests */
    const cJSON *model;  /* the server's description */
    const cJSON **nodes; /* [node_count]: the nodes of the description */
    size_t node_count;
    bool *is_joint; /* [node_count]: whether a skin of the file has the node as a joint */
    struct findings *findings;
};

/* findings.c */
struct subject {
    char text[512];
};
/* Returns "clip 'walk'", or "clip 3" for a thing without a name. `thing`: an object with "name" and "index" (or
 * "node"). */
struct subject subject_of(const char *what, const cJSON *thing);
/* Returns `code` and the quoted words of the server's `message`. The rest of the message may change, numbers for
 * example. Cuts the folder of the model from the words, because it depends on the root. */
struct subject subject_quoted(const char *code, const char *message, const char *source);
/* Adds a finding, unless its rule is off. */
void findings_add(const struct inspection *model, enum rule_id rule, const char *subject, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* Adds a note, unless its rule is off. */
void findings_note(const struct inspection *model, enum rule_id rule, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* check_model.c: an inspection of a model of the run, without its description and nodes. */
struct inspection inspection_of(const struct check *check, struct connection *connection, size_t index);
/* Sets nodes, node_count and is_joint from the model, and frees them. */
void inspection_find_nodes(struct inspection *model);
void inspection_free_nodes(struct inspection *model);

/* Each of these applies some of the rules to one model. */
/* check_model.c: applies all of them, but those of flex. */
inspect_fn check_model;
/* check_model.c: reports that the server refused the model. */
void check_take_refusal(const struct inspection *model);
/* check_flex.c: applies the rules of flex, which the server knows. */
inspect_fn check_flex;
/* flex_sheet.c: draws the turns of an answer of /v1/flex into a PNG file, and lists its rows on stderr. In the main
 * thread, after the progress ended, which would stand among the rows. Returns 0, or -1 after printing the error. */
int flex_sheet_give(struct connection *connection, const char *source, const cJSON *answer, const char *file);
/* check_budgets.c: reports what exceeds its budget. */
void check_budgets(const struct inspection *model);
/* check_names.c: reports duplicate and missing names. */
void check_names(const struct inspection *model);
/* check_skeleton.c: compares the joints with reference_skeleton. */
void check_skeleton(const struct inspection *model);
/* check_clips.c: applies the rules about the motion of clips, which the server knows. */
void check_clips(const struct inspection *model);
/* check_frames.c: checks the frame rate of the file and the ends of its clips. */
void check_frames(const struct inspection *model);

/* check_report.c, check_documents.c: put the report in one of its formats. */
void check_report_text(const struct check *check, struct text *out);
void check_report_json(const struct check *check, struct text *out);
void check_report_junit(const struct check *check, struct text *out);
void check_report_sarif(const struct check *check, struct text *out);
