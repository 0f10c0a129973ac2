/* half_life.h - tells which part of a Half-Life model (version 10; studio.h of the Half-Life SDK) a .mdl file holds,
 * because the format's compiler may put sequences and textures into files of their own. Pure; any thread. */
#pragma once

#include <stddef.h>
#include <stdint.h>

enum half_life_part {
    HALF_LIFE_NONE,      /* not a file of that format, or damaged */
    HALF_LIFE_MODEL,     /* a model */
    HALF_LIFE_SEQUENCES, /* name01.mdl: only sequences */
    HALF_LIFE_TEXTURES,  /* nameT.mdl: only textures */
};

enum {
    HALF_LIFE_HEADER_BYTES = 244,
    HALF_LIFE_TEXTURES_AT = 180, /* offset in the header of the number of textures; the offset of their table follows */
};

/* Looks at the file's first bytes; HALF_LIFE_HEADER_BYTES are enough. */
enum half_life_part half_life_part_of(const uint8_t *bytes, size_t size_bytes);

/* Returns by how many characters the name of such a file is longer than that of its model, before the extension. */
static inline size_t half_life_suffix_bytes(enum half_life_part part) { return part == HALF_LIFE_SEQUENCES ? 2 : 1; }
