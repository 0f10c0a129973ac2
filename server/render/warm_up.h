/* warm_up.h - a small model with everything that usual models have: skin, texture, opaque and blended surfaces. */
#pragma once

#include "../base/buf.h"
#include "../base/err.h"

/* Appends the baked model. Pure. */
int warm_up_model(struct buf *out, struct err *err);
