/* posectl render, posectl sheet: one picture into a file. */
#include "commands.h"
#include "one_model.h"
#include "output.h"
#include "posectl.h"

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
    if (!manner.is_json) {
        if (has_sides && !manner.is_quiet)
            printf("%s  %u x %u  %zu bytes\n", file, side(png + 16), side(png + 20), answer->data_bytes);
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

int run_picture(const struct args *args)
{
    const bool is_sheet = args->command == COMMAND_SHEET;
    struct one_model one;
    struct posed_packet answer;
    struct text target = {0}, body = {0};
    int status = one_model_open(&one, args, 1);
    if (status == STATUS_DONE) {
        text_put(&target, is_sheet ? "/v1/sheet?" : "/v1/render?");
        args_put_query(args, one.model, &target);
        const bool has_body = args_put_body(args, &body);
        status = link_ask_or_complain(&one.link, target.at, has_body ? body.at : NULL, &answer);
    }
    if (status == STATUS_DONE) {
        char *name = output_name(one.model, is_sheet ? "-sheet.png" : ".png");
        const char *file = args_text(args, OPTION_FILE, name);
        if (strcmp(file, "-") == 0 && isatty(STDOUT_FILENO)) {
            complain("a picture is nothing for a terminal; redirect it or say -o FILE");
            status = STATUS_USAGE;
        } else
            status = output_give(file, answer.data, answer.data_bytes);
        if (status == STATUS_DONE)
            report(file, one.model, &answer);
        free(name);
    }
    text_free(&target);
    text_free(&body);
    one_model_close(&one);
    return status;
}
