/* Puts what poses of a clip do not show, at its keys: weights of morph targets, visibilities, and numbers of materials,
 * lights and cameras. */
#include "clients/cli/model_text/model_text.h"

#include <string.h>

enum { WEIGHT_DECIMALS = 4 };

/* Puts the value of a key. CUBICSPLINE has three values a key, and the middle one counts. `at`: its first number.
 * Returns the first number of the next key. */
static const cJSON *put_value(struct text *out, const cJSON *at, int components, bool has_tangents)
{
    for (int i = 0; i < components * (has_tangents ? 3 : 1) && at != NULL; i++, at = at->next)
        if (!has_tangents || i / components == 1)
            rounded_put(out, cJSON_GetNumberValue(at), WEIGHT_DECIMALS);
    return at;
}

/* Puts the keys of a channel that change its value. `what`: what it moves. */
static void put_keys(const char *clip, const char *what, const cJSON *channel, struct text *out)
{
    const double components = member_number(channel, "components");
    const bool has_tangents = strcmp(member_text(channel, "interpolation"), "CUBICSPLINE") == 0;
    const cJSON *values = json_get(channel, "values"), *at = values == NULL ? NULL : values->child, *time;
    struct text before = {0};
    if (!(components >= 1 && components < 1e6))
        return;
    cJSON_ArrayForEach(time, json_get(channel, "times"))
    {
        struct text now = {0};
        at = put_value(&now, at, (int)components, has_tangents);
        if (now.at != NULL && (before.at == NULL || strcmp(now.at, before.at) != 0)) {
            text_printf(out, "clip %s: %s at", clip, what);
            rounded_put(out, cJSON_GetNumberValue(time), WEIGHT_DECIMALS);
            text_put(out, " s:");
            if (json_get(channel, "path") != NULL) {
                text_put(out, " ");
                text_put_printable(out, member_text(channel, "path"));
            }
            text_printf(out, "%s\n", now.at);
        }
        text_free(&before);
        before = now;
    }
    text_free(&before);
}

/* Takes the lines of a channel. The order of channels in the file does not count. */
static void take_keys(struct sorted_texts *lines, const char *clip, const char *what, const cJSON *channel)
{
    struct text own = {0};
    put_keys(clip, what, channel, &own);
    sorted_texts_take(lines, &own);
}

static void take_channel(const struct model_text *text, const char *clip, const cJSON *channel,
                         struct sorted_texts *lines)
{
    const double node = member_number(channel, "node");
    if (node >= 0 && node < (double)text->node_count)
        take_keys(lines, clip, text->labels[(size_t)node], channel);
}

static void take_property(const char *clip, const cJSON *channel, struct sorted_texts *lines)
{
    struct text pointer = {0};
    text_put_printable(&pointer, member_text(channel, "pointer"));
    if (pointer.at != NULL)
        take_keys(lines, clip, pointer.at, channel);
    text_free(&pointer);
}

void model_text_put_weights(const struct model_text *text, const char *name, int clip)
{
    cJSON *json;
    struct text query = {0};
    struct sorted_texts lines = {0};
    const cJSON *channel;
    text_printf(&query, "&clip=%d&path=weights&path=visibility&path=property&format=json", clip);
    const int rc = connection_request_json(text->connection, "keys", text->path, query.at, NULL, &json);
    text_free(&query);
    if (rc != 0) {
        text_printf(text->out, "clip %s: weights of morph targets are not told: ", name);
        text_put_printable(text->out, text->connection->posed.error.message);
        text_put(text->out, "\n");
        return;
    }
    const cJSON *keys = cJSON_GetArrayItem(json_get(json, "clips"), 0);
    cJSON_ArrayForEach(channel, json_get(keys, "channels")) take_channel(text, name, channel, &lines);
    cJSON_ArrayForEach(channel, json_get(keys, "properties")) take_property(name, channel, &lines);
    sorted_texts_put(&lines, text->out);
    cJSON_Delete(json);
}
