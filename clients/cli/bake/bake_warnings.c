/* What is said of the motion in a table: by the reader of its file, and with --onto by the server. */
#include "clients/cli/bake/bake.h"

#include "clients/cli/check/rules.h"
#include "clients/cli/output/terminal.h"
#include "clients/cli/server/clip_file_warnings.h"

/* Adds what the file's reader repaired or left out, where poses may differ from what the file means. What skins and
 * pictures lack does not concern the joints. */
static void add_of_file(const struct bake *bake, cJSON *list)
{
    const cJSON *warning;
    cJSON_ArrayForEach(warning, json_get(bake->clip_about, "warnings"))
    {
        const enum rule_id rule = rule_of_warning(member_text(warning, "code"));
        if (rule == RULE_APPROXIMATED || rule == RULE_BAD_KEYS)
            cJSON_AddItemToArray(list, cJSON_Duplicate(warning, true));
    }
}

static bool has_node(const cJSON *list, double node)
{
    const cJSON *item;
    cJSON_ArrayForEach(item, list)
    {
        if (member_number(item, "node") == node)
            return true;
    }
    return false;
}

/* Adds "bones_at_rest" where the model has bones that VRM requires of a human, and the clip of another human moves none
 * of them, because the server knows no such joint there: its arms have names of their own. */
static void add_bones_at_rest(const struct bake *bake, const cJSON *clip_file, cJSON *list)
{
    static const char *const REQUIRED[] = {
#define X(symbol, word, above, is_required) is_required ? word : NULL,
#include "protocol/humanoid/roles.def"
#undef X
    };
    const cJSON *resting = json_get(json_get(clip_file, "unmatched"), "joints");
    const cJSON *roles = json_get(json_get(bake->about, "bones"), "roles");
    const cJSON *known = json_get(json_get(bake->clip_about, "bones"), "roles");
    struct text line = {0};
    for (size_t i = 0; i < sizeof REQUIRED / sizeof *REQUIRED && json_get(clip_file, "retarget") != NULL; i++) {
        const cJSON *node = REQUIRED[i] == NULL ? NULL : json_get(roles, REQUIRED[i]);
        if (cJSON_IsNumber(node) && json_get(known, REQUIRED[i]) == NULL && has_node(resting, node->valuedouble))
            text_printf(&line, "%s%s", line.size_bytes > 0 ? ", " : "", REQUIRED[i]);
    }
    if (line.size_bytes > 0) {
        struct text message = {0};
        cJSON *warning = cJSON_CreateObject();
        text_printf(&message,
                    "no joints of the clips' file are known as these bones, which stay at rest in the model: %s; "
                    "--clip-bones ROLE=JOINT names them",
                    line.at);
        cJSON_AddStringToObject(warning, "code", "bones_at_rest");
        cJSON_AddStringToObject(warning, "message", message.at);
        cJSON_AddItemToArray(list, warning);
        text_free(&message);
    }
    text_free(&line);
}

/* Returns whether the list ends with a warning that stands before it, too: clips of one file often share them. */
static bool is_repeated(const cJSON *list, const cJSON *last)
{
    for (const cJSON *other = list->child; other != last; other = other->next)
        if (cJSON_Compare(other, last, true))
            return true;
    return false;
}

static int add_of_clips(struct bake *bake, cJSON *list)
{
    int status = STATUS_DONE;
    for (size_t c = 0; c < bake->clip_count && status == STATUS_DONE; c++) {
        struct text query = {0}, body = {0};
        cJSON *answer = NULL;
        bake_put_clip(bake, &bake->clips[c], &query);
        text_printf(&body, "{%s\"joints\":[0],\"t\":[0]}", bake->onto->members);
        status = bake_answered(
            bake, connection_request_json(bake->connection, "pose", bake->model, query.at, body.at, &answer));
        const int before = cJSON_GetArraySize(list);
        clip_file_add_warnings(json_get(answer, "clip_file"), NULL, list);
        add_bones_at_rest(bake, json_get(answer, "clip_file"), list);
        for (int i = cJSON_GetArraySize(list) - 1; i >= before; i--)
            if (is_repeated(list, cJSON_GetArrayItem(list, i)))
                cJSON_DeleteItemFromArray(list, i);
        cJSON_Delete(answer);
        text_free(&query);
        text_free(&body);
    }
    return status;
}

int bake_add_warnings(struct bake *bake, cJSON *list)
{
    add_of_file(bake, list);
    return bake->onto == NULL ? STATUS_DONE : add_of_clips(bake, list);
}
