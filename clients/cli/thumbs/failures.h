/* failures.h - which failures of earlier runs would come again: of the same importer, with the same file and the same
 * files around it. Safe in threads. */
#pragma once

#include "clients/cli/output/json.h"
#include "clients/cli/server/session.h"

#include "clients/cli/server/importer_version.h"

#include <pthread.h>
#include <stdbool.h>

/* What lies in a folder, as it was when a pass first looked. */
struct surroundings;

struct failures {
    const struct session *session;
    const char *out; /* the folder of pictures, of which nothing counts */
    char importer[IMPORTER_VERSION_BYTES];
    pthread_mutex_t mutex;
    struct surroundings *known;
    size_t count;
};

/* Borrows both. Of a running server nothing is remembered. */
void failures_open(struct failures *failures, const struct session *session, const char *out);
void failures_close(struct failures *failures);
/* At the beginning of a pass: folders may have changed. */
void failures_forget_folders(struct failures *failures);

/* Adds to an entry with an error what failures_is_known() looks at. `source`: the model file, under the session's
 * folder; `before_s`: when the import began. Adds nothing where another run may end otherwise: a file that another one
 * needs is missing, the machine was slow, the file has just changed. */
void failures_record(struct failures *failures, cJSON *entry, const char *source, double before_s);
/* Whether the entry's import failed and would again. */
bool failures_is_known(struct failures *failures, const cJSON *entry, const char *source);
