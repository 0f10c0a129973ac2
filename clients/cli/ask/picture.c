/* posectl render, sheet, turntable: one picture or animation into a file. */
#include "clients/cli/ask/commands.h"
#include "clients/cli/ask/output_format.h"
#include "clients/cli/ask/command_context.h"
#include "clients/cli/output/output.h"
#include "clients/cli/output/terminal.h"

#include <cjson/cJSON.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static uint32_t side(const unsigned char *at)
{
    return (uint32_t)at[0] << 24 | (uint32_t)at[1] << 16 | (uint32_t)at[2] << 8 | at[3];
}

/* What was written: a line, or JSON. */
static void report(const char *file, const char *model, const struct posed_packet *answer)
{
    const unsigned char *png = answer->data; /* the sides are in the header chunk: PNG specification, 11.2.2 */
    const bool has_sides = answer->data_bytes >= 24 && memcmp(png + 12, "IHDR", 4) == 0;
    if (strcmp(file, "-") == 0)
        return;
    if (!terminal.is_json) {
        struct text line = {0};
        text_put_printable(&line, file);
        if (has_sides)
            text_printf(&line, "  %u x %u", side(png + 16), side(png + 20));
        if (!terminal.is_quiet)
            printf("%s  %zu bytes\n", line.at, answer->data_bytes);
        text_free(&line);
        return;
    }
    cJSON *json = cJSON_CreateObject();
    cJSON_AddStringToObject(json, "model", model);
    cJSON_AddStringToObject(json, "file", file);
    cJSON_AddNumberToObject(json, "bytes", (double)answer->data_bytes);
    cJSON_AddNumberToObject(json, "width", has_sides ? side(png + 16) : 0);
    cJSON_AddNumberToObject(json, "height", has_sides ? side(png + 20) : 0);
    cJSON_AddNumberToObject(json, "warnings", answer->warnings);
    char *text = cJSON_PrintUnformatted(json);
    puts(text == NULL ? "{}" : text);
    free(text);
    cJSON_Delete(json);
}

/* "crow.png", "crow-sheet.webp" */
static char *choose_name(const struct args *args, const char *model, const char *format)
{
    char ending[64];
    const bool is_own = format != NULL && (strcmp(format, "gif") == 0 || strcmp(format, "webp") == 0);
    snprintf(ending, sizeof ending, "%s%s.%s", args->command == COMMAND_RENDER ? "" : "-",
             args->command == COMMAND_RENDER ? "" : COMMANDS[args->command].name, is_own ? format : "png");
    return output_name(model, ending);
}

static int give(const struct args *args, const char *model, const char *format, const struct posed_packet *answer)
{
    const bool is_json = answer->kind == POSED_JSON; /* about the picture: for stdout, unless somebody wants a file */
    char *name = choose_name(args, model, format);
    const char *file = args_text(args, OPTION_FILE, is_json ? "-" : name);
    int status = STATUS_USAGE;
    if (strcmp(file, "-") == 0 && !is_json && isatty(STDOUT_FILENO))
        terminal_error("a picture is nothing for a terminal; redirect it or say -o FILE");
    else
        status = output_give(file, answer->data, answer->data_bytes);
    if (status == STATUS_DONE)
        report(file, model, answer);
    free(name);
    return status;
}

int run_picture(const struct args *args)
{
    const char *format;
    struct command_context one;
    struct posed_packet answer;
    int status = output_format_choose(args, &format);
    if (status != STATUS_DONE)
        return status;
    status = context_open(&one, args, 1);
    if (status == STATUS_DONE)
        status = context_request(&one, args, format, &answer);
    if (status == STATUS_DONE)
        status = give(args, one.model, format == NULL ? args_parameter(args, "format") : format, &answer);
    context_close(&one);
    return status;
}
