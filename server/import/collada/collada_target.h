/* collada_target.h - what the target of a <channel> means (COLLADA 1.4.1, chapter 3, "Address syntax"): an id, then
 * sids down to an element, then perhaps one value of it: "bone/rotateX.ANGLE", "bone/matrix(3)(0)", "weights(2)". Pure.
 */
#pragma once

#include "import/collada/collada_xml.h"

struct collada_target {
    uint32_t element; /* a transform element, or a <source> */
    int32_t value;    /* index of the one value, or -1: all */
};

/* False when it is neither a transform element nor a source, or no such value. */
bool target_find(const struct xml *xml, const char *target, struct collada_target *found);
