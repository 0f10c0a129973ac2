/* crowd_clips.h - the clips of other files that the entities of one request play, each made ready once:
 * retargeted clips by node names (anim/retarget/retargeted_clip.h), as a request with clip_file= and no rules has them.
 * Pure; one thread. */
#pragma once

#include "wire/reply/workspace.h"

enum { CROWD_VIEWS_MAX = 64 };

struct crowd_clips {
    struct err ended; /* a code other than 0: the whole request is this error */
    /* private */
    struct workspace *workspace;
    struct crowd_clip *retargeted_clips; /* [count], each once */
    uint32_t count, last;
    struct buf parameters;
};

void crowd_clips_init(struct crowd_clips *retargeted_clips, struct workspace *workspace);
/* Releases all of them: nothing of the request may be evaluated any more. */
void crowd_clips_fini(struct crowd_clips *retargeted_clips);

/* The model that plays clip `clip` of `source` on `model`, until crowd_clips_fini(). Made anew only where the
 * workspace may; where it may not, retargeted_clips->ended is set, and so is that the workspace lacks one. NULL:
 * ERR_CLIP_NO_MATCH or another reason why this clip cannot be played, or retargeted_clips->ended. */
const struct model *crowd_clips_find(struct crowd_clips *retargeted_clips, const struct model *model,
                                     const struct model *source, uint32_t clip, struct err *err);
