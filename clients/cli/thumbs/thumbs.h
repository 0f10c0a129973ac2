/* thumbs.h - the parts of posectl thumbs, which watch uses too. A pass lists the models, draws those that are not up to
 * date, reports, and records the result in the manifest. The main thread does all this but drawing, which runs in the
 * threads of a pool. */
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
    char *options;         /* everything but the model that pictures depend on, compared with the manifest's */
    char *parameters;      /* of /v1/render, "&width=256&height=256&.." */
    char *body;            /* or NULL */
    const char *extension; /* of pictures' names, "png" */
    const char *server;    /* its version */
    struct manifest manifest;
    struct failures failures;
    /* of a pass */
    struct model_list models;
    const bool *is_due; /* which models to ask for; NULL: all */
    cJSON **entries;    /* of each model: the new entry, NULL where there is none */
    size_t pictures;    /* drawn, under manifest.mutex */
    struct progress progress;
};

/* thumbs.c. These three return 0 or an exit status after printing why; thumbs_close() in any case. */
int thumbs_open(struct thumbs *thumbs, const struct args *args);
/* A pass over all models, with a report of the whole. */
int thumbs_pass(struct thumbs *thumbs);
/* The middle of a pass: draws the listed models that are due. */
int thumbs_draw(struct thumbs *thumbs, const bool *is_due);
/* The end of a pass that has `status` so far: prunes, merges the entries into the manifest and, if the pass changed
 * something, rewrites the gallery. Returns the status of the pass. */
int thumbs_finish(struct thumbs *thumbs, int status, bool has_changed);
void thumbs_close(struct thumbs *thumbs);

/* thumbs_model.c: one model. A pool_work; `context` is the struct thumbs. */
pool_work thumbs_make_model;

/* thumbs_files.c: "760320:mtime:ctime" of a file under the session's folder, in `out`; "-" if there is none, "?" if it
 * changed so shortly before `before_s` (CLOCK_REALTIME) that a further change might have the same stamp. */
void thumbs_file_stamp(const struct thumbs *thumbs, const char *path, double before_s, char out[96]);
/* Whether the entry is of this source and its files have not changed. */
bool thumbs_is_fresh(const struct thumbs *thumbs, const cJSON *entry, const char *source);
/* Whether all pictures of the entry exist in full length, and it has some or needs none. */
bool thumbs_has_pictures(const struct thumbs *thumbs, const cJSON *entry);
/* Removes the pictures of `old` that `entry` (may be NULL) does not have. */
void thumbs_remove_outdated(const struct thumbs *thumbs, const cJSON *old, const cJSON *entry);
/* Whether the model has clips, but none that matches --clips: it has no picture. */
bool thumbs_is_unmatched(const cJSON *entry);

/* thumbs_report.c: the report of a pass, before the manifest takes its entries, and --report. Returns 0 or an exit
 * status after printing why it cannot be written. */
int thumbs_report(const struct thumbs *thumbs);
/* Whether --report and --format can be followed: 0, or STATUS_USAGE after printing why not. */
int thumbs_check_report(const struct args *args);
/* thumbs_junit.c: the same as JUnit XML, with a test case for each model. */
void thumbs_report_junit(const struct thumbs *thumbs, double elapsed_s, struct text *out);
/* The entry that a pass made of a model, else that of an earlier one; NULL: there is none. */
const cJSON *thumbs_entry(const struct thumbs *thumbs, size_t index);
/* Whether the model failed in an earlier run and was not tried again. */
bool thumbs_is_remembered(const struct thumbs *thumbs, size_t index);
/* "drawn  crow.fbx", "failed  crow.fbx  CODE: MESSAGE"; error NULL: none */
void thumbs_report_line(const char *what, enum colour shade, const char *model, const cJSON *error);
void thumbs_warn_unmatched(const struct thumbs *thumbs, const char *model);

/* gallery.c: whether OUT/index.html is a page that an earlier run wrote. */
bool gallery_is_there(const struct thumbs *thumbs);
/* Writes it. Returns 0 or an exit status after printing why. */
int gallery_write(const struct thumbs *thumbs);
