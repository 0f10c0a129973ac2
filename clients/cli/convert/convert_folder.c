#include "clients/cli/convert/convert_folder.h"

#include "clients/cli/convert/convert_report.h"
#include "clients/cli/convert/convert_request.h"
#include "clients/cli/convert/converted_names.h"
#include "clients/cli/convert/glb_join.h"
#include "clients/cli/pass/pass.h"
#include "clients/cli/server/pattern.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

struct folder {
    struct pass pass;
    const struct convert_clips *clips;
    size_t path_count;  /* arguments that are models and folders; clip files follow them */
    char out[PATH_MAX]; /* the output folder without links; "": it does not exist yet */
};

static bool is_directory(const char *path)
{
    struct stat info;
    return stat(path, &info) == 0 && S_ISDIR(info.st_mode);
}

static bool ends_with(const char *text, const char *end)
{
    const size_t size = strlen(text), end_bytes = strlen(end);
    return size >= end_bytes && strcasecmp(text + size - end_bytes, end) == 0;
}

bool convert_is_of_folder(const struct args *args)
{
    static const enum option_id ONLY[] = {OPTION_INCLUDE, OPTION_EXCLUDE, OPTION_SHARD, OPTION_JOBS,
                                          OPTION_PRUNE,   OPTION_FORCE,   OPTION_RETRY, OPTION_REPORT};
    const char *out = args_text(args, OPTION_FILE, "");
    bool is_folder = args->positional_count > 1 || ends_with(out, "/") || is_directory(out);
    for (size_t i = 0; i < sizeof ONLY / sizeof *ONLY; i++)
        is_folder |= args_has(args, ONLY[i]);
    for (size_t i = 0; i < args->positional_count && !is_folder; i++) {
        const char *path = args->positional[i];
        struct stat info;
        is_folder = session_address(args) != NULL
                        ? pattern_is_one(path) || ends_with(path, "/") || strcmp(path, ".") == 0
                        : is_directory(path) || (lstat(path, &info) != 0 && pattern_is_one(path));
    }
    return is_folder;
}

/* --- the list --- */

/* Removes models in the output folder, which an earlier run wrote, if that folder is within one of the arguments.
 * Returns their number. */
static size_t leave_out_outputs(struct folder *folder)
{
    struct model_list *models = &folder->pass.models;
    const char *root = folder->pass.connected.session.folder;
    size_t kept = 0, rest, out_start = 0;
    bool is_inside = false;
    for (size_t i = 0; i < folder->path_count; i++) {
        const struct path_argument *argument = &folder->pass.connected.paths.arguments[i];
        is_inside |=
            argument->kind != PATH_MODEL && path_is_beneath(root, folder->out, &out_start) &&
            path_is_beneath(argument->kind == PATH_FOLDER ? argument->path : "", folder->out + out_start, &rest);
    }
    for (size_t i = 0; i < models->count; i++)
        if (is_inside && path_is_beneath(folder->out + out_start, models->items[i].model, &rest))
            model_list_free_item(&models->items[i]);
        else
            models->items[kept++] = models->items[i];
    const size_t left_out = models->count - kept;
    models->count = kept;
    return left_out;
}

/* Names the outputs of all models, also those of other parts, and then keeps the models of this part. */
static void name_outputs(struct folder *folder)
{
    struct model_list *models = &folder->pass.models;
    size_t first, kept = 0;
    const size_t whole = converted_names_set(models, &first);
    if (whole > 0)
        terminal_info("%zu models keep the extension in the names of their files, because there are others of the same "
                      "name: %s becomes %s",
                      whole, models->items[first].model, models->items[first].out);
    for (size_t i = 0; i < models->count; i++)
        if (model_is_in_shard(folder->pass.args, models->items[i].model))
            models->items[kept++] = models->items[i];
        else
            model_list_free_item(&models->items[i]);
    models->count = kept;
}

/* A pass_kind.list. */
static int list(struct pass *pass)
{
    struct folder *folder = pass->context;
    struct args all = *pass->args;
    struct paths paths = pass->connected.paths;
    all.values[OPTION_SHARD] = NULL;
    paths.count = folder->path_count;
    const int status = model_list_read(&pass->models, &paths, &all, &pass->connected.connection);
    if (status != STATUS_DONE)
        return status;
    if (realpath(pass->out, folder->out) == NULL)
        folder->out[0] = '\0';
    const bool may_have_outputs = pass->connected.session.is_private && folder->out[0] != '\0';
    const size_t left_out = may_have_outputs ? leave_out_outputs(folder) : 0;
    if (left_out > 0 && pass->models.count == 0) {
        terminal_error("all models lie in the output folder %s, whose models are not converted", pass->out);
        return STATUS_USAGE;
    }
    name_outputs(folder);
    return STATUS_DONE;
}

/* --- a model --- */

static int by_model(const void *name, const void *item)
{
    return strcmp(name, ((const struct listed_model *)item)->model);
}

/* Returns whether the output would overwrite one of the models. */
static bool overwrites(const struct folder *folder, const char *file, struct text *problem)
{
    const struct model_list *models = &folder->pass.models;
    char path[2 * PATH_MAX];
    size_t rest;
    snprintf(path, sizeof path, "%s/%s", folder->out, file);
    if (!folder->pass.connected.session.is_private ||
        !path_is_beneath(folder->pass.connected.session.folder, path, &rest) ||
        bsearch(path + rest, models->items, models->count, sizeof *models->items, by_model) == NULL)
        return false;
    text_printf(problem, "its file would take the place of the model '%s'; choose another output folder", path + rest);
    return true;
}

/* A pass_kind.make. */
static int make(struct pass *pass, struct connection *connection, size_t index, const cJSON *model, cJSON *entry,
                struct text *problem)
{
    const struct folder *folder = pass->context;
    const struct listed_model *item = &pass->models.items[index];
    const struct convert_request request = {.connection = connection,
                                            .clips = folder->clips,
                                            .paths = &pass->connected.paths,
                                            .model = item->source,
                                            .hash = member_text(model, "hash")};
    struct posed_packet answer = {0};
    struct text joined = {0};
    if (overwrites(folder, item->out, problem))
        return PASS_FAILED;
    int rc = convert_request(&request, &joined, &answer, problem);
    rc = rc == CONVERT_FAILED ? PASS_FAILED : rc;
    if (rc == 0) {
        cJSON *output = pass_write(pass, entry, item->out, answer.data, answer.data_bytes, problem);
        cJSON *glb = glb_parse(answer.data, answer.data_bytes, NULL, NULL);
        if (output != NULL) {
            convert_report_add_counts(glb, output);
            convert_report_add_remarks(glb, entry);
        }
        rc = output == NULL ? PASS_FAILED : 0;
        cJSON_Delete(glb);
    }
    text_free(&joined);
    return rc;
}

/* A pass_kind.add_json: the files of all models, also of those that are unchanged. */
static void add_json(const struct pass *pass, cJSON *json)
{
    static const char *const MEMBERS[] = {"warnings", "approximations", "dropped"};
    cJSON *files = cJSON_AddArrayToObject(json, "files");
    for (size_t i = 0; i < pass->models.count; i++) {
        const cJSON *entry = pass_entry(pass, i), *output = json_get(entry, pass->kind->outputs);
        if (json_error(entry) != NULL || cJSON_GetArraySize(output) == 0)
            continue;
        cJSON *file = cJSON_Duplicate(output->child, true);
        cJSON_AddStringToObject(file, "model", pass->models.items[i].model);
        for (size_t k = 0; k < sizeof MEMBERS / sizeof *MEMBERS; k++)
            cJSON_AddItemToObject(file, MEMBERS[k], cJSON_Duplicate(json_get(entry, MEMBERS[k]), true));
        cJSON_AddItemToArray(files, file);
    }
}

static const struct pass_kind FILES = {.manifest = "convert.jsonl",
                                       .outputs = "outputs",
                                       .done = "converted",
                                       .list = list,
                                       .make = make,
                                       .add_json = add_json};

/* --- the command --- */

static int check(const struct args *args)
{
    const char *out = args_text(args, OPTION_FILE, ""), *estimate = args_parameter(args, "estimate");
    const char *format = args_parameter(args, "format");
    if (strcmp(out, "-") == 0 || (ends_with(out, ".glb") && !is_directory(out)))
        terminal_error("several models need an output folder, not '%s': -o DIR", out);
    else if (estimate != NULL && strcmp(estimate, "1") == 0)
        terminal_error("--estimate is for one model");
    else if (format != NULL && strcmp(format, "glb") != 0)
        terminal_error("--format %s is for one model", format);
    else
        return STATUS_DONE;
    return STATUS_USAGE;
}

/* Refuses an output folder that is one of the folders to convert: the next run would find its own files there. */
static int check_out(const struct folder *folder)
{
    const struct pass *pass = &folder->pass;
    char out[PATH_MAX];
    size_t rest;
    if (!pass->connected.session.is_private || realpath(pass->out, out) == NULL ||
        !path_is_beneath(pass->connected.session.folder, out, &rest))
        return STATUS_DONE;
    for (size_t i = 0; i < folder->path_count; i++) {
        const struct path_argument *argument = &pass->connected.paths.arguments[i];
        if (argument->kind == PATH_FOLDER && strcmp(argument->path, out + rest) == 0) {
            terminal_error(
                "the output folder %s is the folder of the models; choose another one, such as a folder in it",
                pass->out);
            return STATUS_USAGE;
        }
    }
    return STATUS_DONE;
}

/* Adds the hash of a file whose clips all outputs have. Returns the same as connection_status(). */
static int add_clip_hash(struct pass *pass, const char *path, struct text *options)
{
    cJSON *model;
    const int rc = connection_request_json(&pass->connected.connection, "model", path, "", NULL, &model);
    if (rc != 0)
        return connection_status(&pass->connected.connection, rc);
    text_printf(options, " %s", member_text(model, "hash"));
    cJSON_Delete(model);
    return STATUS_DONE;
}

/* Sets everything but the model that outputs depend on, as text to compare, after the server has checked it. */
static char *print_body(const struct folder *folder, size_t file_count)
{
    cJSON *json = convert_clips_body(folder->clips, &folder->pass.connected.paths, 0, file_count);
    char *body = json == NULL ? NULL : cJSON_PrintUnformatted(json);
    cJSON_Delete(json);
    return body;
}

/* Sets everything but the model that outputs depend on, as text to compare, after the server has checked it. */
static int set_options(struct folder *folder)
{
    struct pass *pass = &folder->pass;
    const struct args *args = pass->args;
    const size_t count = folder->clips->file_count;
    char *body = print_body(folder, count),
         *some = print_body(folder, count > CONVERT_FILES_MAX ? CONVERT_FILES_MAX : count);
    struct text options = {0};
    convert_request_put_query(args, NULL, &options);
    int status = pass_check_parameters(pass, "export", options.at, some);
    text_printf(&options, " %s", body == NULL ? "" : body);
    for (size_t i = 0; i < count && status == STATUS_DONE; i++)
        status = add_clip_hash(pass, convert_clips_path(folder->clips, &pass->connected.paths, i), &options);
    for (size_t i = 0; i < args->parameter_count && status == STATUS_DONE; i++)
        if (strcmp(args->parameters[i].name, "clip_file") == 0)
            status = add_clip_hash(pass, args->parameters[i].value, &options);
    pass->options = options.at;
    free(body);
    free(some);
    return status;
}

int convert_folder(const struct convert_clips *clips)
{
    const struct args *args = &clips->args;
    struct folder folder = {.clips = clips, .path_count = args->positional_count - clips->file_count};
    struct pass *pass = &folder.pass;
    int status = pass_check(pass, args, &FILES, args_text(args, OPTION_FILE, NULL));
    pass->context = &folder;
    if (status == STATUS_DONE)
        status = check(args);
    if (status == STATUS_DONE)
        status = pass_connect(pass, args);
    if (status == STATUS_DONE && folder.path_count == 1)
        path_argument_name_outputs(&pass->connected.paths.arguments[0]);
    if (status == STATUS_DONE)
        status = check_out(&folder);
    if (status == STATUS_DONE)
        status = set_options(&folder);
    if (status == STATUS_DONE)
        status = pass_open(pass);
    if (status == STATUS_DONE)
        status = pass_run(pass);
    pass_close(pass);
    return status;
}
