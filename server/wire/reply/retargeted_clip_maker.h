/* retargeted_clip_maker.h - finds the retargeted clips of a reply in the store, or makes them. Private to
 * clip_sources.c. Pure; one thread. */
#pragma once

#include "wire/reply/clip_sources.h"
#include "wire/reply/rest_select.h"

struct retargeted_clip_maker {
    struct reply_context *context;
    const struct model *model; /* the model to move */
    struct resolved_rest rest; /* humanoids, resolved on first use */
    bool is_resolved;
    uint64_t steps_left[REQUEST_SOURCES_MAX]; /* remaining work limit of each file for retargeting by rest pose */
    struct buf parameters;
};

void retargeted_clip_maker_init(struct retargeted_clip_maker *maker, struct reply_context *context);
void retargeted_clip_maker_fini(struct retargeted_clip_maker *maker);

/* Adds a retargeted clip to the context's, unless it is already there. False: the reply is an error. */
bool retargeted_clip_maker_play(struct retargeted_clip_maker *maker, uint32_t source, uint32_t clip);
/* Retargets a source for this reply only. all_clips: clips that move a node of the model have channels. False: the
 * reply is an error. */
bool retargeted_clip_maker_own(struct retargeted_clip_maker *maker, uint32_t source, bool all_clips);
