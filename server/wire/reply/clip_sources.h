/* clip_sources.h - replies whose clips lie in other files (clip_file=). Pure; any thread. */
#pragma once

#include "anim/retarget/retarget.h"
#include "wire/reply/reply_context.h"

/* The model with the clips of each of a request's sources. */
struct clip_sources {
    struct retarget *views;      /* [count] */
    const struct model **models; /* [count]: those of the views */
    uint32_t count;
};

/* The clips of request->sources; the request and all models are borrowed. */
void clip_sources_init(struct clip_sources *clips, const struct model *model, const struct model *const *sources,
                       const struct request *request);
void clip_sources_fini(struct clip_sources *clips);

/* Gives the clips that the context plays the channels they have here, and its layers their sources. False: the reply is
 * the error. */
bool clip_sources_play(struct reply_context *context);

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
