#include "base/picture/pass.h"

#include <stdio.h>
#include <string.h>

const struct pass_info PASS_INFO[PASS_COUNT] = {
#define X(symbol, word, components, type, picture, unit, what) [symbol] = {word, components, type, picture},
#include "protocol/passes.def"
#undef X
};

uint32_t pass_pixel_bytes(uint32_t passes)
{
    uint32_t bytes = 0;
    for (int p = 0; p < PASS_COUNT; p++)
        if (pass_has(passes, p))
            bytes += PASS_INFO[p].components * (PASS_INFO[p].type == PASS_U8 ? 1 : 4);
    return bytes;
}

enum pass pass_only(uint32_t passes)
{
    for (int p = 0; p < PASS_COUNT; p++)
        if (passes == 1u << p)
            return p;
    return PASS_COUNT;
}

const char *pass_list_words(char out[PASS_LIST_SIZE])
{
    out[0] = '\0';
    for (int p = 0; p < PASS_COUNT; p++) {
        const size_t used = strlen(out);
        const char *gap = p == 0 ? "" : p == PASS_COUNT - 1 ? " and " : ", ";
        snprintf(out + used, PASS_LIST_SIZE - used, "%s%s", gap, PASS_INFO[p].word);
    }
    return out;
}
