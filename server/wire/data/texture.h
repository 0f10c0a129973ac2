/* texture.h - the answer of OP_TEXTURE: a texture of a model as a picture. Private to server/wire. Pure; any thread. */
#pragma once

#include "wire/reply/reply_context.h"

/* The PNG of the texture's first level: its pixels as the model keeps them, whose sides are powers of two. The reply is
 * an error when there is no such texture, or when the model has no pixels of it, because its image is missing or
 * broken. */
void body_put_texture(struct reply_context *context);
