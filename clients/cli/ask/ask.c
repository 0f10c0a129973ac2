/* posectl palette, pose, mesh, bounds, keys, render, keypoints, sheet, turntable: sends one request about one model,
 * and prints the answer or writes it into a file. */
#include "clients/cli/server/estimate.h"
#include "clients/cli/ask/numbers.h"
#include "clients/cli/ask/picture_sides.h"
#include "clients/cli/ask/picture_warnings.h"
#include "clients/cli/command_line/commands.h"
#include "clients/cli/output/json.h"
#include "clients/cli/output/output.h"
#include "clients/cli/output/terminal.h"
#include "clients/cli/pose/pose_option.h"
#include "clients/cli/server/command_context.h"
#include "clients/cli/server/long_request.h"
#include "clients/cli/sheet/sheet_request.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

/* --- the format that the extension of -o FILE asks for --- */

/* The format of bounds, which has no parameter format=. */
static const char JSON_ALONE[] = "json";

/* Returns the words of the command's format=, the server's default first. */
static const char *forms_of(const struct command *command)
{
    for (size_t i = 0; i < PARAMETER_COUNT; i++)
        if (strcmp(PARAMETERS[i].name, "format") == 0 && parameter_is_for(&PARAMETERS[i], command))
            return PARAMETERS[i].values;
    return JSON_ALONE;
}

/* Returns the format of that name among the words "png|apng|..", as a static string, or NULL. */
static const char *find_form(const char *forms, const char *name)
{
    static const char *const FORMS[] = {"json", "bin", "glb", "png", "apng", "gif", "webp", "jpeg", "y4m", "npz"};
    const char *word;
    size_t size = 0;
    while ((word = values_next_word(&forms, &size)) != NULL)
        for (size_t i = 0; i < sizeof FORMS / sizeof *FORMS; i++)
            if (strcasecmp(FORMS[i], name) == 0 && strlen(name) == size && strncmp(FORMS[i], word, size) == 0)
                return FORMS[i];
    return NULL;
}

/* Returns whether the extension is a format of any command. */
static bool is_form(const char *extension)
{
    for (int i = 0; i < COMMAND_COUNT; i++)
        if (COMMANDS[i].operation[0] != '\0' && find_form(forms_of(&COMMANDS[i]), extension) != NULL)
            return true;
    return false;
}

static int refuse(const struct args *args, const char *file, const char *forms)
{
    struct text extensions = {0};
    const char *word;
    size_t size = 0;
    while ((word = values_next_word(&forms, &size)) != NULL)
        text_printf(&extensions, "%s.%.*s", extensions.size_bytes == 0 ? "" : ", ", (int)size, word);
    terminal_error("%s writes %s, not '%s'", COMMANDS[args->command].name, extensions.at, file);
    text_free(&extensions);
    return STATUS_USAGE;
}

/* Returns the format of the extension after the dot at `dot`. */
static const char *form_name(const char *dot) { return strcasecmp(dot + 1, "jpg") == 0 ? "jpeg" : dot + 1; }

static int choose_format(const struct args *args, const char **format)
{
    const char *file = args_text(args, OPTION_FILE, "-"), *given = args_parameter(args, "format");
    const char *slash = strrchr(file, '/'), *base = slash == NULL ? file : slash + 1, *dot = strrchr(base, '.');
    const char *forms = forms_of(&COMMANDS[args->command]);
    const bool has_passes = args_parameter(args, "passes") != NULL; /* the server's default is then another */
    *format = NULL;
    if (dot == NULL || dot == base || dot[1] == '\0')
        return STATUS_DONE;
    const char *form = find_form(forms, form_name(dot));
    if (given == NULL && form == NULL)
        return refuse(args, file, forms);
    if (given == NULL) {
        *format = !has_passes && strncmp(forms, form, strlen(form)) == 0 ? NULL : form;
        return STATUS_DONE;
    }
    const bool is_animated_png = strcmp(given, "apng") == 0 && strcasecmp(dot + 1, "png") == 0;
    if (strcasecmp(given, form_name(dot)) == 0 || is_animated_png || !is_form(form_name(dot)))
        return STATUS_DONE;
    terminal_error("--format %s and the extension of '%s' contradict each other", given, file);
    return STATUS_USAGE;
}

/* --- the answer --- */

static bool makes_picture(const struct args *args)
{
    return args->command == COMMAND_RENDER || args->command == COMMAND_SHEET || args->command == COMMAND_TURNTABLE;
}

/* Reports the written file, as a line or as JSON. */
static void report(const struct args *args, const char *file, const char *model, const struct posed_packet *answer)
{
    const bool is_picture = makes_picture(args);
    uint32_t sides[2] = {0, 0};
    const bool has_sides = is_picture && picture_sides(answer->data, answer->data_bytes, sides);
    if (!terminal.is_json) {
        struct text line = {0};
        text_put_printable(&line, file);
        if (has_sides)
            text_printf(&line, "  %u x %u", sides[0], sides[1]);
        if (!terminal.is_quiet)
            printf("%s  %zu bytes\n", line.at, answer->data_bytes);
        text_free(&line);
        return;
    }
    cJSON *json = cJSON_CreateObject();
    cJSON_AddStringToObject(json, "model", model);
    cJSON_AddStringToObject(json, "file", file);
    cJSON_AddNumberToObject(json, "bytes", (double)answer->data_bytes);
    if (is_picture) {
        cJSON_AddNumberToObject(json, "width", sides[0]);
        cJSON_AddNumberToObject(json, "height", sides[1]);
        cJSON_AddNumberToObject(json, "warnings", answer->warnings);
    }
    json_print(json);
}

/* Returns "crow.png" or "crow-sheet.webp". */
static char *choose_name(const struct args *args, const char *model, const char *format)
{
    char extension[64];
    static const char *const OWN[][2] = {
        {"gif", "gif"}, {"webp", "webp"}, {"jpeg", "jpg"}, {"y4m", "y4m"}, {"npz", "npz"}};
    const char *own = args_parameter(args, "passes") != NULL && format == NULL ? "npz" : "png";
    for (size_t i = 0; format != NULL && i < sizeof OWN / sizeof *OWN; i++)
        own = strcmp(format, OWN[i][0]) == 0 ? OWN[i][1] : own;
    snprintf(extension, sizeof extension, "%s%s.%s", args->command == COMMAND_RENDER ? "" : "-",
             args->command == COMMAND_RENDER ? "" : COMMANDS[args->command].name, own);
    return output_name(model, extension);
}

static int print_numbers(const struct args *args, const struct posed_packet *answer)
{
    struct text out = {0};
    int status = STATUS_SERVER;
    cJSON *json = cJSON_ParseWithLength((const char *)answer->data, answer->data_bytes);
    if (cJSON_IsArray(json_get(json, "frames")) || json_get(json, "whole") != NULL ||
        cJSON_IsArray(json_get(json, "clips"))) {
        put_numbers_of(&out, (enum command_id)args->command, json);
        status = output_give("-", out.at, out.size_bytes);
    } else
        terminal_error("the server's answer does not fit the request");
    cJSON_Delete(json);
    text_free(&out);
    return status;
}

static int give(const struct args *args, const char *model, const char *format, const struct posed_packet *answer)
{
    const bool is_json = answer->kind == POSED_JSON, is_picture = makes_picture(args);
    const char *file = args_text(args, OPTION_FILE, NULL);
    if (!is_json && !is_picture && (format == NULL || strcmp(format, "json") == 0)) {
        terminal_error("the server's answer is not the JSON that was asked for");
        return STATUS_SERVER;
    }
    if (file == NULL && is_json && !is_picture && !terminal.is_json)
        return print_numbers(args, answer);
    char *name = is_picture ? choose_name(args, model, format) : NULL;
    if (file == NULL) /* JSON goes to stdout, unless the user names a file */
        file = is_picture && !is_json ? name : "-";
    const bool is_stdout = strcmp(file, "-") == 0;
    int status = STATUS_USAGE;
    if (is_stdout && !is_json && isatty(STDOUT_FILENO))
        terminal_error(is_picture ? "refusing to write a picture to a terminal; redirect stdout or use -o FILE"
                                  : "refusing to write binary data to a terminal; redirect stdout or use -o FILE");
    else
        status = is_stdout && is_json ? output_give_json((const char *)answer->data, answer->data_bytes)
                                      : output_give(file, answer->data, answer->data_bytes);
    if (status == STATUS_DONE && !is_stdout)
        report(args, file, model, answer);
    free(name);
    return status;
}

static int ask_sheet(const struct args *args, struct connection *connection, const char *model, const char *format,
                     const char *body)
{
    const struct sheet_request request = {
        .connection = connection, .args = args, .model = model, .format = format, .body = body};
    const char *estimate = args_parameter(args, "estimate");
    struct text joined = {0};
    struct posed_packet answer = {0};
    if (estimate != NULL && strcmp(estimate, "1") == 0)
        return sheet_request_estimate(&request);
    int status = sheet_request(&request, &joined, &answer);
    if (status == STATUS_DONE)
        status = give(args, model, format == NULL ? args_parameter(args, "format") : format, &answer);
    text_free(&joined);
    return status;
}

static int ask(const struct args *args, struct connection *connection, const char *model, const char *format,
               const char *body)
{
    const char *name = COMMANDS[args->command].name;
    struct posed_packet answer;
    struct text query = {0};
    int status;
    text_put(&query, "");
    args_put_query(args, &query);
    if (format != NULL)
        text_printf(&query, "&format=%s", format);
    if (body == NULL && estimate_is_wanted(args, &query)) {
        status = estimate_print(connection, name, name, model, query.at);
    } else {
        status = connection_status(connection, long_request(connection, name, name, model, query.at, body, &answer));
        if (status == STATUS_DONE)
            status = give(args, model, format == NULL ? args_parameter(args, "format") : format, &answer);
    }
    text_free(&query);
    return status;
}

int run_ask(const struct args *args)
{
    const char *format;
    struct command_context context = {0};
    struct text text = {0};
    int status = choose_format(args, &format);
    if (status == STATUS_DONE)
        status = context_open_models(&context, args, 1, 1);
    if (status == STATUS_DONE) {
        const char *model = context.paths.arguments[0].path, *body = args_put_body(args, &text) ? text.at : NULL;
        const char *estimate = args_parameter(args, "estimate");
        status = sheet_request_is(args) ? ask_sheet(args, &context.connection, model, format, body)
                                        : ask(args, &context.connection, model, format, body);
        if (status != STATUS_DONE)
            pose_option_explain(args, context.connection.posed.error.message);
        if (status == STATUS_DONE && makes_picture(args) && (estimate == NULL || strcmp(estimate, "0") == 0))
            picture_warnings_print(args, &context.connection, model);
    }
    text_free(&text);
    context_close(&context);
    return status;
}
