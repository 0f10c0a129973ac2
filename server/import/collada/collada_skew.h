/* collada_skew.h - COLLADA text without what assimp cannot read. Pure; any thread. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Whether there is a <skew> element in the text: assimp 5.2.5 aborts where it multiplies a node's transforms. */
bool collada_has_skew(const uint8_t *text, size_t size_bytes);
/* Puts spaces in the place of every <skew> element, as many as it had bytes; one without an end stays. Line breaks
 * count as spaces. */
void collada_remove_skew(uint8_t *text, size_t size_bytes);
