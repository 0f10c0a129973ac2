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
static void put_keys(const struct model_text *text, const char *clip, const char *what, const cJSON *channel)
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
            text_printf(text->out, "clip %s: %s at", clip, what);
            rounded_put(text->out, cJSON_GetNumberValue(time), WEIGHT_DECIMALS);
            text_put(text->out, " s:");
            if (json_get(channel, "path") != NULL) {
                text_put(text->out, " ");
                text_put_printable(text->out, member_text(channel, "path"));
            }
            text_printf(text->out, "%s\n", now.at);
        }
        text_free(&before);
        before = now;
    }
    text_free(&before);
}

static void put_channel(const struct model_text *text, const char *clip, const cJSON *channel)
{
    const double node = member_number(channel, "node");
    if (node >= 0 && node < (double)text->node_count)
        put_keys(text, clip, text->labels[(size_t)node], channel);
}

static void put_property(const struct model_text *text, const char *clip, const cJSON *channel)
{
    struct text pointer = {0};
    text_put_printable(&pointer, member_text(channel, "pointer"));
    if (pointer.at != NULL)
        put_keys(text, clip, pointer.at, channel);
    text_free(&pointer);
}

void model_text_put_weights(const struct model_text *text, const char *name, int clip)
{
    cJSON *json;
    struct text query = {0};
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
    cJSON_ArrayForEach(channel, json_get(keys, "channels")) put_channel(text, name, channel);
    cJSON_ArrayForEach(channel, json_get(keys, "properties")) put_property(text, name, channel);
    cJSON_Delete(json);
}
