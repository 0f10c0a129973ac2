/* One model of posectl thumbs: whether there is something to do, and doing it. Runs in the threads of a pool. */
#include "clients/cli/thumbs/thumbs.h"

#include "clients/cli/output/output.h"
#include "clients/cli/server/pattern.h"
#include "clients/cli/output/terminal.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

enum { SLUG_BYTES = 60, TRIES = 3 };

static const cJSON *get(const cJSON *json, const char *name) { return cJSON_GetObjectItemCaseSensitive(json, name); }

static const char *text_of(const cJSON *json, const char *name)
{
    const char *text = cJSON_GetStringValue(get(json, name));
    return text == NULL ? "" : text;
}

bool thumbs_is_unmatched(const cJSON *entry) { return cJSON_IsTrue(get(entry, "unmatched")); }

/* Made with these options by this version of the server. */
static bool is_made_alike(const struct thumbs *thumbs, const cJSON *entry)
{
    return strcmp(text_of(entry, "options"), thumbs->options) == 0 &&
           strcmp(text_of(entry, "server"), thumbs->server) == 0 && !cJSON_IsObject(get(entry, "error")) &&
           thumbs_has_pictures(thumbs, entry);
}

/* An entry without pictures; `model` is the server's answer, NULL where there is none. */
static cJSON *new_entry(const struct thumbs *thumbs, const struct listed_model *item, const cJSON *model,
                        double before_s)
{
    cJSON *entry = cJSON_CreateObject();
    const cJSON *file;
    cJSON_AddStringToObject(entry, "model", item->model);
    cJSON_AddStringToObject(entry, "out", item->out);
    cJSON_AddStringToObject(entry, "hash", text_of(model, "hash"));
    cJSON_AddStringToObject(entry, "options", thumbs->options);
    cJSON_AddStringToObject(entry, "server", thumbs->server);
    cJSON *files = cJSON_AddObjectToObject(entry, "files");
    cJSON_ArrayForEach(file, get(model, "files"))
    {
        char stamp[96];
        if (!thumbs->session->is_private || get(files, text_of(file, "path")) != NULL)
            continue;
        thumbs_file_stamp(thumbs, text_of(file, "path"), before_s, stamp);
        cJSON_AddStringToObject(files, text_of(file, "path"), stamp);
    }
    return entry;
}

/* Notes why there is no picture: pictures of an earlier run stay. */
static enum outcome fail(struct thumbs *thumbs, size_t index, const struct connection *link, const char *problem)
{
    const char *name = thumbs->items[index].model, *message = problem;
    char code[64] = "";
    cJSON *entry = new_entry(thumbs, &thumbs->items[index], NULL, 0);
    const cJSON *old = manifest_find(&thumbs->manifest, name);
    if (problem == NULL) {
        connection_error_code(link, code);
        message = connection_error_message(link, thumbs->items[index].source);
    }
    cJSON_AddItemToObject(entry, "pictures",
                          old == NULL ? cJSON_CreateArray() : cJSON_Duplicate(get(old, "pictures"), 1));
    cJSON *error = cJSON_AddObjectToObject(entry, "error");
    cJSON_AddStringToObject(error, "code", code[0] == '\0' ? "failed" : code);
    cJSON_AddStringToObject(error, "message", message);
    manifest_append(&thumbs->manifest, entry);
    thumbs->entries[index] = entry;
    if (terminal.is_verbose)
        terminal_error("%s: %s%s%s", name, code, code[0] == '\0' ? "" : ": ", message);
    return OUTCOME_FAILED;
}

/* "birds/crow.fbx.png", "birds/crow.fbx.0-fly.png" */
static void name_picture(struct text *out, const struct listed_model *item, const cJSON *clip)
{
    text_put(out, item->out);
    if (clip != NULL) {
        text_printf(out, ".%.0f-", cJSON_GetNumberValue(get(clip, "index")));
        const char *name = text_of(clip, "name");
        const size_t start = out->size_bytes;
        for (size_t i = 0; name[i] != '\0' && out->size_bytes - start < SLUG_BYTES;) {
            const size_t bytes = text_character_bytes(name + i);
            const bool is_kept = bytes > 1 || (bytes == 1 && strpbrk((char[]){name[i], '\0'}, "-_.") != NULL) ||
                                 (name[i] >= '0' && name[i] <= '9') || ((name[i] | 32) >= 'a' && (name[i] | 32) <= 'z');
            text_put_bytes(out, is_kept ? name + i : "-", is_kept && bytes > 0 ? bytes : 1);
            i += bytes == 0 ? 1 : bytes;
        }
    }
    text_put(out, ".png");
}

/* clip: of --clips, NULL for what the parameters say. Returns 0, an enum posed_status, or -100 with *problem. */
static int draw(struct thumbs *thumbs, struct connection *link, const struct listed_model *item, const char *hash,
                const cJSON *clip, bool is_rest, cJSON *pictures, struct text *problem)
{
    struct text target = {0}, file = {0}, path = {0};
    struct posed_packet answer;
    text_put(&target, "/v1/render?model=");
    text_put_url(&target, item->source);
    text_printf(&target, "&hash=%s%s", hash, thumbs->parameters);
    if (clip != NULL)
        text_printf(&target, "&clip=%.0f", cJSON_GetNumberValue(get(clip, "index")));
    else if (is_rest)
        text_put(&target, "&clip=-");
    int rc = connection_request(link, target.at, thumbs->body, &answer);
    if (rc == 0) {
        name_picture(&file, item, clip);
        text_printf(&path, "%s/%s", thumbs->out, file.at);
        rc = output_write(path.at, thumbs->manifest.folder, answer.data, answer.data_bytes, problem) < 0 ? -100 : 0;
    }
    if (rc == 0) {
        cJSON *picture = cJSON_CreateObject();
        cJSON_AddStringToObject(picture, "file", file.at);
        cJSON_AddStringToObject(picture, "clip", text_of(clip, "name"));
        cJSON_AddNumberToObject(picture, "bytes", (double)answer.data_bytes);
        cJSON_AddItemToArray(pictures, picture);
        pthread_mutex_lock(&thumbs->manifest.mutex);
        thumbs->pictures++;
        pthread_mutex_unlock(&thumbs->manifest.mutex);
    }
    text_free(&target);
    text_free(&file);
    text_free(&path);
    return rc;
}

/* Whether --clips means the clip: one of its patterns with commas. */
static bool is_meant(const char *clips, const char *name)
{
    while (*clips != '\0') {
        char pattern[256];
        const size_t size = strcspn(clips, ",");
        snprintf(pattern, sizeof pattern, "%.*s", (int)size, clips);
        if (size > 0 && pattern_matches(pattern, name))
            return true;
        clips += size + (clips[size] == ',');
    }
    return false;
}

/* Fills the pictures of the entry, or says in it that --clips means no clip of the model: another one would pretend. */
static int draw_all(struct thumbs *thumbs, struct connection *link, const struct listed_model *item, const cJSON *model,
                    cJSON *entry, struct text *problem)
{
    cJSON *pictures = cJSON_AddArrayToObject(entry, "pictures");
    const char *clips = args_text(thumbs->args, OPTION_CLIPS, "first"), *hash = text_of(model, "hash");
    const bool is_all = strcmp(clips, "all") == 0, is_rest = strcmp(clips, "rest") == 0;
    const bool is_one = is_rest || strcmp(clips, "first") == 0;
    const cJSON *clip;
    int rc = 0;
    if (!is_one)
        cJSON_ArrayForEach(clip, get(model, "clips"))
        {
            if (rc == 0 && (is_all || is_meant(clips, text_of(clip, "name"))))
                rc = draw(thumbs, link, item, hash, clip, false, pictures, problem);
        }
    if (rc != 0 || cJSON_GetArraySize(pictures) > 0)
        return rc;
    if (is_one || cJSON_GetArraySize(get(model, "clips")) == 0) /* without clips: at rest */
        rc = draw(thumbs, link, item, hash, NULL, is_rest, pictures, problem);
    else
        cJSON_AddTrueToObject(entry, "unmatched");
    return rc;
}

enum outcome thumbs_make_model(struct connection *link, size_t index, const char **label, void *context)
{
    struct thumbs *thumbs = context;
    const struct listed_model *item = &thumbs->items[index];
    const cJSON *old = manifest_find(&thumbs->manifest, item->model);
    const bool is_alike = !thumbs->is_forced && old != NULL && is_made_alike(thumbs, old);
    struct text target = {0}, problem = {0};
    enum outcome outcome = is_alike && thumbs_is_unmatched(old) ? OUTCOME_UNMATCHED : OUTCOME_UNCHANGED;
    *label = item->model;
    if ((thumbs->is_due != NULL && !thumbs->is_due[index]) || (is_alike && thumbs_is_fresh(thumbs, old, item->source)))
        return outcome;
    text_put(&target, "/v1/model?model=");
    text_put_url(&target, item->source);
    for (int tries = 1;; tries++) {
        struct posed_packet answer;
        struct timespec before;
        clock_gettime(CLOCK_REALTIME, &before);
        if (connection_request(link, target.at, NULL, &answer) < 0) {
            outcome = fail(thumbs, index, link, NULL);
            break;
        }
        cJSON *model = cJSON_ParseWithLength((const char *)answer.data, answer.data_bytes);
        cJSON *entry = new_entry(thumbs, item, model, (double)before.tv_sec + (double)before.tv_nsec * 1e-9);
        int rc = 0;
        if (is_alike && strcmp(text_of(old, "hash"), text_of(model, "hash")) == 0) {
            cJSON_AddItemToObject(entry, "pictures", cJSON_Duplicate(get(old, "pictures"), 1));
            cJSON_AddBoolToObject(entry, "unmatched", thumbs_is_unmatched(old));
        } else {
            rc = draw_all(thumbs, link, item, model, entry, &problem);
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
        if (rc == POSED_E_SERVER && link->posed.error.code == POSED_ERR_HASH_MISMATCH && tries < TRIES)
            continue; /* it was changed in between */
        outcome = fail(thumbs, index, link, rc == -100 ? problem.at : NULL);
        break;
    }
    if (terminal.is_verbose && outcome == OUTCOME_MADE)
        terminal_info("%s", item->model);
    text_free(&target);
    text_free(&problem);
    return outcome;
}
