#include "limits.h"

#include <string.h>

const struct limit_info LIMIT_INFO[LIMIT_COUNT] = {
#define X(symbol, option, initial, unit, text) {#symbol, option, initial, unit, text},
#include "../../protocol/limits.def"
#undef X
};

/* AddressSanitizer reserves terabytes of addresses and cannot work under a limit on them. */
#ifdef __has_feature
#define IS_ADDRESS_SANITIZED __has_feature(address_sanitizer)
#elif defined(__SANITIZE_ADDRESS__)
#define IS_ADDRESS_SANITIZED 1
#else
#define IS_ADDRESS_SANITIZED 0
#endif

void limits_default(struct limits *limits)
{
    for (int i = 0; i < LIMIT_COUNT; i++)
        limits->value[i] = LIMIT_INFO[i].initial;
    if (IS_ADDRESS_SANITIZED)
        limits->value[LIMIT_IMPORT_MEMORY_BYTES] = limits->value[LIMIT_RENDER_MEMORY_BYTES] = 0;
}

int limits_find(const char *option)
{
    for (int i = 0; i < LIMIT_COUNT; i++)
        if (LIMIT_INFO[i].option[0] != '\0' && strcmp(LIMIT_INFO[i].option, option) == 0)
            return i;
    return -1;
}
