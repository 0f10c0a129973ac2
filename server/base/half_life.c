#include "base/half_life.h"

#include "base/bytes.h"

#include <string.h>

enum { VERSION = 10, BONES_AT = 140, BODYPARTS_AT = 204 };

enum half_life_part half_life_part_of(const uint8_t *bytes, size_t size_bytes)
{
    if (size_bytes < 8 || get_u32(bytes + 4) != VERSION)
        return HALF_LIFE_NONE;
    if (memcmp(bytes, "IDSQ", 4) == 0)
        return HALF_LIFE_SEQUENCES;
    if (size_bytes < HALF_LIFE_HEADER_BYTES || memcmp(bytes, "IDST", 4) != 0)
        return HALF_LIFE_NONE;
    const int is_empty = get_u32(bytes + BONES_AT) == 0 && get_u32(bytes + BODYPARTS_AT) == 0;
    return is_empty && get_u32(bytes + HALF_LIFE_TEXTURES_AT) > 0 ? HALF_LIFE_TEXTURES : HALF_LIFE_MODEL;
}
