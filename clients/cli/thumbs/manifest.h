/* manifest.h - what posectl thumbs knows of earlier runs: OUT/.posectl/manifest.jsonl, a JSON object a line and model.
 *
 *   {"model":"assets/birds/crow.fbx","out":"birds/crow.fbx","hash":"..","options":"..","server":"0.1.0",
 *    "files":{"assets/birds/crow.fbx":"760320:1767225600.000000000:1767225600.000000000"},
 *    "pictures":[{"file":"birds/crow.fbx.png","clip":"fly","bytes":1234}],"error":null,
 *    "unmatched":false}
 *
 * Lines are appended while a run goes on, so that one that is killed leaves what it knew; the last line about a model
 * counts, a line that is cut is ignored. At the end of a run the file is written anew. One run at a time:
 * OUT/.posectl/lock. */
#pragma once

#include "clients/cli/output/json.h"

#include <pthread.h>

struct manifest {
    char folder[4096]; /* OUT/.posectl, also for temporary files */
    cJSON **entries;   /* by model */
    size_t count;
    int journal_fd, lock_fd;
    pthread_mutex_t mutex;
};

/* Opens that of the folder `out`, which is made when it is not there, and removes what killed runs left half written.
 * Returns 0 or an exit status after complaining. */
int manifest_open(struct manifest *manifest, const char *out);
void manifest_close(struct manifest *manifest);

/* The entry of a model, or NULL. Safe in threads, as long as nobody calls manifest_merge(). */
const cJSON *manifest_find(const struct manifest *manifest, const char *model);
/* Appends an entry to the file, at once. Safe in threads. */
void manifest_append(struct manifest *manifest, const cJSON *entry);
/* Puts these entries (NULL: none) in place of those of the same models, takes them over, and writes the file anew. */
int manifest_merge(struct manifest *manifest, cJSON **entries, size_t count);
/* Takes the entry out, to be freed by the caller; NULL when there is none. */
cJSON *manifest_remove(struct manifest *manifest, size_t index);
