/* crowd_clips.h - prepares the clips of other files that the entities of a request play, each once. It retargets them
 * by node names (anim/retarget/retargeted_clip.h), as for a request with clip_file= and no rules. Pure; one thread. */
#pragma once

#include "wire/reply/workspace.h"

enum { CROWD_VIEWS_MAX = 64 };

struct crowd_clips {
    struct err ended; /* a code other than 0 is the error of the whole request */
    /* private */
    struct workspace *workspace;
    struct crowd_clip *retargeted_clips; /* [count], without duplicates */
    uint32_t count, last;
    struct buf parameters;
};

void crowd_clips_init(struct crowd_clips *retargeted_clips, struct workspace *workspace);
/* Releases all retargeted clips. Afterwards no entity of the request may be evaluated. */
void crowd_clips_fini(struct crowd_clips *retargeted_clips);

/* Returns the model that plays clip `clip` of `source` on `model`, valid until crowd_clips_fini(). It retargets the
 * clip only if the workspace allows that; otherwise it sets retargeted_clips->ended and marks the clip as missing in
 * the workspace. NULL: the clip cannot be played (ERR_CLIP_NO_MATCH or another error), or retargeted_clips->ended is
 * set. */
const struct model *crowd_clips_find(struct crowd_clips *retargeted_clips, const struct model *model,
                                     const struct model *source, uint32_t clip, struct err *err);
