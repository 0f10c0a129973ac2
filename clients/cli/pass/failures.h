/* failures.h - knows which failures of earlier runs would happen again: the importer, the file and the files around it
 * are the same. Thread-safe. */
#pragma once

#include "clients/cli/output/json.h"
#include "clients/cli/server/session.h"

#include "clients/cli/server/importer_version.h"

#include <pthread.h>
#include <stdbool.h>

/* The contents of a folder when a pass first looked at it. */
struct surroundings;

struct failures {
    const struct session *session;
    const char *out; /* the folder of outputs, whose contents do not count */
    char importer[IMPORTER_VERSION_BYTES];
    pthread_mutex_t mutex;
    struct surroundings *known;
    size_t count;
};

/* Borrows both pointers. Nothing is remembered for a running server. */
void failures_open(struct failures *failures, const struct session *session, const char *out);
void failures_close(struct failures *failures);
/* Forgets the folders, which may have changed. A pass calls it at its beginning. */
void failures_forget_folders(struct failures *failures);

/* Adds to an entry with an error the data for failures_is_known(). `source`: the model file, under the session's
 * folder. `before_s`: the time at which the import began. It adds nothing if another run may end otherwise: the model
 * needs a file that is missing, the machine was slow, or the file has just changed. */
void failures_record(struct failures *failures, cJSON *entry, const char *source, double before_s);
/* Returns whether the entry's import failed and would fail again. */
bool failures_is_known(struct failures *failures, const cJSON *entry, const char *source);
