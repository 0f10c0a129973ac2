/* retargeted_clip_maker.h - finds the retargeted clips of a reply in the store, or makes them. Private to
 * clip_sources.c. Pure; one thread.
 */
#pragma once

#include "wire/reply/clip_sources.h"
#include "wire/reply/rest_select.h"

struct retargeted_clip_maker {
    struct reply_context *context;
    const struct model *model; /* what is moved */
    struct resolved_rest rest; /* who is what human, once it is needed */
    bool is_resolved;
    uint64_t steps_left[REQUEST_SOURCES_MAX]; /* of work that the clips of each file may take by rest */
    struct buf parameters;
};

void retargeted_clip_maker_init(struct retargeted_clip_maker *maker, struct reply_context *context);
void retargeted_clip_maker_fini(struct retargeted_clip_maker *maker);

/* Adds the retargeted clip of a clip to the context's, unless it is there. False: the reply is an error. */
bool retargeted_clip_maker_play(struct retargeted_clip_maker *maker, uint32_t source, uint32_t clip);
/* Retargets a source for this reply alone; all_clips: those that move something here have channels. Likewise. */
bool retargeted_clip_maker_own(struct retargeted_clip_maker *maker, uint32_t source, bool all_clips);
