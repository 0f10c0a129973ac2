#include "base/picture/view.h"

#include <stdio.h>
#include <string.h>

const struct view_info VIEW_INFO[VIEW_COUNT] = {
#define X(symbol, word, takes_joint, text) [symbol] = {word, takes_joint, text},
#include "protocol/pictures/views.def"
#undef X
};

const char *view_list_joint(char out[VIEW_LIST_SIZE])
{
    int total = 0, listed = 0;
    for (int v = 0; v < VIEW_COUNT; v++)
        total += VIEW_INFO[v].takes_joint;
    out[0] = '\0';
    for (int v = 0; v < VIEW_COUNT; v++) {
        const size_t used = strlen(out);
        if (!VIEW_INFO[v].takes_joint)
            continue;
        const char *gap = listed == 0 ? "" : listed + 1 == total ? " or " : ", ";
        snprintf(out + used, VIEW_LIST_SIZE - used, "%s%s", gap, VIEW_INFO[v].word);
        listed++;
    }
    return out;
}
