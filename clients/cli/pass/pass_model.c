/* Makes the outputs of one model in a pass, if they are outdated: pass.h. Runs in the threads of a pool. */
#include "clients/cli/pass/pass.h"

#include "clients/cli/output/output.h"
#include "clients/cli/server/limit_hint.h"
#include "clients/cli/server/skipped_model.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

enum { TRIES = 3 };

/* Returns whether an entry was made with these options by this version of the server and of its importer. */
static bool is_made_alike(const struct pass *pass, const struct listed_model *item, const cJSON *entry)
{
    return (pass->kind->has_many || strcmp(member_text(entry, "out"), item->out) == 0) &&
           strcmp(member_text(entry, "options"), pass->options) == 0 &&
           strcmp(member_text(entry, "server"), pass->server) == 0 &&
           strcmp(member_text(entry, "importer"), pass->failures.importer) == 0 &&
           !cJSON_IsObject(json_get(entry, "error")) && json_get(entry, PASS_PARTIAL) == NULL &&
           pass_has_outputs(pass, entry);
}

/* Makes an entry without outputs; `model` is the server's answer, or NULL. */
static cJSON *new_entry(const struct pass *pass, const struct listed_model *item, const cJSON *model, double before_s)
{
    cJSON *entry = cJSON_CreateObject();
    const cJSON *file;
    cJSON_AddStringToObject(entry, "model", item->model);
    cJSON_AddStringToObject(entry, "out", item->out);
    cJSON_AddStringToObject(entry, "hash", member_text(model, "hash"));
    cJSON_AddStringToObject(entry, "options", pass->options);
    cJSON_AddStringToObject(entry, "server", pass->server);
    cJSON_AddStringToObject(entry, "importer", pass->failures.importer);
    cJSON *files = cJSON_AddObjectToObject(entry, "files");
    cJSON_ArrayForEach(file, json_get(model, "files"))
    {
        char stamp[96];
        if (!pass->connected.session.is_private || json_get(files, member_text(file, "path")) != NULL)
            continue;
        pass_file_stamp(pass, member_text(file, "path"), before_s, stamp);
        cJSON_AddStringToObject(files, member_text(file, "path"), stamp);
    }
    return entry;
}

/* Records why there is no output. Outputs of an earlier run stay. problem: NULL for the error of the connection, else
 * its words and its code, which may be "". import_s: when the failed import began; 0: the import did not fail. */
static enum outcome fail(struct pass *pass, size_t index, const struct connection *connection, const char *known_code,
                         const char *problem, double import_s)
{
    const char *name = pass->models.items[index].model;
    struct text message = {0};
    char code[64] = "";
    cJSON *entry = new_entry(pass, &pass->models.items[index], NULL, 0);
    const cJSON *old = manifest_find(&pass->manifest, name);
    if (problem == NULL) {
        connection_error_code(connection, code);
        text_put(&message, connection_error_message(connection, pass->models.items[index].source));
        limit_hint_put(connection, &message);
    } else {
        snprintf(code, sizeof code, "%s", known_code);
        text_put(&message, problem);
    }
    cJSON_AddItemToObject(entry, pass->kind->outputs,
                          old == NULL ? cJSON_CreateArray() : cJSON_Duplicate(json_get(old, pass->kind->outputs), 1));
    cJSON *error = cJSON_AddObjectToObject(entry, "error");
    cJSON_AddStringToObject(error, "code", code[0] == '\0' ? "failed" : code);
    cJSON_AddStringToObject(error, "message", message.at);
    if (import_s > 0)
        failures_record(&pass->failures, entry, pass->models.items[index].source, import_s);
    manifest_append(&pass->manifest, entry);
    pass->entries[index] = entry;
    if (terminal.is_verbose)
        terminal_error("%s: %s%s%s", name, code, code[0] == '\0' ? "" : ": ", message.at);
    text_free(&message);
    return OUTCOME_FAILED;
}

/* Records that the file is no model, and removes its outputs of earlier runs. Returns false if it should be one. */
static bool skip(struct pass *pass, size_t index, const struct connection *connection)
{
    const struct listed_model *item = &pass->models.items[index];
    struct text why = {0};
    if (!skipped_model_is(connection, &pass->models, index, &why))
        return false;
    cJSON *entry = new_entry(pass, item, NULL, 0);
    cJSON_AddArrayToObject(entry, pass->kind->outputs);
    cJSON_AddStringToObject(entry, "skipped", why.at);
    pass_remove_outdated(pass, manifest_find(&pass->manifest, item->model), entry);
    manifest_append(&pass->manifest, entry);
    pass->entries[index] = entry;
    text_free(&why);
    return true;
}

static enum outcome skip_or_fail(struct pass *pass, size_t index, const struct connection *connection, double import_s)
{
    return skip(pass, index, connection) ? OUTCOME_SKIPPED : fail(pass, index, connection, "", NULL, import_s);
}

/* Keeps the failure of an earlier run if it would happen again. watch asks again, because the server reports changes
 * only for models that it was asked for. */
static bool take_known_failure(struct pass *pass, size_t index, const cJSON *old)
{
    const struct args *args = pass->args;
    if (args->command == COMMAND_WATCH || args_has(args, OPTION_FORCE) || args_has(args, OPTION_RETRY) ||
        !failures_is_known(&pass->failures, old, pass->models.items[index].source))
        return false;
    cJSON *entry = cJSON_Duplicate(old, 1);
    cJSON_DeleteItemFromObject(entry, "remembered");
    cJSON_AddTrueToObject(entry, "remembered");
    pass->entries[index] = entry;
    return true;
}

bool pass_is_begun(const cJSON *old, const cJSON *entry)
{
    static const char *const EQUAL[] = {"hash", "options", "server", "importer"};
    bool is_begun = json_get(old, PASS_PARTIAL) != NULL && json_error(old) == NULL;
    for (size_t i = 0; i < sizeof EQUAL / sizeof *EQUAL && is_begun; i++)
        is_begun = strcmp(member_text(old, EQUAL[i]), member_text(entry, EQUAL[i])) == 0;
    return is_begun;
}

cJSON *pass_write_file(struct pass *pass, const char *file, const void *bytes, size_t size_bytes, struct text *problem)
{
    struct text path = {0};
    if (!pass_is_safe(file)) {
        text_put(problem, "the server's name of the model leads out of the output folder");
        return NULL;
    }
    text_printf(&path, "%s/%s", pass->out, file);
    const bool is_bad = output_is_behind_link(pass->out, file, problem) ||
                        output_write(path.at, pass->manifest.folder, bytes, size_bytes, problem) < 0;
    text_free(&path);
    if (is_bad)
        return NULL;
    cJSON *output = cJSON_CreateObject();
    cJSON_AddStringToObject(output, "file", file);
    cJSON_AddNumberToObject(output, "bytes", (double)size_bytes);
    pthread_mutex_lock(&pass->progress.mutex);
    pass->progress.outputs++;
    pthread_mutex_unlock(&pass->progress.mutex);
    return output;
}

cJSON *pass_write(struct pass *pass, cJSON *entry, const char *file, const void *bytes, size_t size_bytes,
                  struct text *problem)
{
    cJSON *output = pass_write_file(pass, file, bytes, size_bytes, problem);
    if (output != NULL)
        cJSON_AddItemToArray(cJSON_GetObjectItemCaseSensitive(entry, pass->kind->outputs), output);
    return output;
}

/* Takes from the old entry what the new one lacks. */
static void take_rest(cJSON *entry, const cJSON *old)
{
    const cJSON *member;
    cJSON_ArrayForEach(member, old)
    {
        if (json_get(entry, member->string) == NULL)
            cJSON_AddItemToObject(entry, member->string, cJSON_Duplicate(member, 1));
    }
}

enum outcome pass_make_model(struct connection *connection, size_t index, const char **label, void *context)
{
    struct pass *pass = context;
    const struct listed_model *item = &pass->models.items[index];
    const cJSON *old = manifest_find(&pass->manifest, item->model);
    const bool is_alike = !args_has(pass->args, OPTION_FORCE) && old != NULL && is_made_alike(pass, item, old);
    struct text problem = {0};
    enum outcome outcome = is_alike && pass_is_unmatched(old) ? OUTCOME_UNMATCHED : OUTCOME_UNCHANGED;
    *label = item->model;
    if ((pass->is_due != NULL && !pass->is_due[index]) || (is_alike && pass_is_fresh(pass, old, item->source)))
        return outcome;
    if (take_known_failure(pass, index, old))
        return OUTCOME_FAILED;
    for (int tries = 1;; tries++) {
        cJSON *model;
        struct timespec before;
        clock_gettime(CLOCK_REALTIME, &before);
        const double before_s = (double)before.tv_sec + (double)before.tv_nsec * 1e-9;
        if (connection_request_json(connection, "model", item->source, "", NULL, &model) < 0) {
            outcome = skip_or_fail(pass, index, connection, before_s);
            break;
        }
        cJSON *entry = new_entry(pass, item, model, before_s);
        int rc = 0;
        if (is_alike && strcmp(member_text(old, "hash"), member_text(model, "hash")) == 0) {
            take_rest(entry, old);
        } else {
            cJSON_AddArrayToObject(entry, pass->kind->outputs);
            rc = pass->kind->make(pass, connection, index, model, entry, &problem);
            outcome = pass_is_unmatched(entry) ? OUTCOME_UNMATCHED : OUTCOME_MADE;
        }
        cJSON_Delete(model);
        if (rc == 0) {
            pass_remove_outdated(pass, old, entry);
            manifest_append(&pass->manifest, entry);
            pass->entries[index] = entry;
            break;
        }
        const bool has_changed =
            rc == POSED_E_SERVER && connection->posed.error.code == POSED_ERR_HASH_MISMATCH && tries < TRIES;
        if (!has_changed && rc == PASS_FAILED && is_interrupted()) {
            outcome = OUTCOME_INTERRUPTED;
            if (json_get(entry, PASS_PARTIAL) != NULL) {
                pass->entries[index] = entry;
                break;
            }
        } else if (!has_changed)
            outcome =
                fail(pass, index, connection, member_text(entry, "code"), rc == PASS_FAILED ? problem.at : NULL, 0);
        cJSON_Delete(entry);
        if (!has_changed)
            break;
    }
    if (terminal.is_verbose && outcome == OUTCOME_MADE)
        terminal_info("%s", item->model);
    text_free(&problem);
    return outcome;
}
