#include "clients/cli/convert/convert_report.h"

#include "clients/cli/convert/convert_clips.h"
#include "clients/cli/convert/glb_join.h"
#include "clients/cli/output/terminal.h"

#include <stdio.h>
#include <string.h>

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

void convert_report_add_counts(const cJSON *glb, cJSON *json)
{
    for (int i = 0; i < COUNTED_COUNT; i++)
        cJSON_AddNumberToObject(json, COUNTED[i].plural, cJSON_GetArraySize(json_get(glb, COUNTED[i].member)));
}

static cJSON *copy_list(const cJSON *list) { return list == NULL ? cJSON_CreateArray() : cJSON_Duplicate(list, true); }

void convert_report_add_remarks(const cJSON *glb, cJSON *json)
{
    cJSON *warnings = copy_list(list_of(glb, "warnings"));
    convert_clips_add_warnings(glb, warnings);
    cJSON_AddItemToObject(json, "warnings", warnings);
    cJSON_AddItemToObject(json, "approximations", copy_list(list_of(glb, "approximations")));
    cJSON_AddItemToObject(json, "dropped", copy_list(list_of(glb, "dropped")));
}

static void report_json(const char *model, const char *file, size_t size_bytes, const cJSON *glb)
{
    cJSON *json = cJSON_CreateObject();
    cJSON_AddStringToObject(json, "model", model);
    cJSON_AddStringToObject(json, "file", file);
    cJSON_AddNumberToObject(json, "bytes", (double)size_bytes);
    convert_report_add_counts(glb, json);
    cJSON_AddItemToObject(json, "warnings", copy_list(list_of(glb, "warnings")));
    cJSON_AddItemToObject(json, "approximations", copy_list(list_of(glb, "approximations")));
    cJSON_AddItemToObject(json, "dropped", copy_list(list_of(glb, "dropped")));
    const cJSON *clip_files = list_of(glb, "clip_files");
    if (clip_files != NULL)
        cJSON_AddItemToObject(json, "clip_files", cJSON_Duplicate(clip_files, true));
    json_print(json);
}

void convert_report(const char *model, const char *file, const struct posed_packet *answer)
{
    cJSON *glb = glb_parse(answer->data, answer->data_bytes, NULL, NULL), *of_clips = cJSON_CreateArray();
    const bool is_stdout = strcmp(file, "-") == 0;
    print_list(list_of(glb, "warnings"), "warning");
    if (terminal.is_verbose) {
        print_list(list_of(glb, "approximations"), "approximated");
        print_list(list_of(glb, "dropped"), "dropped");
    }
    convert_clips_add_warnings(glb, of_clips);
    print_list(of_clips, "warning");
    if (terminal.is_json && !is_stdout)
        report_json(model, file, answer->data_bytes, glb);
    else if (!terminal.is_quiet && !is_stdout)
        report_line(file, answer->data_bytes, glb);
    cJSON_Delete(of_clips);
    cJSON_Delete(glb);
}
