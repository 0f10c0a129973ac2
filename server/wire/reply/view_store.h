/* view_store.h - where clips of other files that were made ready to play (anim/retarget/clip_view.h) stay from one
 * request to the next. The daemon has one (daemon/cache/view_cache.h); without one each request makes its own.
 *
 * An answer is the same whether its views were kept or made: a view is made in one way only, always compiled where it
 * can be, and what it is made of is its key. Pure. */
#pragma once

#include "anim/retarget/clip_view.h"
#include "base/buf.h"

/* What a view is made of. Borrowed. */
struct view_key {
    const struct model *model, *source; /* whose bytes the store can tell from those of every other model */
    const struct buf *parameters;       /* the bytes of all the rest */
};

/* How the clip gets to the model. */
enum view_way { VIEW_BY_NAMES = 0, VIEW_BY_REST = 1, VIEW_BY_REST_LOCKED = 2 /* feet that stand */ };

/* Makes *out the bytes of all that decides what a view by names is, beside both models; by rest more follows. */
void view_parameters_put(struct buf *out, uint32_t clip, enum view_way way, const struct name_map *names);

/* Any thread. */
struct view_store {
    /* A reference, or NULL: it is not there. */
    struct clip_view *(*find)(struct view_store *store, const struct view_key *key);
    /* Keeps a view that was made, if there is room, with a reference of its own. */
    void (*put)(struct view_store *store, const struct view_key *key, struct clip_view *made);
};
