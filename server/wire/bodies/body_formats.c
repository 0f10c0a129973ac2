#include "wire/bodies/body_formats.h"

#include "base/file_formats.h"
#include "wire/encode/json.h"

#include <string.h>

static void put(struct buf *out, const char *key, const char *text)
{
    buf_put_text(out, key);
    json_put_string(out, text, text == NULL ? 0 : strlen(text));
}

void body_put_formats(struct buf *out)
{
    static const char *const READERS[] = {[READER_GLTF] = "own", [READER_ASSIMP] = "assimp"};
    static const char *const CLIPS[] = {
        [CLIPS_EXACT] = "exact", [CLIPS_AT_KEYS] = "at_keys", [CLIPS_PARTLY] = "partly", [CLIPS_NONE] = "none"};
    buf_put_text(out, "{\"formats\":[");
    for (size_t i = 0; i < FILE_FORMAT_COUNT; i++) {
        const struct file_format *row = &FILE_FORMATS[i];
        put(out, i == 0 ? "\n{\"ending\":" : ",\n{\"ending\":", row->ending);
        put(out, ",\"name\":", row->name);
        put(out, ",\"reader\":", READERS[row->reader]);
        put(out, ",\"companion_of\":", row->companion_of[0] == '\0' ? NULL : row->companion_of);
        put(out, ",\"clips\":", CLIPS[row->clips]);
        buf_put_text(out, row->clips == CLIPS_EXACT ? ",\"exact\":true" : ",\"exact\":false");
        put(out, ",\"fidelity\":", row->fidelity);
        buf_put_char(out, '}');
    }
    buf_put_text(out, "]}\n");
}
