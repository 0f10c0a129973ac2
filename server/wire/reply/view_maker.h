/* view_maker.h - finds the views of a reply in the store, or makes them. Private to clip_sources.c. Pure; one thread.
 */
#pragma once

#include "wire/reply/clip_sources.h"
#include "wire/reply/rest_select.h"

struct view_maker {
    struct reply_context *context;
    const struct model *model; /* what is moved */
    struct resolved_rest rest; /* who is what human, once it is needed */
    bool is_resolved;
    uint64_t steps_left[REQUEST_SOURCES_MAX]; /* of work that the clips of each file may take by rest */
    struct buf parameters;
};

void view_maker_init(struct view_maker *maker, struct reply_context *context);
void view_maker_fini(struct view_maker *maker);

/* Adds the view of a clip to the context's, unless it is there. False: the reply is an error. */
bool view_maker_play(struct view_maker *maker, uint32_t source, uint32_t clip);
/* Retargets a source for this reply alone; all_clips: those that move something here have channels. Likewise. */
bool view_maker_own(struct view_maker *maker, uint32_t source, bool all_clips);
