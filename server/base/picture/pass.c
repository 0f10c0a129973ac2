#include "base/picture/pass.h"

#include <stdio.h>
#include <string.h>

const struct pass_info PASS_INFO[PASS_COUNT] = {
#define X(symbol, word, components, type, picture, unit, what) [symbol] = {word, components, type, picture},
#include "protocol/pictures/passes.def"
#undef X
};

uint32_t pass_pixel_bytes(uint32_t passes)
{
    uint32_t bytes = 0;
    for (int p = 0; p < PASS_COUNT; p++)
        if (pass_has(passes, (enum pass)p))
            bytes += PASS_INFO[p].components * (PASS_INFO[p].type == PASS_U8 ? 1 : 4);
    return bytes;
}

enum pass pass_only(uint32_t passes)
{
    for (int p = 0; p < PASS_COUNT; p++)
        if (passes == 1u << p)
            return (enum pass)p;
    return PASS_COUNT;
}

/* Colour and depth have the names that every program looks for. */
const char *pass_channel(enum pass pass, uint32_t component, char out[PASS_CHANNEL_SIZE])
{
    const char *letters = pass == PASS_COLOR                 ? "RGBA"
                          : pass == PASS_DEPTH               ? "Z"
                          : pass == PASS_UV                  ? "UV"
                          : PASS_INFO[pass].type == PASS_I32 ? "V"
                                                             : "XYZ";
    const bool is_alone = pass == PASS_COLOR || pass == PASS_DEPTH;
    snprintf(out, PASS_CHANNEL_SIZE, "%s%s%c", is_alone ? "" : PASS_INFO[pass].word, is_alone ? "" : ".",
             letters[component]);
    return out;
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
