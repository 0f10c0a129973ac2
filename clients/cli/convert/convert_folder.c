#include "clients/cli/convert/convert_folder.h"

#include "clients/cli/convert/convert_report.h"
#include "clients/cli/convert/convert_request.h"
#include "clients/cli/convert/glb_join.h"
#include "clients/cli/pass/pass_many.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

struct folder {
    struct pass pass;
    const struct convert_clips *clips;
    size_t path_count;  /* arguments that are models and folders; clip files follow them */
    char out[PATH_MAX]; /* the output folder without links; "": it does not exist yet */
};

static bool ends_with(const char *text, const char *end)
{
    const size_t size = strlen(text), end_bytes = strlen(end);
    return size >= end_bytes && strcasecmp(text + size - end_bytes, end) == 0;
}

bool convert_is_of_folder(const struct args *args)
{
    const char *out = args_text(args, OPTION_FILE, "");
    return pass_many_is_meant(args) || ends_with(out, "/") || pass_many_is_folder(out);
}

/* --- the list --- */

/* Removes models in the output folder, which an earlier run wrote, if that folder is within one of the arguments.
 * Returns 0, or STATUS_USAGE after printing that nothing is left. */
static int leave_out_outputs(struct pass *pass)
{
    struct folder *folder = pass->context;
    struct model_list *models = &pass->models;
    const char *root = pass->connected.session.folder;
    size_t kept = 0, rest, out_start = 0;
    bool is_inside = false;
    if (realpath(pass->out, folder->out) == NULL)
        folder->out[0] = '\0';
    if (folder->out[0] == '\0' || !pass->connected.session.is_private)
        return STATUS_DONE;
    for (size_t i = 0; i < folder->path_count; i++) {
        const struct path_argument *argument = &pass->connected.paths.arguments[i];
        is_inside |=
            argument->kind != PATH_MODEL && path_is_beneath(root, folder->out, &out_start) &&
            path_is_beneath(argument->kind == PATH_FOLDER ? argument->path : "", folder->out + out_start, &rest);
    }
    for (size_t i = 0; i < models->count; i++)
        if (is_inside && path_is_beneath(folder->out + out_start, models->items[i].model, &rest))
            model_list_free_item(&models->items[i]);
        else
            models->items[kept++] = models->items[i];
    const bool is_nothing_left = models->count > 0 && kept == 0;
    models->count = kept;
    if (is_nothing_left)
        terminal_error("all models lie in the output folder %s, whose models are not converted", pass->out);
    return is_nothing_left ? STATUS_USAGE : STATUS_DONE;
}

/* A pass_kind.list. */
static int list(struct pass *pass)
{
    const struct folder *folder = pass->context;
    return pass_many_list(pass, folder->path_count, ".glb", leave_out_outputs);
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
    if (strcmp(out, "-") == 0 || (ends_with(out, ".glb") && !pass_many_is_folder(out)))
        terminal_error("several models need an output folder, not '%s': -o DIR", out);
    else if (estimate != NULL && strcmp(estimate, "1") == 0)
        terminal_error("--estimate is for one model");
    else if (format != NULL && strcmp(format, "glb") != 0)
        terminal_error("--format %s is for one model", format);
    else
        return STATUS_DONE;
    return STATUS_USAGE;
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
        status = pass_many_check_out(pass, folder.path_count);
    if (status == STATUS_DONE)
        status = set_options(&folder);
    if (status == STATUS_DONE)
        status = pass_open(pass);
    if (status == STATUS_DONE)
        status = pass_run(pass);
    pass_close(pass);
    return status;
}
