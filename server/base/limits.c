/* limits.c - the table of limits and their bounds. */
#include "base/limits.h"

#include "base/version.h"

#include <stdio.h>
#include <string.h>

const struct limit_info LIMIT_INFO[LIMIT_COUNT] = {
#define X(symbol, option, initial, unit, group, text) {#symbol, option, initial, unit, group, text},
#include "protocol/limits.def"
#undef X
};

void limits_default(struct limits *limits)
{
    for (int i = 0; i < LIMIT_COUNT; i++)
        limits->value[i] = LIMIT_INFO[i].initial;
    if (POSED_SANITIZED)
        limits->value[LIMIT_IMPORT_MEMORY_BYTES] = limits->value[LIMIT_RENDER_MEMORY_BYTES] = 0;
}

const char *limit_text(const struct limits *limits, enum limit limit, char out[LIMIT_TEXT_SIZE])
{
    const struct limit_info *info = &LIMIT_INFO[limit];
    const unsigned long long value = limits->value[limit];
    if (info->option[0] != '\0')
        snprintf(out, LIMIT_TEXT_SIZE, "--%s %llu", info->option, value);
    else
        snprintf(out, LIMIT_TEXT_SIZE, "%llu %s", value, info->unit);
    return out;
}

uint64_t limit_most(enum limit limit)
{
    switch (limit) {
    case LIMIT_SOURCE_FILES:
    case LIMIT_NODES:
    case LIMIT_DEPTH:
    case LIMIT_JOINTS:
    case LIMIT_CLIPS:
    case LIMIT_VERTICES:
    case LIMIT_DRAWN_VERTICES:
    case LIMIT_INDICES:
    case LIMIT_WEIGHTS:
    case LIMIT_KEYS:
    case LIMIT_IMAGE_SIDE:
    case LIMIT_IMAGE_PIXELS:
    case LIMIT_TEXTURES:
        return LIMIT_INFO[limit].initial;
    case LIMIT_TEXTURE_SIDE:
        return LIMIT_TEXTURE_SIDE_MOST;
    default:
        return UINT64_MAX;
    }
}

int limits_find(const char *option)
{
    for (int i = 0; i < LIMIT_COUNT; i++)
        if (LIMIT_INFO[i].option[0] != '\0' && strcmp(LIMIT_INFO[i].option, option) == 0)
            return i;
    return -1;
}
