/* linear_palette.h - a palette for linear skinning, of matrices that a test has. */
#pragma once

#include "anim/pose/skin.h"

/* const struct mat4 *: nothing is written. */
#define LINEAR(palette) (&(const struct skin_palette){.matrices = (struct mat4 *)(uintptr_t)(palette)})
