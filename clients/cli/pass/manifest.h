/* manifest.h - what a command remembers of earlier runs into a folder: OUT/.posectl/manifest.jsonl for thumbs and
 * watch, convert.jsonl for convert. It has a JSON object per line and model.
 *
 *   {"model":"assets/birds/crow.fbx","out":"birds/crow.fbx","hash":"..","options":"..","server":"0.2.0","importer":"..",
 *    "files":{"assets/birds/crow.fbx":"760320:1767225600.000000000:1767225600.000000000"},
 *    "pictures":[{"file":"birds/crow.fbx.png","clip":"fly","bytes":1234}],"error":null,
 *    "unmatched":false}
 *
 * A model that failed has "error":{"code":"bad_model","message":".."}; where the same importer would refuse it again,
 * "failure" says what must be the same for that (failures.h). A file that is no model has "skipped":"this is a resource
 * of Godot, ..".
 *
 * A run appends lines as it goes, so that a killed run leaves what it did. The last line about a model counts; an
 * incomplete line is ignored. convert has "outputs" in place of "pictures", without "clip", and "warnings". At its end
 * a run rewrites the file. OUT/.posectl/lock allows one run at a time. */
#pragma once

#include "clients/cli/output/json.h"

#include <pthread.h>

struct manifest {
    char folder[4096]; /* OUT/.posectl, also for temporary files */
    const char *name;  /* of the file */
    cJSON **entries;   /* by model */
    size_t count;
    int journal_fd, lock_fd;
    pthread_mutex_t mutex;
};

/* Opens the manifest of that name of the folder `out`. Borrows the name. Creates both if needed, and removes temporary
 * files of killed runs. Returns 0, or an exit status after printing the error. */
int manifest_open(struct manifest *manifest, const char *out, const char *name);
void manifest_close(struct manifest *manifest);

/* Returns the entry of a model, or NULL. Thread-safe, except during manifest_merge() and manifest_remove(). */
const cJSON *manifest_find(const struct manifest *manifest, const char *model);
/* Appends an entry to the file. Thread-safe. */
void manifest_append(struct manifest *manifest, const cJSON *entry);
/* Replaces the entries of the same models by these, and rewrites the file. Takes ownership of the entries, which may be
 * NULL. */
int manifest_merge(struct manifest *manifest, cJSON **entries, size_t count);
/* Removes an entry, which the caller frees. */
cJSON *manifest_remove(struct manifest *manifest, size_t index);
