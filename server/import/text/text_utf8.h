/* text_utf8.h - converts text files to UTF-8 without a byte order mark, the only encoding that all of assimp's readers
 * accept. Pure; any thread. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* False: the bytes begin with no mark and are taken as they are. True: they began with that of UTF-8 or UTF-16
 * (Unicode 15, 23.8), and *text is the same in UTF-8 without it, *size_bytes of it and a NUL, the
 * caller's to free. A surrogate without its other half becomes U+FFFD. The byte order marks of UTF-32 are not
 * recognised. */
bool text_to_utf8(const uint8_t *bytes, size_t given_bytes, uint8_t **text, size_t *size_bytes);
