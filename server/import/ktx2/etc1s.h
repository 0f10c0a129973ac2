/* etc1s.h - decodes ETC1S packed by BasisLZ: codebooks of endpoints and selectors, which the blocks of a slice choose
 * from. A second slice has alpha. */
#pragma once

#include "import/ktx2/ktx2.h"

/* Decodes the first picture of the largest level, as ktx2_decode(). */
int etc1s_decode(const struct ktx2 *ktx2, uint8_t *rgba, struct err *err);
