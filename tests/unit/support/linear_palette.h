/* linear_palette.h - makes a palette for linear skinning from a test's matrices. */
#pragma once

#include "anim/pose/skin.h"

/* Takes const struct mat4 *, which is not written. */
#define LINEAR(palette) (&(const struct skin_palette){.matrices = (struct mat4 *)(uintptr_t)(palette)})
