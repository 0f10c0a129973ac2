#include "wire/reply/retargeted_clip_store.h"

#include <string.h>

static void put_number(struct buf *out, uint64_t number) { buf_put(out, &number, sizeof number); }

void retargeted_clip_parameters_put(struct buf *out, uint32_t clip, enum retarget_way way, const struct name_map *names)
{
    buf_clear(out);
    put_number(out, clip);
    put_number(out, way);
    put_number(out, names->count);
    for (uint32_t i = 0; i < names->count; i++) /* includes the NUL, so that adjacent texts cannot merge */
        buf_put(out, names->rules[i].text, strlen(names->rules[i].text) + 1);
}
