/* crowd_views.h - the clips of other files that the entities of one request play, each made ready once: views by node
 * names (anim/retarget/clip_view.h), as a request with clip_file= and no rules has them. Pure; one thread. */
#pragma once

#include "wire/reply/workspace.h"

enum { CROWD_VIEWS_MAX = 64 };

struct crowd_views {
    struct err ended; /* a code other than 0: the whole request is this error */
    /* private */
    struct workspace *workspace;
    struct crowd_view *views; /* [count], each once */
    uint32_t count, last;
    struct buf parameters;
};

void crowd_views_init(struct crowd_views *views, struct workspace *workspace);
/* Releases all of them: nothing of the request may be evaluated any more. */
void crowd_views_fini(struct crowd_views *views);

/* The model that plays clip `clip` of `source` on `model`, until crowd_views_fini(). Made anew only where the
 * workspace may; where it may not, views->ended is set, and so is that the workspace lacks one. NULL: ERR_CLIP_NO_MATCH
 * or another reason why this clip cannot be played, or views->ended. */
const struct model *crowd_views_find(struct crowd_views *views, const struct model *model, const struct model *source,
                                     uint32_t clip, struct err *err);
