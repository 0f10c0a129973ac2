#include "limits.h"

#include <string.h>

const struct limit_info LIMIT_INFO[LIMIT_COUNT] = {
#define X(symbol, option, initial, unit, text) {#symbol, option, initial, unit, text},
#include "../../protocol/limits.def"
#undef X
};

void limits_default(struct limits *limits)
{
    for (int i = 0; i < LIMIT_COUNT; i++)
        limits->value[i] = LIMIT_INFO[i].initial;
}

int limits_find(const char *option)
{
    for (int i = 0; i < LIMIT_COUNT; i++)
        if (LIMIT_INFO[i].option[0] != '\0' && strcmp(LIMIT_INFO[i].option, option) == 0)
            return i;
    return -1;
}
