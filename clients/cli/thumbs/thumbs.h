/* thumbs.h - what the parts of posectl thumbs share. */
#pragma once

#include "clients/cli/thumbs/manifest.h"
#include "clients/cli/server/paths.h"
#include "clients/cli/server/pool.h"

/* One pass over all models. */
struct thumbs {
    const struct args *args;
    const struct session *session;
    const char *out;    /* the output folder */
    char *options;      /* what the pictures depend on beside the model: compared with the manifest's */
    char *parameters;   /* of /v1/render, "&width=256&height=256&.." */
    char *body;         /* or NULL */
    const char *server; /* its version */
    bool is_forced;
    const bool *is_due; /* [count]: which items to ask for; NULL: all */
    struct manifest manifest;
    struct listed_model *items;
    size_t count;
    cJSON **entries; /* of each item: what is new about it, NULL for nothing */
    size_t pictures; /* drawn, under manifest.mutex */
};

/* thumbs_make_model.c: one model. A pool_work; `context` is the struct thumbs. */
pool_work thumbs_make_model;
/* thumbs_files.c: "760320:mtime:ctime" of a file under the session's folder, in `out`; "-" where there is none, "?"
 * where it changed so shortly before `before_s` (CLOCK_REALTIME) that a further change might look the same. */
void thumbs_file_stamp(const struct thumbs *thumbs, const char *path, double before_s, char out[96]);
/* Whether the entry is of this source and all its files are as they were. */
bool thumbs_is_fresh(const struct thumbs *thumbs, const cJSON *entry, const char *source);
/* Whether all pictures of the entry are there, whole; and whether it has any, or is to have none. */
bool thumbs_has_pictures(const struct thumbs *thumbs, const cJSON *entry);
/* Removes the pictures of `old` that `entry` (may be NULL) has not. */
void thumbs_remove_outdated(const struct thumbs *thumbs, const cJSON *old, const cJSON *entry);

/* Whether the model has clips, but none that --clips means: there is no picture of it. */
bool thumbs_is_unmatched(const cJSON *entry);

/* thumbs_report.c: what came of a pass over all models, before the manifest takes its entries. */
void thumbs_report(const struct thumbs *thumbs, const struct progress *progress);
/* What watch says of a later pass: a line a model that was drawn, or fails in a new way. */
void thumbs_report_changes(const struct thumbs *thumbs);
/* A line of a model that lies there no more. */
void thumbs_report_removed(const char *model);

/* gallery.c: whether OUT/index.html is a page that an earlier run wrote. */
bool gallery_is_there(const struct thumbs *thumbs);
/* Writes it. Returns an exit status after complaining. */
int gallery_write(const struct thumbs *thumbs);
