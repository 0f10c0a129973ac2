/* glb_size.h - estimates the size of a GLB file. Private to server/wire. Pure. */
#pragma once

#include "wire/reply/cost.h"

bytes_fn glb_bytes;

/* Returns how many numbers the key times and values of all clips are: as the model has them, or sampled at a rate above
 * 0 a second. */
double glb_key_numbers(const struct model *model, double sample_rate);
