/* clip_sources.h - the clips of other files (clip_file=) in a reply. Pure; any thread. */
#pragma once

#include "anim/retarget/retargeted_clip.h"
#include "wire/reply/reply_context.h"

enum { PLAYED_MAX = 2 * BLEND_LAYERS_MAX };

/* Each clip that a reply plays is a retargeted clip, which is made only once while the store keeps it. A reply about
 * all clips of a file, or none, retargets the file for itself. */
struct clip_sources {
    const struct model *const *sources; /* [count] */
    uint32_t count;
    struct retarget *own; /* [count]; unused ones are zero */
    struct {
        struct retargeted_clip *retargeted; /* a reference */
        uint32_t source;
    } retargeted_clips[PLAYED_MAX]; /* without duplicates */
    uint32_t retargeted_count;
};

/* Collects the sources of request->sources without playing a clip. It borrows `sources` and its models. */
void clip_sources_init(struct clip_sources *clips, const struct model *const *sources, const struct request *request);
void clip_sources_fini(struct clip_sources *clips);

/* True when the reply covers all clips of its files. */
static inline bool request_has_all_clips(const struct request *request)
{
    return (op_has(request->op, OP_ALL_CLIPS) && !request_is_blended(request)) ||
           (op_has(request->op, OP_ALL_CLIPS_UNLESS_ONE) && request->pose.clip.kind == SELECT_NONE);
}

/* Retargets the clips that the context plays, and sets the resulting models in its layers, or in the context itself.
 * False: the reply is the error. */
bool clip_sources_play(struct reply_context *context);

/* Returns the retargeted file for its partners, names and rules, not for its clips. */
const struct retarget *clip_sources_retarget(const struct clip_sources *clips, uint32_t source);

/* Appends ,"clip_file":{..}: the file of the request's clips, with its unmatched nodes and the unmatched joints of the
 * model. Appends nothing when the request names no file. */
void clip_sources_put(struct reply_context *context);
/* Likewise for a layer with a file of its own, and for its reference: ,"clip_file":{..},"reference":{..} */
void clip_sources_put_layer(struct reply_context *context, uint32_t layer);
/* Appends {"model":..,"hash":..,..} of source `source` with all its clips, or those of layers, for OP_EXPORT. */
void clip_sources_put_file(struct reply_context *context, uint32_t source);
/* True when a rule of the request renames no node of any file. */
bool clip_sources_rule_is_idle(const struct clip_sources *clips, uint32_t rule);
/* Writes the same report as a header line to reply->unmatched. */
void clip_sources_put_unmatched(struct reply_context *context);

/* Returns the number of warnings for a header: those of the model and of the other files, their differences, and one
 * when rules rename nothing, as reply->unmatched tells. */
uint32_t reply_count_warnings(const struct model *model, const struct model *const *sources, uint32_t source_count,
                              const struct reply *reply);
