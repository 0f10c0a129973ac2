/* posectl thumbs: runs a pass over all models. watch uses the steps of a pass too. */
#include "clients/cli/thumbs/thumbs.h"

#include "clients/cli/command_line/commands.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Sets everything that the pictures depend on, as the rest of a query and as text to compare. */
static int set_options(struct thumbs *thumbs)
{
    const struct args *args = thumbs->args;
    struct text query = {0}, body = {0}, options = {0};
    const char *clips = args_text(args, OPTION_CLIPS, "first");
    if (strcmp(clips, "first") != 0 &&
        (args_parameter(args, "clip") != NULL || args_parameter(args, "clip_name") != NULL)) {
        terminal_error("--clips and --clip contradict each other");
        return STATUS_USAGE;
    }
    args_put_query(args, &query);
    const double size = args_number(args, OPTION_SIZE, 256);
    if (args_parameter(args, "width") == NULL)
        text_printf(&query, "&width=%.0f", size);
    if (args_parameter(args, "height") == NULL)
        text_printf(&query, "&height=%.0f", size);
    const char *format = args_text(args, OPTION_PICTURE_FORMAT, "png");
    if (strcmp(format, "png") != 0)
        text_printf(&query, "&format=%s", format);
    thumbs->extension = strcmp(format, "jpeg") == 0 ? "jpg" : format;
    thumbs->parameters = must_copy(query.at);
    thumbs->has_side = thumbs_has_side(args);
    thumbs->body = args_put_body(args, &body) ? body.at : NULL;
    text_printf(&options, "%s %s %s", thumbs->parameters, clips, thumbs->body == NULL ? "" : thumbs->body);
    thumbs->options = options.at;
    text_free(&query);
    return STATUS_DONE;
}

/* --prune: removes models that are not part of this run from the manifest, with their pictures. */
static void prune(struct thumbs *thumbs)
{
    for (size_t i = thumbs->manifest.count; i-- > 0 && args_has(thumbs->args, OPTION_PRUNE);) {
        const cJSON *entry = thumbs->manifest.entries[i];
        bool is_there = false;
        for (size_t k = 0; k < thumbs->models.count && !is_there; k++)
            is_there = strcmp(thumbs->models.items[k].model, member_text(entry, "model")) == 0;
        if (is_there)
            continue;
        cJSON *dropped = manifest_remove(&thumbs->manifest, i);
        thumbs_remove_outdated(thumbs, dropped, NULL);
        terminal_info("removed the pictures of %s", member_text(dropped, "model"));
        cJSON_Delete(dropped);
    }
}

/* Reports a parameter that the server refuses once, as an error of the command line, and not for each model. A request
 * without a model finds it, because the server checks parameters first. */
static int check_parameters(struct thumbs *thumbs)
{
    struct posed_packet answer;
    const int rc = connection_request_model(&thumbs->context.connection, "render", ".posectl/none.glb",
                                            thumbs->parameters, thumbs->body, &answer);
    if (rc == 0 || !connection_blames_command_line(&thumbs->context.connection))
        return STATUS_DONE;
    connection_report_error(&thumbs->context.connection);
    return STATUS_USAGE;
}

int thumbs_open(struct thumbs *thumbs, const struct args *args)
{
    *thumbs = (struct thumbs){
        .args = args, .out = args_text(args, OPTION_OUT, NULL), .progress = {.what = COMMANDS[args->command].name}};
    if (thumbs->out == NULL) {
        terminal_error("missing output folder: -o DIR");
        return STATUS_USAGE;
    }
    if (args_has(args, OPTION_PRUNE) && args_has(args, OPTION_SHARD)) {
        terminal_error("--prune and --shard contradict each other: the other parts' pictures would go");
        return STATUS_USAGE;
    }
    int status = thumbs_check_report(args);
    if (status == STATUS_DONE)
        status = set_options(thumbs);
    if (status == STATUS_DONE)
        status = context_open(&thumbs->context, args, pool_jobs(args));
    thumbs->server = thumbs->context.connection.posed.hello.server;
    if (status == STATUS_DONE)
        status = check_parameters(thumbs);
    if (status == STATUS_DONE)
        failures_open(&thumbs->failures, &thumbs->context.session, thumbs->out);
    return status == STATUS_DONE ? manifest_open(&thumbs->manifest, thumbs->out) : status;
}

int thumbs_draw(struct thumbs *thumbs, const bool *is_due)
{
    bool has_any = is_due == NULL;
    for (size_t i = 0; i < thumbs->models.count && !has_any; i++)
        has_any = is_due[i];
    thumbs->is_due = is_due;
    thumbs->entries = must_alloc((thumbs->models.count + 1) * sizeof(cJSON *));
    thumbs->pictures = 0;
    failures_forget_folders(&thumbs->failures);
    memset(thumbs->progress.counts, 0, sizeof thumbs->progress.counts);
    return !has_any ? STATUS_DONE
                    : pool_run(&thumbs->context.session, pool_jobs(thumbs->args), thumbs->models.count,
                               thumbs_make_model, thumbs, &thumbs->progress);
}

int thumbs_finish(struct thumbs *thumbs, int status, bool has_changed)
{
    if (status == STATUS_DONE && !is_interrupted())
        prune(thumbs);
    if (thumbs->entries != NULL &&
        manifest_merge(&thumbs->manifest, thumbs->entries, thumbs->models.count) != STATUS_DONE)
        status = STATUS_SERVER;
    free(thumbs->entries);
    thumbs->entries = NULL;
    if (status == STATUS_DONE && has_changed && (args_has(thumbs->args, OPTION_INDEX) || gallery_is_there(thumbs)))
        status = gallery_write(thumbs);
    const bool has_failed = thumbs->progress.counts[OUTCOME_FAILED] > 0 || thumbs->models.unread > 0;
    return status == STATUS_DONE && has_failed ? STATUS_FAILED : status;
}

int thumbs_pass(struct thumbs *thumbs)
{
    int status = model_list_read(&thumbs->models, &thumbs->context.paths, thumbs->args, &thumbs->context.connection);
    if (status == STATUS_DONE)
        status = thumbs_draw(thumbs, NULL);
    if (status == STATUS_DONE)
        status = thumbs_report(thumbs);
    return thumbs_finish(thumbs, status, true);
}

void thumbs_close(struct thumbs *thumbs)
{
    model_list_free(&thumbs->models);
    manifest_close(&thumbs->manifest);
    failures_close(&thumbs->failures);
    context_close(&thumbs->context);
    free(thumbs->parameters);
    free(thumbs->options);
    free(thumbs->body);
}

/* Returns whether --clips matches no clip of any model. That is an error: the run has not done what it was asked for.
 */
static bool has_no_clip(const struct thumbs *thumbs)
{
    const cJSON *picture;
    for (size_t i = 0; i < thumbs->models.count; i++)
        cJSON_ArrayForEach(picture,
                           json_get(manifest_find(&thumbs->manifest, thumbs->models.items[i].model), "pictures"))
        {
            if (member_text(picture, "clip")[0] != '\0')
                return false;
        }
    return thumbs->progress.counts[OUTCOME_UNMATCHED] > 0 && !is_interrupted() &&
           !args_has(thumbs->args, OPTION_SHARD); /* another shard may have some */
}

int run_thumbs(const struct args *args)
{
    struct thumbs thumbs;
    int status = thumbs_open(&thumbs, args);
    if (status == STATUS_DONE)
        status = thumbs_pass(&thumbs);
    if (status <= STATUS_FAILED && has_no_clip(&thumbs)) {
        terminal_error("--clips '%s' matches no clip of any model", args_text(args, OPTION_CLIPS, ""));
        status = STATUS_FAILED;
    }
    thumbs_close(&thumbs);
    return status;
}
