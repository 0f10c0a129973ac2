#include "clients/cli/ask/picture_warnings.h"

#include "clients/cli/output/json.h"
#include "clients/cli/output/terminal.h"

#include <stdlib.h>
#include <string.h>

/* The parameters of pictures on which warnings about clip files depend. */
static const char *const KEPT[] = {"hash", "clip",     "clip_name", "clip_hash",  "rename_joints", "retarget", "feet",
                                   "map",  "clip_map", "bones",     "clip_bones", "clip_rest",     "layers"};

/* What has been printed: a warning about several clips of a file is one. */
struct told {
    struct text *lines;
    size_t count;
};

static void tell(struct told *told, const cJSON *file, const cJSON *warning)
{
    struct text line = {0};
    text_printf(&line, "warning: %s: %s: ", member_text(warning, "code"), member_text(file, "model"));
    text_put_printable(&line, member_text(warning, "message"));
    for (size_t i = 0; i < told->count; i++)
        if (strcmp(told->lines[i].at, line.at) == 0) {
            text_free(&line);
            return;
        }
    terminal_info("%s", line.at);
    told->lines = must_grow(told->lines, (told->count + 1) * sizeof *told->lines);
    told->lines[told->count++] = line;
}

static void tell_all(struct told *told, const cJSON *file)
{
    const cJSON *warning;
    cJSON_ArrayForEach(warning, json_get(file, "warnings")) tell(told, file, warning);
}

/* Returns the arguments with the kept parameters only. The caller frees its parameters. */
static struct args kept_of(const struct args *args)
{
    struct args kept = *args;
    kept.parameters = must_alloc((args->parameter_count + 1) * sizeof *kept.parameters);
    kept.parameter_count = kept.repeated_count = 0;
    for (size_t i = 0; i < args->parameter_count; i++)
        for (size_t k = 0; k < sizeof KEPT / sizeof *KEPT; k++)
            if (strcmp(args->parameters[i].name, KEPT[k]) == 0)
                kept.parameters[kept.parameter_count++] = args->parameters[i];
    return kept;
}

/* Asks for a pose, of which only the warnings count. more: the rest of the query. */
static void ask(struct told *told, const struct args *args, struct connection *connection, const char *model,
                const char *more)
{
    struct args kept = kept_of(args);
    struct text query = {0}, body = {0};
    const cJSON *layer;
    cJSON *answer = NULL;
    text_put(&query, more);
    text_put(&query, "&t=0&joints=0");
    args_put_query(&kept, &query);
    const char *posted = args_put_body(&kept, &body) ? body.at : NULL;
    if (connection_request_json(connection, "pose", model, query.at, posted, &answer) == 0) {
        tell_all(told, json_get(answer, "clip_file"));
        cJSON_ArrayForEach(layer, json_get(answer, "layers")) tell_all(told, json_get(layer, "clip_file"));
    }
    cJSON_Delete(answer);
    free(kept.parameters);
    text_free(&body);
    text_free(&query);
}

/* Asks about a clip file: about the clip that is named, or those that the picture shows without a name. */
static void ask_about(struct told *told, const struct args *args, struct connection *connection, const char *model,
                      const char *file)
{
    const bool has_all = args_parameter(args, "clips") != NULL;
    const bool is_named = args_parameter(args, "clip") != NULL || args_parameter(args, "clip_name") != NULL;
    cJSON *described = NULL;
    int first = 0, end = 1;
    if (!is_named && connection_request_json(connection, "model", file, "", NULL, &described) < 0)
        return;
    if (!is_named) {
        first = has_all ? 0 : member_index(described, "usual_clip");
        end = has_all ? cJSON_GetArraySize(json_get(described, "clips")) : first + 1;
    }
    cJSON_Delete(described);
    for (int clip = first < 0 ? 0 : first; clip < end; clip++) {
        struct text more = {0};
        text_put(&more, "&clip_file=");
        text_put_url(&more, file);
        if (!is_named)
            text_printf(&more, "&clip=%d", clip);
        ask(told, args, connection, model, more.at);
        text_free(&more);
    }
}

void picture_warnings_print(const struct args *args, struct connection *connection, const char *model)
{
    struct told told = {0};
    for (size_t i = 0; i < args->parameter_count; i++)
        if (strcmp(args->parameters[i].name, "clip_file") == 0)
            ask_about(&told, args, connection, model, args->parameters[i].value);
    if (args_parameter(args, "layers") != NULL)
        ask(&told, args, connection, model, "");
    for (size_t i = 0; i < told.count; i++)
        text_free(&told.lines[i]);
    free(told.lines);
}
