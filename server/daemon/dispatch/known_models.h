/* known_models.h - the models that the cache has shared with a loop. The loop may answer from them without asking the
 * main loop, as long as no pending file event concerns them.
 *
 * Only for the thread of its loop. */
#pragma once

#include "daemon/cache/shared_model.h"

#include <stdbool.h>
#include <stdint.h>

struct known_model;

struct known_models {
    struct known_model *by_path;
    uint64_t generation;                                         /* incremented when a model is removed */
    bool is_asked;                                               /* since the last read event: */
    uint64_t now_ms;                                             /* cache_now_ms() */
    enum { EVENTS_UNKNOWN, EVENTS_NONE, EVENTS_PENDING } events; /* whether the kernel has events not counted yet */
};

/* Whether an answer may use the model. Asks the kernel and the clock once after known_models_ask_again(). */
bool known_models_is_current(struct known_models *models, const struct shared_model *shared);
/* Makes the next check ask the kernel again. */
static inline void known_models_ask_again(struct known_models *models) { models->is_asked = false; }

/* Returns the model at a path with this content hash (hex; NULL: any), borrowed. NULL: the service has to find it. */
struct shared_model *known_models_find(struct known_models *models, const char *path, const char *hash);

/* Takes over the reference, which replaces the model known at its path. */
void known_models_learn(struct known_models *models, struct shared_model *shared);
/* Forgets a model that may no longer be used, if it is known. */
void known_models_forget(struct known_models *models, const struct shared_model *shared);
void known_models_forget_all(struct known_models *models);
