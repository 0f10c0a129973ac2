#include "wire/bodies/body_formats.h"

#include "wire/encode/json.h"

#include <string.h>

enum reader { GLTF, ASSIMP };
enum clips { EXACT, AT_KEYS, PARTLY, NONE };

static const struct row {
    const char *ending, *name;
    enum reader reader;
    const char *companion_of;
    enum clips clips;
    const char *fidelity;
} ROWS[] = {
#define X(ending, name, reader, companion_of, magic, clips, fidelity)                                                  \
    {ending, name, reader, companion_of, clips, fidelity},
#include "protocol/formats.def"
#undef X
};

static void put(struct buf *out, const char *key, const char *text)
{
    buf_put_text(out, key);
    json_put_string(out, text, text == NULL ? 0 : strlen(text));
}

void body_put_formats(struct buf *out)
{
    static const char *const READERS[] = {[GLTF] = "own", [ASSIMP] = "assimp"};
    static const char *const CLIPS[] = {[EXACT] = "exact", [AT_KEYS] = "at_keys", [PARTLY] = "partly", [NONE] = "none"};
    buf_put_text(out, "{\"formats\":[");
    for (size_t i = 0; i < sizeof ROWS / sizeof *ROWS; i++) {
        const struct row *row = &ROWS[i];
        put(out, i == 0 ? "\n{\"ending\":" : ",\n{\"ending\":", row->ending);
        put(out, ",\"name\":", row->name);
        put(out, ",\"reader\":", READERS[row->reader]);
        put(out, ",\"companion_of\":", row->companion_of[0] == '\0' ? NULL : row->companion_of);
        put(out, ",\"clips\":", CLIPS[row->clips]);
        buf_put_text(out, row->clips == EXACT ? ",\"exact\":true" : ",\"exact\":false");
        put(out, ",\"fidelity\":", row->fidelity);
        buf_put_char(out, '}');
    }
    buf_put_text(out, "]}\n");
}
