/* Draws one model for posectl thumbs, after deciding which pictures it needs. Runs in the threads of a pool. */
#include "clients/cli/thumbs/thumbs.h"

#include "clients/cli/output/output.h"
#include "clients/cli/server/limit_hint.h"
#include "clients/cli/server/pattern.h"
#include "clients/cli/server/skipped_model.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

enum { SLUG_BYTES = 60, TRIES = 3 };

/* Returns whether an entry was made with these options by this version of the server. */
static bool is_made_alike(const struct thumbs *thumbs, const cJSON *entry)
{
    return strcmp(member_text(entry, "options"), thumbs->options) == 0 &&
           strcmp(member_text(entry, "server"), thumbs->server) == 0 && !cJSON_IsObject(json_get(entry, "error")) &&
           thumbs_has_pictures(thumbs, entry);
}

/* Makes an entry without pictures; `model` is the server's answer, or NULL. */
static cJSON *new_entry(const struct thumbs *thumbs, const struct listed_model *item, const cJSON *model,
                        double before_s)
{
    cJSON *entry = cJSON_CreateObject();
    const cJSON *file;
    cJSON_AddStringToObject(entry, "model", item->model);
    cJSON_AddStringToObject(entry, "out", item->out);
    cJSON_AddStringToObject(entry, "hash", member_text(model, "hash"));
    cJSON_AddStringToObject(entry, "options", thumbs->options);
    cJSON_AddStringToObject(entry, "server", thumbs->server);
    cJSON *files = cJSON_AddObjectToObject(entry, "files");
    cJSON_ArrayForEach(file, json_get(model, "files"))
    {
        char stamp[96];
        if (!thumbs->context.session.is_private || json_get(files, member_text(file, "path")) != NULL)
            continue;
        thumbs_file_stamp(thumbs, member_text(file, "path"), before_s, stamp);
        cJSON_AddStringToObject(files, member_text(file, "path"), stamp);
    }
    return entry;
}

/* Records why there is no picture. Pictures of an earlier run stay. import_s: when the failed import began; 0: the
 * import did not fail. */
static enum outcome fail(struct thumbs *thumbs, size_t index, const struct connection *connection, const char *problem,
                         double import_s)
{
    const char *name = thumbs->models.items[index].model;
    struct text message = {0};
    char code[64] = "";
    cJSON *entry = new_entry(thumbs, &thumbs->models.items[index], NULL, 0);
    const cJSON *old = manifest_find(&thumbs->manifest, name);
    if (problem == NULL) {
        connection_error_code(connection, code);
        text_put(&message, connection_error_message(connection, thumbs->models.items[index].source));
        limit_hint_put(connection, &message);
    } else
        text_put(&message, problem);
    cJSON_AddItemToObject(entry, "pictures",
                          old == NULL ? cJSON_CreateArray() : cJSON_Duplicate(json_get(old, "pictures"), 1));
    cJSON *error = cJSON_AddObjectToObject(entry, "error");
    cJSON_AddStringToObject(error, "code", code[0] == '\0' ? "failed" : code);
    cJSON_AddStringToObject(error, "message", message.at);
    if (import_s > 0)
        failures_record(&thumbs->failures, entry, thumbs->models.items[index].source, import_s);
    manifest_append(&thumbs->manifest, entry);
    thumbs->entries[index] = entry;
    if (terminal.is_verbose)
        terminal_error("%s: %s%s%s", name, code, code[0] == '\0' ? "" : ": ", message.at);
    text_free(&message);
    return OUTCOME_FAILED;
}

/* Records that the file is no model, and removes its pictures of earlier runs. Returns false if it should be one. */
static bool skip(struct thumbs *thumbs, size_t index, const struct connection *connection)
{
    const struct listed_model *item = &thumbs->models.items[index];
    struct text why = {0};
    if (!skipped_model_is(connection, &thumbs->models, index, &why))
        return false;
    cJSON *entry = new_entry(thumbs, item, NULL, 0);
    cJSON_AddArrayToObject(entry, "pictures");
    cJSON_AddStringToObject(entry, "skipped", why.at);
    thumbs_remove_outdated(thumbs, manifest_find(&thumbs->manifest, item->model), entry);
    manifest_append(&thumbs->manifest, entry);
    thumbs->entries[index] = entry;
    text_free(&why);
    return true;
}

static enum outcome skip_or_fail(struct thumbs *thumbs, size_t index, const struct connection *connection,
                                 double import_s)
{
    return skip(thumbs, index, connection) ? OUTCOME_SKIPPED : fail(thumbs, index, connection, NULL, import_s);
}

/* Keeps the failure of an earlier run if it would happen again. watch asks again, because the server reports changes
 * only for models that it was asked for. */
static bool take_known_failure(struct thumbs *thumbs, size_t index, const cJSON *old)
{
    const struct args *args = thumbs->args;
    if (args->command == COMMAND_WATCH || args_has(args, OPTION_FORCE) || args_has(args, OPTION_RETRY) ||
        !failures_is_known(&thumbs->failures, old, thumbs->models.items[index].source))
        return false;
    cJSON *entry = cJSON_Duplicate(old, 1);
    cJSON_DeleteItemFromObject(entry, "remembered");
    cJSON_AddTrueToObject(entry, "remembered");
    thumbs->entries[index] = entry;
    return true;
}

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
 * 0, an enum posed_status, or -100 with *problem. */
static int draw(struct thumbs *thumbs, struct connection *connection, const struct listed_model *item, const char *hash,
                const cJSON *clip, bool is_rest, int *side, cJSON *pictures, struct text *problem)
{
    struct text query = {0}, file = {0}, path = {0};
    struct posed_packet answer;
    text_printf(&query, "&hash=%s%s", hash, thumbs->parameters);
    if (clip != NULL)
        text_printf(&query, "&clip=%.0f", member_number(clip, "index"));
    else if (is_rest)
        text_put(&query, "&clip=-");
    int rc = thumbs_picture(thumbs, connection, item->source, query.at, side, &answer);
    if (rc == 0) {
        name_picture(&file, item, clip, thumbs->extension);
        text_printf(&path, "%s/%s", thumbs->out, file.at);
        const bool is_bad = output_is_behind_link(thumbs->out, file.at, problem) ||
                            output_write(path.at, thumbs->manifest.folder, answer.data, answer.data_bytes, problem) < 0;
        rc = is_bad ? -100 : 0;
    }
    if (rc == 0) {
        cJSON *picture = cJSON_CreateObject();
        cJSON_AddStringToObject(picture, "file", file.at);
        cJSON_AddStringToObject(picture, "clip", member_text(clip, "name"));
        cJSON_AddNumberToObject(picture, "bytes", (double)answer.data_bytes);
        cJSON_AddItemToArray(pictures, picture);
        pthread_mutex_lock(&thumbs->manifest.mutex);
        thumbs->pictures++;
        pthread_mutex_unlock(&thumbs->manifest.mutex);
    }
    text_free(&query);
    text_free(&file);
    text_free(&path);
    return rc;
}

/* Draws the pictures of the entry. If --clips matches no clip of the model, marks the entry as unmatched: a picture of
 * another clip would mislead. */
static int draw_all(struct thumbs *thumbs, struct connection *connection, const struct listed_model *item,
                    const cJSON *model, cJSON *entry, struct text *problem)
{
    cJSON *pictures = cJSON_AddArrayToObject(entry, "pictures");
    const char *clips = args_text(thumbs->args, OPTION_CLIPS, "first"), *hash = member_text(model, "hash");
    const bool is_all = strcmp(clips, "all") == 0, is_rest = strcmp(clips, "rest") == 0;
    const bool is_one = is_rest || strcmp(clips, "first") == 0;
    const cJSON *clip;
    int rc = 0, side = 0;
    if (!is_one)
        cJSON_ArrayForEach(clip, json_get(model, "clips"))
        {
            if (rc == 0 && (is_all || pattern_list_matches(clips, member_text(clip, "name"), false)))
                rc = draw(thumbs, connection, item, hash, clip, false, &side, pictures, problem);
        }
    if (rc != 0 || cJSON_GetArraySize(pictures) > 0)
        return rc;
    if (is_one || cJSON_GetArraySize(json_get(model, "clips")) == 0) /* a model without clips is drawn at rest */
        rc = draw(thumbs, connection, item, hash, NULL, is_rest, &side, pictures, problem);
    else
        cJSON_AddTrueToObject(entry, "unmatched");
    return rc;
}

enum outcome thumbs_make_model(struct connection *connection, size_t index, const char **label, void *context)
{
    struct thumbs *thumbs = context;
    const struct listed_model *item = &thumbs->models.items[index];
    const cJSON *old = manifest_find(&thumbs->manifest, item->model);
    const bool is_alike = !args_has(thumbs->args, OPTION_FORCE) && old != NULL && is_made_alike(thumbs, old);
    struct text problem = {0};
    enum outcome outcome = is_alike && thumbs_is_unmatched(old) ? OUTCOME_UNMATCHED : OUTCOME_UNCHANGED;
    *label = item->model;
    if ((thumbs->is_due != NULL && !thumbs->is_due[index]) || (is_alike && thumbs_is_fresh(thumbs, old, item->source)))
        return outcome;
    if (take_known_failure(thumbs, index, old))
        return OUTCOME_FAILED;
    for (int tries = 1;; tries++) {
        cJSON *model;
        struct timespec before;
        clock_gettime(CLOCK_REALTIME, &before);
        const double before_s = (double)before.tv_sec + (double)before.tv_nsec * 1e-9;
        if (connection_request_json(connection, "model", item->source, "", NULL, &model) < 0) {
            outcome = skip_or_fail(thumbs, index, connection, before_s);
            break;
        }
        cJSON *entry = new_entry(thumbs, item, model, before_s);
        int rc = 0;
        if (is_alike && strcmp(member_text(old, "hash"), member_text(model, "hash")) == 0) {
            cJSON_AddItemToObject(entry, "pictures", cJSON_Duplicate(json_get(old, "pictures"), 1));
            cJSON_AddBoolToObject(entry, "unmatched", thumbs_is_unmatched(old));
        } else {
            rc = draw_all(thumbs, connection, item, model, entry, &problem);
            outcome = thumbs_is_unmatched(entry) ? OUTCOME_UNMATCHED : OUTCOME_MADE;
        }
        cJSON_Delete(model);
        if (rc == 0) {
            thumbs_remove_outdated(thumbs, old, entry);
            manifest_append(&thumbs->manifest, entry);
            thumbs->entries[index] = entry;
            break;
        }
        cJSON_Delete(entry);
        if (rc == POSED_E_SERVER && connection->posed.error.code == POSED_ERR_HASH_MISMATCH && tries < TRIES)
            continue; /* the model has changed meanwhile */
        outcome = fail(thumbs, index, connection, rc == -100 ? problem.at : NULL, 0);
        break;
    }
    if (terminal.is_verbose && outcome == OUTCOME_MADE)
        terminal_info("%s", item->model);
    text_free(&problem);
    return outcome;
}
