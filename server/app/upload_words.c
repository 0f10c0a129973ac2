#include "upload_words.h"

#include "../base/buf.h"
#include "upload_store.h"

#include <string.h>

/* The path behind the stage begins there: a file of the zip, the upload itself, or one beside it. Returns what is left
 * of the message. */
static const char *put_path(const struct upload_words *words, const char *rest, struct buf *out)
{
    const size_t item = words->item == NULL ? 0 : strlen(words->item);
    if (item > 0 && strncmp(rest, words->item, item) == 0 && rest[item] == '/') {
        if (out->size_bytes == 0) { /* the sentence begins with the model that it is about */
            buf_put_text(out, words->name);
            buf_put_text(out, ": ");
        }
        return rest + item + 1;
    }
    const char *slash = strrchr(words->name, '/');
    if (slash != NULL)
        buf_put(out, words->name, (size_t)(slash - words->name) + 1);
    return rest;
}

/* How much of a stage's own name is at `text`, which may be cut. */
static size_t stage_name_bytes(const char *text)
{
    const size_t prefix = sizeof UPLOAD_STAGE_PREFIX - 1;
    return strncmp(text, UPLOAD_STAGE_PREFIX, prefix) != 0 ? 0 : prefix + strspn(text + prefix, "0123456789abcdef");
}

/* How much of the stage's path is at `text`, where it is cut within the stage's own name. */
static size_t cut_stage_bytes(const struct upload_words *words, const char *text)
{
    const size_t folder = strlen(words->stage) - strlen(strstr(words->stage, UPLOAD_STAGE_PREFIX));
    size_t bytes = 0;
    while (text[bytes] != '\0' && text[bytes] == words->stage[bytes])
        bytes++;
    return bytes > folder && strchr("'\":, ", text[bytes]) != NULL ? bytes : 0;
}

void upload_words_put(const struct upload_words *words, struct err *err)
{
    const size_t stage = strlen(words->stage);
    struct buf out;
    buf_init(&out, 0);
    for (const char *at = err->message; *at != '\0';) {
        const size_t name = stage_name_bytes(at), cut = cut_stage_bytes(words, at);
        if (strncmp(at, words->stage, stage) == 0) {
            at = put_path(words, at + stage, &out);
        } else if (name > 0) {
            at += name + (at[name] == '/');
        } else if (cut > 0) {
            at += cut;
        } else {
            buf_put_char(&out, *at++);
        }
    }
    buf_put_char(&out, '\0');
    err_set(err, err->code, "%s", buf_failed(&out) ? words->name : out.data);
    buf_fini(&out);
}
