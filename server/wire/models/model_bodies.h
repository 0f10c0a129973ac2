/* model_bodies.h - answers about the content of a model file (lists, keys, textures, differences from another model),
 * and their cost. Private to server/wire, except for body_put_formats(). Pure. */
#pragma once

#include "wire/reply/cost.h"
#include "wire/reply/reply_context.h"

void body_put_model(struct reply_context *context);

/* Writes, as JSON or binary frames, the channels that move a requested node along a requested path. They come from the
 * context's clip, or from all clips when the request names none. Times are doubles. The reply is an error when they
 * exceed the size limit of an answer. */
void body_put_keys(struct reply_context *context);

/* Writes the PNG of a texture's first level: the pixels that the model stores, whose sides are powers of two. The reply
 * is an error when the texture does not exist, or has no pixels because its image is missing or broken. */
void body_put_texture(struct reply_context *context);

/* Compares the model with the first source, the old model. */
void body_put_compare(struct reply_context *context);

/* Lists what is wrong with the motion of the requested clip, or of all. */
void body_put_check(struct reply_context *context);

/* Bends the joints of the model, and measures what its skin does. */
void body_put_flex(struct reply_context *context);

/* For packets only: describe a handle, and find one thing of a model. */
void body_put_opened(struct reply_context *context);
void body_put_found(struct reply_context *context);

/* GET /v1/formats: lists the file formats that this build reads, with their limitations (protocol/formats.def). */
void body_put_formats(struct buf *out);

cost_fn cost_of_model, cost_of_keys, cost_of_texture, cost_of_compare, cost_of_check, cost_of_flex, cost_of_opened,
    cost_of_found;
bytes_fn keys_bytes;
