#include "clients/cli/bake/bake_folder.h"

#include <stdlib.h>
#include <string.h>

struct folder {
    struct pass pass;
    size_t path_count;
    struct bake_onto onto; /* .model NULL: none */
};

static int clip_count_of(const cJSON *about) { return cJSON_GetArraySize(json_get(about, "clips")); }

/* --- the list --- */

/* Removes the model of --onto if it has no clips: it lies among the files whose clips move it. */
static int leave_out_target(struct pass *pass)
{
    const struct folder *folder = pass->context;
    struct model_list *models = &pass->models;
    size_t kept = 0;
    for (size_t i = 0; i < models->count; i++)
        if (folder->onto.model != NULL && clip_count_of(folder->onto.about) == 0 &&
            strcmp(models->items[i].source, folder->onto.model) == 0)
            model_list_free_item(&models->items[i]);
        else
            models->items[kept++] = models->items[i];
    models->count = kept;
    return STATUS_DONE;
}

/* A pass_kind.list. */
static int list(struct pass *pass)
{
    const struct folder *folder = pass->context;
    return pass_many_list(pass, folder->path_count, ".npz", leave_out_target);
}

/* --- a model --- */

static int sample(struct bake *bake, cJSON *warnings)
{
    int status = bake_find_items(bake);
    if (status == STATUS_DONE)
        status = bake_sample(bake);
    if (status == STATUS_DONE && !is_interrupted())
        status = bake_add_warnings(bake, warnings);
    if (status == STATUS_DONE && is_interrupted())
        status = bake_refuse(bake, bake->clip_file, "interrupted", "interrupted");
    return status;
}

/* A pass_kind.make. */
static int make(struct pass *pass, struct connection *connection, size_t index, const cJSON *model, cJSON *entry,
                struct text *problem)
{
    const struct folder *folder = pass->context;
    const struct listed_model *item = &pass->models.items[index];
    struct bake bake = {.args = pass->args,
                        .connection = connection,
                        .model = item->source,
                        .clip_file = item->source,
                        .about = model,
                        .clip_about = model,
                        .problem = problem};
    struct text bytes = {0};
    if (folder->onto.model != NULL)
        bake_play_onto(&bake, &folder->onto);
    int status = bake_find_clips(&bake);
    const bool is_unmatched = bake.clip_count == 0 && (bake.onto == NULL || clip_count_of(model) > 0);
    if (status == STATUS_DONE)
        status = sample(&bake, cJSON_AddArrayToObject(entry, "warnings"));
    if (status == STATUS_DONE) {
        bake_put_npz(&bake, &bytes);
        cJSON *output = pass_write(pass, entry, item->out, bytes.at, bytes.size_bytes, problem);
        status = output == NULL ? STATUS_FAILED : STATUS_DONE;
        if (output != NULL)
            bake_index_describe(&bake, output);
    } else if (is_unmatched) {
        cJSON_AddTrueToObject(entry, "unmatched");
        status = STATUS_DONE;
    } else if (bake.code != NULL) {
        cJSON_AddStringToObject(entry, "code", bake.code);
    }
    const int rc = status == STATUS_DONE ? 0 : bake.rc != 0 ? bake.rc : PASS_FAILED;
    text_free(&bytes);
    bake_free(&bake);
    return rc;
}

/* --- the command --- */

static const struct pass_kind TABLES = {.manifest = "bake.jsonl",
                                        .outputs = "tables",
                                        .done = "baked",
                                        .list = list,
                                        .make = make,
                                        .list_name = "index",
                                        .list_file = BAKE_INDEX};

static int open_onto(struct folder *folder)
{
    struct pass *pass = &folder->pass;
    const struct path_argument *argument = &pass->connected.paths.arguments[folder->path_count];
    if (pass->connected.paths.count == folder->path_count)
        return STATUS_DONE;
    if (argument->kind != PATH_MODEL) {
        terminal_error("--onto takes a model, not '%s'", args_text(pass->args, OPTION_ONTO, ""));
        return STATUS_USAGE;
    }
    return bake_onto_open(&folder->onto, pass->args, &pass->connected.connection, argument->path);
}

/* Reports a parameter that the server refuses once, and not for each model. */
static int check_parameters(struct folder *folder)
{
    struct text query = {0}, body = {0};
    if (folder->onto.model == NULL)
        return STATUS_DONE;
    text_printf(&query, "&clip_file=.posectl/none.glb%s", folder->onto.query);
    text_printf(&body, "{%s\"t\":[0]}", folder->onto.members);
    const int status = pass_check_parameters(&folder->pass, "pose", query.at, body.at);
    text_free(&query);
    text_free(&body);
    return status;
}

/* Sets everything but the model that tables depend on, as text to compare. */
static void set_options(struct folder *folder)
{
    static const enum option_id OF_TABLES[] = {OPTION_BAKE_FPS, OPTION_BAKE_CLIPS, OPTION_BAKE_JOINTS, OPTION_SOCKET,
                                               OPTION_VALUES};
    const struct args *args = folder->pass.args;
    struct text options = {0};
    text_put(&options, "npz");
    for (size_t i = 0; i < args->repeated_count; i++)
        for (size_t k = 0; k < sizeof OF_TABLES / sizeof *OF_TABLES; k++)
            if (args->repeated[i].option == (int)OF_TABLES[k])
                text_printf(&options, " --%s %s", OPTIONS[OF_TABLES[k]].name, args->repeated[i].value);
    if (folder->onto.model != NULL)
        text_printf(&options, " --onto %s %s %s %s", folder->onto.model, member_text(folder->onto.about, "hash"),
                    folder->onto.query, folder->onto.members);
    folder->pass.options = options.at;
}

static int run(struct folder *folder)
{
    struct pass *pass = &folder->pass;
    int status = pass_run(pass);
    if (status > STATUS_FAILED)
        return status;
    if (pass_matches_no_clip(pass)) { /* the run has not done what it was asked for */
        terminal_error("--clips '%s' matches no clip of any model", args_text(pass->args, OPTION_BAKE_CLIPS, ""));
        status = STATUS_FAILED;
    }
    const int written = bake_index_write(pass);
    return written == STATUS_DONE ? status : written;
}

int bake_folder(const struct args *args, size_t path_count)
{
    struct folder folder = {.path_count = path_count};
    struct pass *pass = &folder.pass;
    int status = pass_check(pass, args, &TABLES, args_text(args, OPTION_FILE, NULL));
    pass->context = &folder;
    if (status == STATUS_DONE)
        status = pass_connect(pass, args);
    if (status == STATUS_DONE && path_count == 1)
        path_argument_name_outputs(&pass->connected.paths.arguments[0]);
    if (status == STATUS_DONE)
        status = pass_many_check_out(pass, path_count);
    if (status == STATUS_DONE)
        status = open_onto(&folder);
    if (status == STATUS_DONE)
        status = check_parameters(&folder);
    if (status == STATUS_DONE) {
        set_options(&folder);
        status = pass_open(pass);
    }
    if (status == STATUS_DONE)
        status = run(&folder);
    pass_close(pass);
    bake_onto_close(&folder.onto);
    return status;
}
