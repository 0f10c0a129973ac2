/* Draws one model for posectl thumbs. Runs in the threads of a pool. */
#include "clients/cli/thumbs/thumbs.h"

#include "clients/cli/server/pattern.h"

#include <string.h>

enum { SLUG_BYTES = 60 };

/* Puts "birds/crow.fbx.png" or "birds/crow.fbx.0-fly.png". */
static void name_picture(struct text *out, const struct listed_model *item, const cJSON *clip, const char *extension)
{
    text_put(out, item->out);
    if (clip != NULL) {
        text_printf(out, ".%.0f-", member_number(clip, "index"));
        const char *name = member_text(clip, "name");
        const size_t start = out->size_bytes;
        for (size_t i = 0; name[i] != '\0' && out->size_bytes - start < SLUG_BYTES;) {
            const size_t bytes = text_character_bytes(name + i);
            const bool is_kept = bytes > 1 || (bytes == 1 && strpbrk((char[]){name[i], '\0'}, "-_.") != NULL) ||
                                 (name[i] >= '0' && name[i] <= '9') || ((name[i] | 32) >= 'a' && (name[i] | 32) <= 'z');
            text_put_bytes(out, is_kept ? name + i : "-", is_kept && bytes > 0 ? bytes : 1);
            i += bytes == 0 ? 1 : bytes;
        }
    }
    text_printf(out, ".%s", extension);
}

/* Draws a picture. clip: of --clips; NULL: the parameters select it. side: that of the model's picture before. Returns
 * what thumbs_make() does. */
static int draw(struct thumbs *thumbs, struct connection *connection, const struct listed_model *item, const char *hash,
                const cJSON *clip, bool is_rest, int *side, cJSON *entry, struct text *problem)
{
    struct text query = {0}, file = {0};
    struct posed_packet answer;
    text_printf(&query, "&hash=%s%s", hash, thumbs->parameters);
    if (clip != NULL)
        text_printf(&query, "&clip=%.0f", member_number(clip, "index"));
    else if (is_rest)
        text_put(&query, "&clip=-");
    int rc = thumbs_picture(thumbs, connection, item->source, query.at, side, &answer);
    if (rc == 0) {
        name_picture(&file, item, clip, thumbs->extension);
        cJSON *picture = pass_write(&thumbs->pass, entry, file.at, answer.data, answer.data_bytes, problem);
        if (picture == NULL)
            rc = PASS_FAILED;
        else
            cJSON_AddStringToObject(picture, "clip", member_text(clip, "name"));
    }
    text_free(&query);
    text_free(&file);
    return rc;
}

/* If --clips matches no clip of the model, marks the entry as unmatched: a picture of
 * another clip would mislead. */
int thumbs_make(struct pass *pass, struct connection *connection, size_t index, const cJSON *model, cJSON *entry,
                struct text *problem)
{
    struct thumbs *thumbs = pass->context;
    const struct listed_model *item = &pass->models.items[index];
    const char *clips = args_text(pass->args, OPTION_CLIPS, "first"), *hash = member_text(model, "hash");
    const bool is_all = strcmp(clips, "all") == 0, is_rest = strcmp(clips, "rest") == 0;
    const bool is_one = is_rest || strcmp(clips, "first") == 0;
    const cJSON *clip;
    int rc = 0, side = 0;
    if (!is_one)
        cJSON_ArrayForEach(clip, json_get(model, "clips"))
        {
            if (rc == 0 && (is_all || pattern_list_matches(clips, member_text(clip, "name"), false)))
                rc = draw(thumbs, connection, item, hash, clip, false, &side, entry, problem);
        }
    if (rc != 0 || cJSON_GetArraySize(json_get(entry, "pictures")) > 0)
        return rc;
    if (is_one || cJSON_GetArraySize(json_get(model, "clips")) == 0) /* a model without clips is drawn at rest */
        rc = draw(thumbs, connection, item, hash, NULL, is_rest, &side, entry, problem);
    else
        cJSON_AddTrueToObject(entry, "unmatched");
    return rc;
}
