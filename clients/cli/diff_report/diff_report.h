/* diff_report.h - compared pairs of models, and the reports about them. Everything runs in the main thread. */
#pragma once

#include "clients/cli/server/command_context.h"

enum diff_side { DIFF_OLD, DIFF_NEW, DIFF_SIDES };
enum diff_state { DIFF_EQUAL, DIFF_DIFFERENT, DIFF_ADDED, DIFF_REMOVED, DIFF_FAILED, DIFF_STATES };

/* A model of the new files, and the old model that it is compared with. */
struct diff_pair {
    char *name;               /* relative to OLD and NEW */
    char *models[DIFF_SIDES]; /* paths under the server's root; NULL: the model was added or removed */
    enum diff_state state;
    bool is_done;  /* false: the run was interrupted before it reached the pair */
    cJSON *answer; /* the server's (protocol/compare.md), after sentences_prepare(); NULL if it was not asked */
    char code[64]; /* of the error, or "" */
    char *message; /* of the error, or NULL */
};

struct diff {
    const struct args *args;
    struct args in_folders; /* with --git: what args points to, and its OLD and NEW */
    const char *folders[DIFF_SIDES];
    struct command_context context;
    struct diff_pair *pairs;
    size_t count;
    double seconds;
};

/* states.c */
const char *diff_state_name(enum diff_state state); /* "different" */
/* Counts the pairs in each state. `skipped`: pairs that were not compared. */
void diff_count(const struct diff *diff, size_t counts[DIFF_STATES], size_t *skipped);

/* report_text.c, report_documents.c: put the report in one of its formats. */
void diff_report_text(const struct diff *diff, struct text *out);
void diff_report_json(const struct diff *diff, struct text *out);
void diff_report_junit(const struct diff *diff, struct text *out);
void diff_report_sarif(const struct diff *diff, struct text *out);
/* report_markdown.c: makes a page for `file` (NULL: stdout) and writes its pictures. Returns 0 or an exit
 * status. */
int diff_report_markdown(struct diff *diff, const char *file, struct text *out);
