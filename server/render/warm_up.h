/* warm_up.h - a small model with everything that usual models have: a skin, opaque and blended surfaces, and with
 * has_all a material with all textures. */
#pragma once

#include "base/buf.h"
#include "base/err.h"

#include <stdbool.h>

/* Appends the baked model. Pure. */
int warm_up_model(bool has_all, struct buf *out, struct err *err);
