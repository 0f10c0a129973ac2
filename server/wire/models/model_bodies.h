/* model_bodies.h - answers about what a model file holds: its lists, keys, textures, its difference from another; and
 * what they cost. Private to server/wire, but for body_put_formats(). Pure. */
#pragma once

#include "wire/reply/cost.h"
#include "wire/reply/reply_context.h"

void body_put_model(struct reply_context *context);

/* The channels of the context's clip, or of all clips where the request names none, that move one of the nodes asked
 * for and have one of the request's paths; as JSON or binary frames. Times are doubles. The reply is an error when that
 * is more than an answer may have. */
void body_put_keys(struct reply_context *context);

/* The PNG of a texture's first level: its pixels as the model keeps them, whose sides are powers of two. The reply is
 * an error when there is no such texture, or when the model has no pixels of it, because its image is missing or
 * broken. */
void body_put_texture(struct reply_context *context);

/* What is different between the model and the first source, which is the old one. */
void body_put_compare(struct reply_context *context);

/* Of packets alone: what a handle tells, and one thing of a model. */
void body_put_opened(struct reply_context *context);
void body_put_found(struct reply_context *context);

/* GET /v1/formats: which files this build reads, and how exactly (protocol/formats.def). */
void body_put_formats(struct buf *out);

cost_fn cost_of_model, cost_of_keys, cost_of_texture, cost_of_compare, cost_of_opened, cost_of_found;
bytes_fn keys_bytes;
