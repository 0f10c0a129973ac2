/* posectl models, formats, version, query: what is asked of a server instead of a model. */
#include "clients/cli/ask/commands.h"
#include "clients/cli/ask/command_context.h"
#include "clients/cli/output/output.h"
#include "clients/cli/output/terminal.h"

#include <cjson/cJSON.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { FILE_PIECE_BYTES = 1 << 16 };

static const cJSON *get(const cJSON *json, const char *name) { return cJSON_GetObjectItemCaseSensitive(json, name); }
static const char *text_of(const cJSON *json, const char *name)
{
    const char *text = cJSON_GetStringValue(get(json, name));
    return text == NULL ? "" : text;
}

/* --- models --- */

static void put_model(struct text *out, const cJSON *entry)
{
    const cJSON *error = get(entry, "error");
    const bool is_failed = cJSON_IsObject(error);
    text_put(out, is_failed ? colour(COLOUR_RED) : "");
    text_put_column(out, text_of(entry, "state"), 10);
    text_put(out, is_failed ? colour(COLOUR_NONE) : "");
    text_printf(out, "%11.0f  ", cJSON_GetNumberValue(get(entry, "bytes")));
    text_put_column(out, text_of(entry, "modified"), 22);
    text_put_printable(out, text_of(entry, "model"));
    if (is_failed) {
        text_printf(out, "  %s: ", text_of(error, "code"));
        text_put_printable(out, text_of(error, "message"));
    }
    text_put(out, "\n");
}

/* One page behind the model `after`, for people or as it is. The page's last model is in `after` then, "" behind the
 * last page. */
static int list_page(struct command_context *one, const struct args *args, bool is_raw, struct text *after,
                     struct text *out)
{
    struct posed_packet answer;
    struct text target = {0}, query = {0};
    if (one->model != NULL && one->model[0] != '\0') {
        text_put(&query, "&prefix=");
        text_put_url(&query, one->model);
        text_put(&query, "/");
    }
    args_put_query(args, &query);
    if (after->size_bytes > 0) {
        text_put(&query, "&after=");
        text_put_url(&query, after->at);
    }
    text_printf(&target, "/v1/models%s%s", query.size_bytes == 0 ? "" : "?", query.size_bytes == 0 ? "" : query.at + 1);
    const int status = connection_request_or_report(&one->link, target.at, NULL, &answer);
    text_free(&target);
    text_free(&query);
    text_free(after);
    if (status != STATUS_DONE)
        return status;
    cJSON *json = cJSON_ParseWithLength((const char *)answer.data, answer.data_bytes);
    const cJSON *entry;
    if (is_raw)
        text_put_bytes(out, (const char *)answer.data, answer.data_bytes);
    else
        cJSON_ArrayForEach(entry, get(json, "models")) put_model(out, entry);
    text_put(after, text_of(json, "next"));
    cJSON_Delete(json);
    return STATUS_DONE;
}

static int run_models(struct command_context *one, const struct args *args, bool is_raw, struct text *out)
{
    const bool is_one_page = args_parameter(args, "limit") != NULL || args_parameter(args, "after") != NULL;
    struct text after = {0};
    int status;
    do
        status = list_page(one, args, is_raw, &after, out);
    while (status == STATUS_DONE && after.size_bytes > 0 && !is_one_page && !is_interrupted());
    if (status == STATUS_DONE && out->size_bytes == 0)
        terminal_info("there are no models");
    text_free(&after);
    return status;
}

/* --- formats, version --- */

static void put_formats(struct text *out, const cJSON *json)
{
    const cJSON *format;
    cJSON_ArrayForEach(format, get(json, "formats"))
    {
        text_put_column(out, text_of(format, "ending"), 9);
        text_put_column(out, text_of(format, "name"), 35);
        text_put_printable(out, text_of(format, "fidelity"));
        text_put(out, "\n");
    }
}

static void put_version(struct text *out, const cJSON *json)
{
    const cJSON *entry;
    cJSON_ArrayForEach(entry, json)
    {
        text_put_column(out, entry->string, 10);
        if (cJSON_IsNumber(entry))
            text_printf(out, "%g", entry->valuedouble);
        else
            text_put_printable(out, cJSON_IsString(entry) ? entry->valuestring : "-");
        text_put(out, "\n");
    }
}

static int run_plain(struct command_context *one, const struct args *args, bool is_raw, struct text *out)
{
    struct posed_packet answer;
    struct text target = {0};
    text_printf(&target, "/v1/%s", COMMANDS[args->command].name);
    const int status = connection_request_or_report(&one->link, target.at, NULL, &answer);
    text_free(&target);
    if (status != STATUS_DONE)
        return status;
    if (is_raw) {
        text_put_bytes(out, (const char *)answer.data, answer.data_bytes);
        return STATUS_DONE;
    }
    cJSON *json = cJSON_ParseWithLength((const char *)answer.data, answer.data_bytes);
    if (args->command == COMMAND_FORMATS)
        put_formats(out, json);
    else
        put_version(out, json);
    cJSON_Delete(json);
    return STATUS_DONE;
}

/* --- query --- */

static int read_queries(const char *name, struct text *out)
{
    const bool is_stdin = strcmp(name, "-") == 0;
    FILE *file = is_stdin ? stdin : fopen(name, "rb");
    char piece[FILE_PIECE_BYTES];
    size_t size = 0;
    while (file != NULL && (size = fread(piece, 1, sizeof piece, file)) > 0)
        text_put_bytes(out, piece, size);
    const bool is_bad = file == NULL || ferror(file);
    if (is_bad)
        terminal_error("cannot read %s: %s", is_stdin ? "stdin" : name, strerror(errno));
    if (file != NULL && !is_stdin)
        fclose(file);
    return is_bad ? STATUS_USAGE : STATUS_DONE;
}

/* What failed, on stderr too: the answer as a whole is one that succeeded. */
static int complain_of_results(const struct posed_packet *answer)
{
    cJSON *json = cJSON_ParseWithLength((const char *)answer->data, answer->data_bytes);
    const cJSON *result;
    int i = 0, status = STATUS_DONE;
    cJSON_ArrayForEach(result, get(json, "results"))
    {
        const cJSON *error = get(result, "error");
        if (cJSON_IsObject(error)) {
            terminal_error("query %d: %s: %s", i, text_of(error, "code"), text_of(error, "message"));
            status = STATUS_FAILED;
        }
        i++;
    }
    cJSON_Delete(json);
    return status;
}

static int run_query(struct command_context *one, const struct args *args, struct text *out)
{
    struct posed_packet answer;
    struct text body = {0};
    int status = read_queries(args->positional_count == 0 ? "-" : args->positional[0], &body);
    if (status == STATUS_DONE)
        status = connection_request_or_report(&one->link, "/v1/query", body.at == NULL ? "" : body.at, &answer);
    if (status == STATUS_DONE) {
        text_put_bytes(out, (const char *)answer.data, answer.data_bytes);
        status = complain_of_results(&answer);
    }
    text_free(&body);
    return status;
}

/* --- all --- */

static bool has_too_many(const struct args *args)
{
    const struct command *command = &COMMANDS[args->command];
    const size_t most = command->arguments[0] == '\0' ? 0 : 1;
    if (args->positional_count <= most)
        return false;
    terminal_error("'%s' is too much: posectl %s %s", args->positional[most], command->name, command->arguments);
    return true;
}

int run_server_command(const struct args *args)
{
    const bool is_raw = terminal.is_json || args_has(args, OPTION_FILE);
    struct command_context one;
    struct text out = {0};
    if (has_too_many(args))
        return STATUS_USAGE;
    if (args->command == COMMAND_QUERY && args->positional_count == 0 && isatty(STDIN_FILENO)) {
        terminal_error("say which file has the queries, or - for stdin: posectl query FILE");
        return STATUS_USAGE;
    }
    int status = context_open_server(&one, args);
    if (status == STATUS_DONE)
        status = args->command == COMMAND_MODELS  ? run_models(&one, args, is_raw, &out)
                 : args->command == COMMAND_QUERY ? run_query(&one, args, &out)
                                                  : run_plain(&one, args, is_raw, &out);
    if (out.size_bytes > 0) {
        const int given = output_give(args_text(args, OPTION_FILE, "-"), out.at, out.size_bytes);
        status = given > status ? given : status;
    }
    text_free(&out);
    context_close(&one);
    return status;
}
