/* clip_sources.h - replies whose clips lie in other files (clip_file=). Pure; any thread. */
#pragma once

#include "anim/retarget/retargeted_clip.h"
#include "wire/reply/reply_context.h"

enum { PLAYED_MAX = 2 * BLEND_LAYERS_MAX };

/* The clips that a reply plays are retargeted clips, one each, made by nobody twice while the store keeps them. A reply
 * about all clips of a file, or about none of it, has the file retargeted for itself. */
struct clip_sources {
    const struct model *const *sources; /* [count] */
    uint32_t count;
    struct retarget *own; /* [count]; those that are not used are zero */
    struct {
        struct retargeted_clip *retargeted; /* a reference */
        uint32_t source;
    } retargeted_clips[PLAYED_MAX]; /* each once */
    uint32_t retargeted_count;
};

/* The clips of request->sources, none of which is played yet. sources is borrowed, with its models. */
void clip_sources_init(struct clip_sources *clips, const struct model *const *sources, const struct request *request);
void clip_sources_fini(struct clip_sources *clips);

/* True of a reply that is about all clips of its files. */
static inline bool request_has_all_clips(const struct request *request)
{
    return op_has(request->op, OP_ALL_CLIPS) ||
           (op_has(request->op, OP_ALL_CLIPS_UNLESS_ONE) && request->pose.clip.kind == SELECT_NONE);
}

/* Has the clips that the context plays made ready, and gives its layers, or the context itself, the models that have
 * them. False: the reply is the error. */
bool clip_sources_play(struct reply_context *context);

/* The file as it is retargeted: for its partners, names and rules, not for its clips. */
const struct retarget *clip_sources_retarget(const struct clip_sources *clips, uint32_t source);

/* ,"clip_file":{..}: where the request's clips lie, and what of them and of the model's joints has no partner. Nothing
 * when the request names no file. */
void clip_sources_put(struct reply_context *context);
/* The same of a layer that names a file of its own, and of its reference: ,"clip_file":{..},"reference":{..} */
void clip_sources_put_layer(struct reply_context *context, uint32_t layer);
/* {"model":..,"hash":..,..} of source `source` with all its clips: for OP_EXPORT. */
void clip_sources_put_file(struct reply_context *context, uint32_t source);
/* True when a rule of the request renames no node of any of the files. */
bool clip_sources_rule_is_idle(const struct clip_sources *clips, uint32_t rule);
/* The header's line of the same: reply->unmatched. */
void clip_sources_put_unmatched(struct reply_context *context);

/* Warnings about what a request is about, for a header: those of the model and of the other files, how these
 * differ, and one when rules rename nothing, as reply->unmatched says. */
uint32_t reply_count_warnings(const struct model *model, const struct model *const *sources, uint32_t source_count,
                              const struct reply *reply);
