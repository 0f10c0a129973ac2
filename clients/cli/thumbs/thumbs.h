/* thumbs.h - the parts of posectl thumbs, which watch uses too. A pass lists the models, draws those that are outdated,
 * reports, and records the result in the manifest. The threads of a pool draw; the main thread does the rest. */
#pragma once

#include "clients/cli/output/terminal.h"
#include "clients/cli/server/command_context.h"
#include "clients/cli/server/model_list.h"
#include "clients/cli/server/pool.h"
#include "clients/cli/thumbs/failures.h"
#include "clients/cli/thumbs/manifest.h"

struct thumbs {
    const struct args *args;
    struct command_context context;
    const char *out;       /* the output folder */
    char *options;         /* everything but the model that pictures depend on, to compare with the manifest's */
    char *parameters;      /* of /v1/render, "&width=256&height=256&.." */
    char *body;            /* or NULL */
    bool has_side;         /* the user chose the side that pictures show */
    const char *extension; /* of pictures, "png" */
    const char *server;    /* its version */
    struct manifest manifest;
    struct failures failures;
    /* of a pass */
    struct model_list models;
    const bool *is_due; /* which models to draw; NULL: all */
    cJSON **entries;    /* [model]: the new entry, or NULL */
    size_t pictures;    /* number of drawn pictures, under manifest.mutex */
    struct progress progress;
};

/* thumbs.c: these return 0, or an exit status after printing the error. The caller calls thumbs_close() in any case. */
int thumbs_open(struct thumbs *thumbs, const struct args *args);
/* Runs a pass over all models, and reports the whole. */
int thumbs_pass(struct thumbs *thumbs);
/* The middle of a pass: draws the listed models that are due. */
int thumbs_draw(struct thumbs *thumbs, const bool *is_due);
/* Ends a pass that has `status` so far: removes old entries, merges the new entries into the manifest and rewrites the
 * gallery, if the pass changed something. Returns the status of the pass. */
int thumbs_finish(struct thumbs *thumbs, int status, bool has_changed);
void thumbs_close(struct thumbs *thumbs);

/* thumbs_model.c: a pool_work that draws one model; `context` is the struct thumbs. */
pool_work thumbs_make_model;

/* thumbs_picture.c: returns whether the command line chooses the side that pictures show. */
bool thumbs_has_side(const struct args *args);
/* Asks for a picture from side *side. If it would be empty, or show a line where another side shows a surface, tries
 * the other sides and sets *side, unless the user chose one. `query`: of /v1/render. Returns 0 or an enum posed_status.
 */
int thumbs_picture(const struct thumbs *thumbs, struct connection *connection, const char *source, const char *query,
                   int *side, struct posed_packet *answer);

/* thumbs_files.c: puts the stamp of a file under the session's folder, "760320:mtime:ctime", into `out`. "-": the file
 * does not exist. "?": it changed so shortly before `before_s` (CLOCK_REALTIME) that a further change might get the
 * same stamp. */
void thumbs_file_stamp(const struct thumbs *thumbs, const char *path, double before_s, char out[96]);
/* Returns whether the entry belongs to this source, and its files have not changed. */
bool thumbs_is_fresh(const struct thumbs *thumbs, const cJSON *entry, const char *source);
/* Returns whether all pictures of the entry exist in full length. An entry without pictures must not need any. */
bool thumbs_has_pictures(const struct thumbs *thumbs, const cJSON *entry);
/* Removes the pictures of `old` that `entry` (may be NULL) does not have. */
void thumbs_remove_outdated(const struct thumbs *thumbs, const cJSON *old, const cJSON *entry);
/* Returns whether the model has clips, but none that matches --clips. Such a model has no picture. */
bool thumbs_is_unmatched(const cJSON *entry);
/* Returns why the file is no model to draw (skipped_model.h), or "". */
const char *thumbs_why_skipped(const cJSON *entry);

/* thumbs_report.c: makes the report of a pass and --report, before the entries go into the manifest. Returns 0, or an
 * exit status after printing why it cannot be written. */
int thumbs_report(const struct thumbs *thumbs);
/* Checks --report and --format. Returns 0, or STATUS_USAGE after printing the error. */
int thumbs_check_report(const struct args *args);
/* thumbs_junit.c: puts the same report as JUnit XML, with a test case for each model. */
void thumbs_report_junit(const struct thumbs *thumbs, double elapsed_s, struct text *out);
/* Returns the entry that this pass made of a model, or that of an earlier pass, or NULL. */
const cJSON *thumbs_entry(const struct thumbs *thumbs, size_t index);
/* Returns whether the model failed in an earlier run and was not tried again. */
bool thumbs_is_remembered(const struct thumbs *thumbs, size_t index);
/* Prints "drawn crow.fbx" or "failed crow.fbx CODE: MESSAGE". error: NULL for none. */
void thumbs_report_line(const char *what, enum colour shade, const char *model, const cJSON *error);
void thumbs_warn_unmatched(const struct thumbs *thumbs, const char *model);

/* gallery.c: returns whether OUT/index.html is a page that an earlier run wrote. */
bool gallery_is_there(const struct thumbs *thumbs);
/* Writes the page. Returns 0, or an exit status after printing the error. */
int gallery_write(const struct thumbs *thumbs);
