/* known_models.h - the models that the cache has shared with a loop: what the loop may answer from without asking the
 * main loop, as long as no file event may be about them.
 *
 * For the thread of its loop only. */
#pragma once

#include "daemon/cache/shared_model.h"

#include <stdbool.h>
#include <stdint.h>

struct known_model;

struct known_models {
    struct known_model *by_path;
    uint64_t generation;                                         /* counts up when one of them goes */
    bool is_asked;                                               /* since the last read event: */
    uint64_t now_ms;                                             /* of cache_now_ms() */
    enum { EVENTS_UNKNOWN, EVENTS_NONE, EVENTS_PENDING } events; /* whether the kernel has some that were not counted */
};

/* Whether an answer may be made from it. Asks the kernel, and the clock, once after known_models_ask_again(). */
bool known_models_is_current(struct known_models *models, const struct shared_model *shared);
/* From the next question on, the kernel is asked again. */
static inline void known_models_ask_again(struct known_models *models) { models->is_asked = false; }

/* The model at a path, with this content hash (hex; NULL: any), borrowed. NULL: the service has to find it. */
struct shared_model *known_models_find(struct known_models *models, const char *path, const char *hash);

/* Takes the reference, in place of what was known at its path. */
void known_models_learn(struct known_models *models, struct shared_model *shared);
/* It is not to be answered from any more, where it is known. */
void known_models_forget(struct known_models *models, const struct shared_model *shared);
void known_models_forget_all(struct known_models *models);
