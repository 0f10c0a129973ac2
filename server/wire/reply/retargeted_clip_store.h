/* retargeted_clip_store.h - keeps retargeted clips (anim/retarget/retargeted_clip.h) from one request to the next. The
 * daemon has one store (daemon/cache/retargeted_clip_cache.h); without a store each request makes its own clips.
 *
 * A cached and a new retargeted clip give the same answer: a clip is always made in the same way, compiled if possible,
 * and its key contains everything that it depends on. Pure. */
#pragma once

#include "anim/retarget/retargeted_clip.h"
#include "base/buf.h"

/* Everything that a retargeted clip depends on. Borrowed. */
struct retargeted_clip_key {
    const struct model *model, *source; /* the store distinguishes their content from that of every other model */
    const struct buf *parameters;       /* the bytes of everything else */
};

/* The method by which the clip is transferred to the model. */
enum retarget_way { RETARGET_BY_NAMES = 0, RETARGET_BY_REST = 1, RETARGET_BY_REST_LOCKED = 2 /* with locked feet */ };

/* Writes to *out everything that determines a clip retargeted by names, except for the two models. Retargeting by rest
 * pose appends more. */
void retargeted_clip_parameters_put(struct buf *out, uint32_t clip, enum retarget_way way,
                                    const struct name_map *names);

/* Functions of the store; any thread. */
struct retargeted_clip_store {
    /* Returns a reference, or NULL when the clip is not stored. */
    struct retargeted_clip *(*find)(struct retargeted_clip_store *store, const struct retargeted_clip_key *key);
    /* Stores a retargeted clip if there is room, and takes a reference of its own. */
    void (*put)(struct retargeted_clip_store *store, const struct retargeted_clip_key *key,
                struct retargeted_clip *made);
};
