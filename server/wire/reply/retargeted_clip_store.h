/* retargeted_clip_store.h - where clips of other files that were made ready to play (anim/retarget/retargeted_clip.h)
 * stay from one request to the next. The daemon has one (daemon/cache/retargeted_clip_cache.h); without one each
 * request makes its own.
 *
 * An answer is the same whether its retargeted clips were kept or made: a retargeted clip is made in one way only,
 * always compiled where it can be, and what it is made of is its key. Pure. */
#pragma once

#include "anim/retarget/retargeted_clip.h"
#include "base/buf.h"

/* What a retargeted clip is made of. Borrowed. */
struct retargeted_clip_key {
    const struct model *model, *source; /* whose bytes the store can tell from those of every other model */
    const struct buf *parameters;       /* the bytes of all the rest */
};

/* How the clip gets to the model. */
enum retarget_way { RETARGET_BY_NAMES = 0, RETARGET_BY_REST = 1, RETARGET_BY_REST_LOCKED = 2 /* feet that stand */ };

/* Makes *out the bytes of all that decides what a retargeted clip by names is, beside both models; by rest more
 * follows. */
void retargeted_clip_parameters_put(struct buf *out, uint32_t clip, enum retarget_way way,
                                    const struct name_map *names);

/* Any thread. */
struct retargeted_clip_store {
    /* A reference, or NULL: it is not there. */
    struct retargeted_clip *(*find)(struct retargeted_clip_store *store, const struct retargeted_clip_key *key);
    /* Keeps a retargeted clip that was made, if there is room, with a reference of its own. */
    void (*put)(struct retargeted_clip_store *store, const struct retargeted_clip_key *key,
                struct retargeted_clip *made);
};
