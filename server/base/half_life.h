/* half_life.h - which part of a Half-Life model (version 10; studio.h of the Half-Life SDK) a .mdl file is: its
 * compiler puts sequences and textures into files of their own. Pure; any thread. */
#pragma once

#include <stddef.h>
#include <stdint.h>

enum half_life_part {
    HALF_LIFE_NONE,      /* no file of that format, or damaged */
    HALF_LIFE_MODEL,     /* a model */
    HALF_LIFE_SEQUENCES, /* name01.mdl: sequences alone */
    HALF_LIFE_TEXTURES,  /* nameT.mdl: textures alone */
};

enum {
    HALF_LIFE_HEADER_BYTES = 244,
    HALF_LIFE_TEXTURES_AT = 180, /* in the header: how many textures there are, and where their table is */
};

/* Of the file's first bytes, of which HALF_LIFE_HEADER_BYTES are enough. */
enum half_life_part half_life_part_of(const uint8_t *bytes, size_t size_bytes);

/* How many characters before its extension the name of such a part has more than that of its model. */
static inline size_t half_life_suffix_bytes(enum half_life_part part) { return part == HALF_LIFE_SEQUENCES ? 2 : 1; }
