/* posectl convert: writes a whole model as a GLB file, which the server makes. Differences between the file and the
 * model are printed as warnings. */
#include "clients/cli/convert/convert_request.h"
#include "clients/cli/convert/glb_join.h"
#include "clients/cli/command_line/commands.h"
#include "clients/cli/output/json.h"
#include "clients/cli/output/output.h"
#include "clients/cli/output/terminal.h"
#include "clients/cli/server/command_context.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

/* What the report counts: members of the file, and the nouns for them. */
static const struct {
    const char *member, *singular, *plural;
} COUNTED[] = {{"nodes", "node", "nodes"},
               {"skins", "skin", "skins"},
               {"meshes", "mesh", "meshes"},
               {"animations", "clip", "clips"},
               {"images", "texture", "textures"}};
enum { COUNTED_COUNT = sizeof COUNTED / sizeof *COUNTED };

static const cJSON *list_of(const cJSON *glb, const char *member)
{
    return json_get(json_get(json_get(glb, "asset"), "extras"), member);
}

/* "warning: code: message" for each of the list. */
static void print_list(const cJSON *list, const char *kind)
{
    const cJSON *one;
    cJSON_ArrayForEach(one, list)
    {
        struct text line = {0};
        text_put_printable(&line, member_text(one, "message"));
        terminal_info("%s: %s: %s", kind, member_text(one, "code"), line.at);
        text_free(&line);
    }
}

static void report_line(const char *file, size_t size_bytes, const cJSON *glb)
{
    struct text line = {0};
    text_put_printable(&line, file);
    text_printf(&line, "  %zu bytes ", size_bytes);
    for (int i = 0; i < COUNTED_COUNT; i++) {
        const int count = cJSON_GetArraySize(json_get(glb, COUNTED[i].member));
        if (count > 0)
            text_printf(&line, " %d %s,", count, count == 1 ? COUNTED[i].singular : COUNTED[i].plural);
    }
    printf("%.*s\n", (int)line.size_bytes - 1, line.at); /* without the last comma or space */
    text_free(&line);
}

static void report_json(const char *model, const char *file, size_t size_bytes, const cJSON *glb)
{
    cJSON *json = cJSON_CreateObject();
    cJSON_AddStringToObject(json, "model", model);
    cJSON_AddStringToObject(json, "file", file);
    cJSON_AddNumberToObject(json, "bytes", (double)size_bytes);
    for (int i = 0; i < COUNTED_COUNT; i++)
        cJSON_AddNumberToObject(json, COUNTED[i].plural, cJSON_GetArraySize(json_get(glb, COUNTED[i].member)));
    cJSON_AddItemToObject(json, "warnings", cJSON_Duplicate(list_of(glb, "warnings"), true));
    cJSON_AddItemToObject(json, "approximations", cJSON_Duplicate(list_of(glb, "approximations"), true));
    const cJSON *clip_files = list_of(glb, "clip_files");
    if (clip_files != NULL)
        cJSON_AddItemToObject(json, "clip_files", cJSON_Duplicate(clip_files, true));
    json_print(json);
}

static void report(const char *model, const char *file, bool is_stdout, const struct posed_packet *answer)
{
    cJSON *glb = glb_parse(answer->data, answer->data_bytes, NULL, NULL);
    print_list(list_of(glb, "warnings"), "warning");
    if (terminal.is_verbose)
        print_list(list_of(glb, "approximations"), "approximated");
    convert_clips_report(glb);
    if (terminal.is_json && !is_stdout)
        report_json(model, file, answer->data_bytes, glb);
    else if (!terminal.is_quiet && !is_stdout)
        report_line(file, answer->data_bytes, glb);
    cJSON_Delete(glb);
}

/* Chooses -o FILE, or the model's name with another extension in the current folder, unless it is the model itself.
 */
static int choose_file(const struct args *args, const char *model, char **file)
{
    const char *given = args_text(args, OPTION_FILE, NULL), *name = given == NULL ? args->positional[0] : given;
    const char *slash = strrchr(name, '/'), *base = slash == NULL ? name : slash + 1, *dot = strrchr(base, '.');
    const bool is_glb = dot != NULL && strcasecmp(dot, ".glb") == 0;
    if (given == NULL && is_glb) {
        terminal_error("'%s' is a GLB file already: name the new one with -o FILE", name);
        return STATUS_USAGE;
    }
    if (given != NULL && dot != NULL && dot != base && dot[1] != '\0' && !is_glb) {
        terminal_error("convert writes .glb, not '%s'", given);
        return STATUS_USAGE;
    }
    if (given != NULL && strcmp(given, "-") == 0 && isatty(STDOUT_FILENO)) {
        terminal_error("refusing to write binary data to a terminal; redirect stdout or use -o FILE");
        return STATUS_USAGE;
    }
    struct text copy = {0};
    if (given != NULL)
        text_put(&copy, given);
    *file = given == NULL ? output_name(model, ".glb") : copy.at;
    return STATUS_DONE;
}

static int convert(struct command_context *context, const struct convert_clips *clips)
{
    const struct args *args = &clips->args;
    const struct convert_request request = {.connection = &context->connection,
                                            .clips = clips,
                                            .paths = &context->paths,
                                            .model = context->paths.arguments[0].path};
    const char *estimate = args_parameter(args, "estimate");
    struct posed_packet answer = {0};
    struct text joined = {0};
    char *file = NULL;
    int status = choose_file(args, request.model, &file);
    if (status == STATUS_DONE && estimate != NULL && strcmp(estimate, "1") == 0) {
        free(file);
        return convert_request_estimate(&request);
    }
    if (status != STATUS_DONE)
        return status;
    status = convert_request(&request, &joined, &answer);
    if (status == STATUS_DONE)
        status = output_give(file, answer.data, answer.data_bytes);
    if (status == STATUS_DONE)
        report(request.model, file, strcmp(file, "-") == 0, &answer);
    text_free(&joined);
    free(file);
    return status;
}

int run_convert(const struct args *args)
{
    struct command_context context = {0};
    struct convert_clips clips = {0};
    int status = convert_clips_find(&clips, args);
    if (status == STATUS_DONE)
        status = context_open_models(&context, &clips.args, 1 + clips.file_count, 1);
    if (status == STATUS_DONE)
        status = convert(&context, &clips);
    context_close(&context);
    convert_clips_free(&clips);
    return status;
}
