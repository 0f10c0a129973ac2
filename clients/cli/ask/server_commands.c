/* posectl models, formats, version, query: the commands about a server, not about one model. */
#include "clients/cli/command_line/commands.h"
#include "clients/cli/output/json.h"
#include "clients/cli/output/output.h"
#include "clients/cli/output/terminal.h"
#include "clients/cli/server/command_context.h"
#include "clients/cli/server/model_list.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { FILE_PIECE_BYTES = 1 << 16 };

/* Collects the output: raw answers, or text for people. */
struct output {
    bool is_raw;
    struct text text;
};

/* --- models --- */

static void put_model(struct text *out, const cJSON *entry)
{
    const cJSON *error = json_error(entry);
    text_put(out, error != NULL ? colour(COLOUR_RED) : "");
    text_put_column(out, member_text(entry, "state"), 10);
    text_put(out, error != NULL ? colour(COLOUR_NONE) : "");
    text_printf(out, "%11.0f  ", member_number(entry, "bytes"));
    text_put_column(out, member_text(entry, "modified"), 22);
    text_put_printable(out, member_text(entry, "model"));
    if (error != NULL) {
        text_put(out, "  ");
        text_put_printable(out, member_text(error, "code"));
        text_put(out, ": ");
        text_put_printable(out, member_text(error, "message"));
    }
    text_put(out, "\n");
}

static void put_page(void *context, const struct posed_packet *answer, const cJSON *page)
{
    struct output *out = context;
    const cJSON *entry;
    if (out->is_raw)
        text_put_json(&out->text, (const char *)answer->data, answer->data_bytes);
    else
        cJSON_ArrayForEach(entry, json_get(page, "models")) put_model(&out->text, entry);
}

static int run_models(struct command_context *context, const struct args *args, struct output *out)
{
    const bool is_one_page = args_parameter(args, "limit") != NULL || args_parameter(args, "after") != NULL;
    struct text query = {0};
    text_put(&query, "");
    if (context->paths.count > 0 && context->paths.arguments[0].path[0] != '\0') {
        text_put(&query, "&prefix=");
        text_put_url(&query, context->paths.arguments[0].path);
        text_put(&query, "/");
    }
    args_put_query(args, &query);
    const int status = model_list_pages(&context->connection, query.at, is_one_page, put_page, out);
    if (status == STATUS_DONE && out->text.size_bytes == 0)
        terminal_info("there are no models");
    text_free(&query);
    return status;
}

/* --- formats, version --- */

static void put_formats(struct text *out, const cJSON *json)
{
    const cJSON *format;
    cJSON_ArrayForEach(format, json_get(json, "formats"))
    {
        text_put_column(out, member_text(format, "ending"), 9);
        text_put_column(out, member_text(format, "name"), 35);
        text_put_printable(out, member_text(format, "fidelity"));
        text_put(out, "\n");
    }
}

static void put_version(struct text *out, const cJSON *json)
{
    const cJSON *entry;
    size_t columns = 0; /* a newer server may send members that this posectl does not know */
    cJSON_ArrayForEach(entry, json)
    {
        const size_t needed = text_columns(entry->string) + 2;
        columns = needed > columns ? needed : columns;
    }
    cJSON_ArrayForEach(entry, json)
    {
        text_put_column(out, entry->string, columns);
        if (cJSON_IsNumber(entry))
            text_printf(out, "%g", entry->valuedouble);
        else
            text_put_printable(out, cJSON_IsString(entry) ? entry->valuestring : "-");
        text_put(out, "\n");
    }
}

static int run_plain(struct command_context *context, const struct args *args, struct output *out)
{
    struct posed_packet answer;
    cJSON *json = NULL;
    int rc = connection_request(&context->connection, args->command == COMMAND_FORMATS ? "/v1/formats" : "/v1/version",
                                NULL, &answer);
    if (rc == 0)
        rc = connection_read_json(&context->connection, &answer, &json);
    if (rc != 0)
        return connection_status(&context->connection, rc);
    if (out->is_raw)
        text_put_json(&out->text, (const char *)answer.data, answer.data_bytes);
    else if (args->command == COMMAND_FORMATS)
        put_formats(&out->text, json);
    else
        put_version(&out->text, json);
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

/* Reports failed queries on stderr too: the answer as a whole has succeeded. */
static int report_results(struct connection *connection, const struct posed_packet *answer)
{
    cJSON *json;
    const cJSON *result;
    int i = 0, status = connection_status(connection, connection_read_json(connection, answer, &json));
    cJSON_ArrayForEach(result, json_get(json, "results"))
    {
        const cJSON *error = json_error(result);
        if (error != NULL) {
            terminal_error("query %d: %s: %s", i, member_text(error, "code"), member_text(error, "message"));
            status = STATUS_FAILED;
        }
        i++;
    }
    cJSON_Delete(json);
    return status;
}

static int run_query(struct command_context *context, const struct args *args, struct output *out)
{
    struct posed_packet answer;
    struct text body = {0};
    text_put(&body, "");
    int status = read_queries(args->positional_count == 0 ? "-" : args->positional[0], &body);
    if (status == STATUS_DONE)
        status = connection_status(&context->connection,
                                   connection_request(&context->connection, "/v1/query", body.at, &answer));
    if (status == STATUS_DONE) {
        text_put_json(&out->text, (const char *)answer.data, answer.data_bytes);
        status = report_results(&context->connection, &answer);
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
    terminal_error("unexpected argument '%s'; usage: posectl %s %s", args->positional[most], command->name,
                   command->arguments);
    return true;
}

int run_server_command(const struct args *args)
{
    struct command_context context = {0};
    struct output out = {.is_raw = terminal.is_json || args_has(args, OPTION_FILE)};
    if (has_too_many(args))
        return STATUS_USAGE;
    if (args->command == COMMAND_QUERY && args->positional_count == 0 && isatty(STDIN_FILENO)) {
        terminal_error("missing FILE with the queries, - for stdin; usage: posectl query FILE");
        return STATUS_USAGE;
    }
    int status = context_open_server(&context, args);
    if (status == STATUS_DONE)
        status = args->command == COMMAND_MODELS  ? run_models(&context, args, &out)
                 : args->command == COMMAND_QUERY ? run_query(&context, args, &out)
                                                  : run_plain(&context, args, &out);
    if (out.text.size_bytes > 0) {
        const int given = output_give(args_text(args, OPTION_FILE, "-"), out.text.at, out.text.size_bytes);
        status = given > status ? given : status;
    }
    text_free(&out.text);
    context_close(&context);
    return status;
}
