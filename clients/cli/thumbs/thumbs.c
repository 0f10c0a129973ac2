/* posectl thumbs: runs a pass over all models. watch uses the steps of a pass too. */
#include "clients/cli/thumbs/thumbs.h"

#include "clients/cli/command_line/commands.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Sets everything that the pictures depend on, as the rest of a query and as text to compare. */
static int set_options(struct thumbs *thumbs)
{
    const struct args *args = thumbs->pass.args;
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
    thumbs->pass.options = options.at;
    text_free(&query);
    return STATUS_DONE;
}

static const struct pass_kind PICTURES = {
    .manifest = "manifest.jsonl", .outputs = "pictures", .done = "drawn", .has_many = true, .make = thumbs_make};

int thumbs_open(struct thumbs *thumbs, const struct args *args)
{
    struct pass *pass = &thumbs->pass;
    *thumbs = (struct thumbs){.parameters = NULL};
    int status = pass_check(pass, args, &PICTURES, args_text(args, OPTION_OUT, NULL));
    pass->context = thumbs;
    if (status == STATUS_DONE)
        status = set_options(thumbs);
    if (status == STATUS_DONE)
        status = pass_connect(pass, args);
    if (status == STATUS_DONE)
        status = pass_check_parameters(pass, "render", thumbs->parameters, thumbs->body);
    return status == STATUS_DONE ? pass_open(pass) : status;
}

/* Rewrites the gallery after a pass that ended with `status`, if there is one or is to be one. */
static int update_gallery(struct thumbs *thumbs, int status)
{
    if (status > STATUS_FAILED || (!args_has(thumbs->pass.args, OPTION_INDEX) && !gallery_is_there(thumbs)))
        return status;
    const int written = gallery_write(thumbs);
    return written == STATUS_DONE ? status : written;
}

int thumbs_finish(struct thumbs *thumbs, int status, bool has_changed)
{
    status = pass_finish(&thumbs->pass, status);
    return has_changed ? update_gallery(thumbs, status) : status;
}

int thumbs_pass(struct thumbs *thumbs) { return update_gallery(thumbs, pass_run(&thumbs->pass)); }

void thumbs_close(struct thumbs *thumbs)
{
    pass_close(&thumbs->pass);
    free(thumbs->parameters);
    free(thumbs->body);
}

/* Returns whether --clips matches no clip of any model. That is an error: the run has not done what it was asked for.
 */
static bool has_no_clip(const struct thumbs *thumbs)
{
    const cJSON *picture;
    for (size_t i = 0; i < thumbs->pass.models.count; i++)
        cJSON_ArrayForEach(
            picture, json_get(manifest_find(&thumbs->pass.manifest, thumbs->pass.models.items[i].model), "pictures"))
        {
            if (member_text(picture, "clip")[0] != '\0')
                return false;
        }
    return thumbs->pass.progress.counts[OUTCOME_UNMATCHED] > 0 && !is_interrupted() &&
           !args_has(thumbs->pass.args, OPTION_SHARD); /* another shard may have some */
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
