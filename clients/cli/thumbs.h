/* thumbs.h - what the parts of posectl thumbs share. */
#pragma once

#include "manifest.h"
#include "places.h"
#include "pool.h"

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
    struct item *items;
    size_t count;
    cJSON **entries; /* of each item: what is new about it, NULL for nothing */
    size_t pictures; /* drawn, under manifest.mutex */
};

/* thumbs_one.c: one model. A pool_work; `context` is the struct thumbs. */
pool_work thumbs_one;
/* thumbs_files.c: "760320:mtime:ctime" of a file under the session's folder, in `out`; "-" where there is none, "?"
 * where it changed so shortly before `before_s` (CLOCK_REALTIME) that a further change might look the same. */
void thumbs_stamp(const struct thumbs *thumbs, const char *path, double before_s, char out[96]);
/* Whether the entry is of this source and all its files are as they were. */
bool thumbs_is_fresh(const struct thumbs *thumbs, const cJSON *entry, const char *source);
/* Whether all pictures of the entry are there, whole. */
bool thumbs_has_pictures(const struct thumbs *thumbs, const cJSON *entry);
/* Removes the pictures of `old` that `entry` (may be NULL) has not. */
void thumbs_remove_others(const struct thumbs *thumbs, const cJSON *old, const cJSON *entry);

/* gallery.c: whether OUT/index.html is a page that an earlier run wrote. */
bool gallery_is_there(const struct thumbs *thumbs);
/* Writes it. Returns an exit status after complaining. */
int gallery_write(const struct thumbs *thumbs);
