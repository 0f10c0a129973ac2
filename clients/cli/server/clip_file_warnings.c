#include "clients/cli/server/clip_file_warnings.h"

static void add_warning(cJSON *list, const char *name, const char *code, const char *message)
{
    cJSON *warning = cJSON_CreateObject();
    struct text line = {0};
    text_printf(&line, "%s%s%s", name == NULL ? "" : name, name == NULL ? "" : ": ", message);
    cJSON_AddStringToObject(warning, "code", code);
    cJSON_AddStringToObject(warning, "message", line.at);
    cJSON_AddItemToArray(list, warning);
    text_free(&line);
}

/* Adds "unmatched": "2 nodes with keys have no partner: tail, ear". */
static void add_misses(const cJSON *clip_file, const char *name, cJSON *list)
{
    const cJSON *node, *nodes = json_get(json_get(clip_file, "unmatched"), "nodes");
    const int count = cJSON_GetArraySize(nodes);
    struct text line = {0};
    if (count == 0)
        return;
    text_printf(&line, "%d node%s with keys %s no partner:", count, count == 1 ? "" : "s", count == 1 ? "has" : "have");
    cJSON_ArrayForEach(node, nodes)
    {
        text_put(&line, node == nodes->child ? " " : ", ");
        text_put(&line, json_name(node));
    }
    add_warning(list, name, "unmatched", line.at);
    text_free(&line);
}

void clip_file_add_warnings(const cJSON *clip_file, const char *name, cJSON *list)
{
    const cJSON *warning;
    add_misses(clip_file, name, list);
    cJSON_ArrayForEach(warning, json_get(clip_file, "warnings"))
    {
        add_warning(list, name, member_text(warning, "code"), member_text(warning, "message"));
    }
}
