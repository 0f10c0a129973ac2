/* posectl map: writes the bones of a model and of a clips' file as a file for --map and --clip-map, to be edited. */
#include "clients/cli/command_line/commands.h"
#include "clients/cli/output/json.h"
#include "clients/cli/output/output.h"
#include "clients/cli/output/terminal.h"
#include "clients/cli/server/command_context.h"

#include <stdlib.h>

/* Returns the bones of a model by role: its joint's name, or "-" for a required role that has none. A joint without a
 * name, which only the file itself makes a bone, stays out: it is a bone without being named. */
static cJSON *list_bones(const cJSON *model)
{
    const cJSON *bones = json_get(model, "bones"), *nodes = json_get(model, "nodes"), *entry;
    cJSON *list = cJSON_CreateObject();
    cJSON_ArrayForEach(entry, json_get(bones, "roles"))
    {
        const cJSON *node = cJSON_GetArrayItem(nodes, (int)cJSON_GetNumberValue(entry));
        if (member_text(node, "name")[0] != '\0')
            cJSON_AddStringToObject(list, entry->string, member_text(node, "name"));
    }
    cJSON_ArrayForEach(entry, json_get(bones, "missing"))
        cJSON_AddStringToObject(list, cJSON_GetStringValue(entry), "-");
#define X(symbol, word, above, is_required)                                                                            \
    if (is_required && !cJSON_IsObject(bones))                                                                         \
        cJSON_AddStringToObject(list, word, "-");
#include "protocol/humanoid/roles.def"
#undef X
    return list;
}

/* Adds the bones of a model under `member`. */
static int add_model(struct command_context *context, size_t index, const char *member, cJSON *map)
{
    struct posed_packet answer;
    cJSON *model;
    const char *path = context->paths.arguments[index].path;
    const int rc = connection_request_model(&context->connection, "model", path, "", NULL, &answer);
    if (rc != 0)
        return connection_status(&context->connection, rc);
    if (connection_read_json(&context->connection, &answer, &model) != 0)
        return connection_status(&context->connection, POSED_E_PROTOCOL);
    if (!cJSON_IsObject(json_get(model, "bones")))
        terminal_info("'%s': less than half of the bones of a human are known by name; write joints in place of -",
                      path);
    cJSON_AddItemToObject(map, member, list_bones(model));
    cJSON_Delete(model);
    return STATUS_DONE;
}

int run_bone_map(const struct args *args)
{
    static const char *const MEMBERS[] = {"map", "clip_map"};
    struct command_context context = {0};
    cJSON *map = cJSON_CreateObject();
    int status = context_open_models(&context, args, 2, 1);
    for (size_t i = 0; status == STATUS_DONE && i < context.paths.count; i++)
        status = add_model(&context, i, MEMBERS[i], map);
    char *text = status == STATUS_DONE ? cJSON_Print(map) : NULL;
    if (text != NULL) {
        struct text out = {0};
        text_printf(&out, "%s\n", text);
        status = output_give(args_text(args, OPTION_FILE, "-"), out.at, out.size_bytes);
        text_free(&out);
    }
    free(text);
    cJSON_Delete(map);
    context_close(&context);
    return status;
}
