/* warm_up.h - a small model with everything that usual models have: skin, opaque and blended surfaces, and a
 * material with all textures. */
#pragma once

#include "../base/buf.h"
#include "../base/err.h"

/* Appends the baked model. Pure. */
int warm_up_model(struct buf *out, struct err *err);
