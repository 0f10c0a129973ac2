#include "clients/cli/convert/glb_extras.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

static cJSON *member(cJSON *object, const char *name) { return cJSON_GetObjectItemCaseSensitive(object, name); }

static bool has_text(const cJSON *list, const cJSON *wanted)
{
    const cJSON *entry;
    cJSON_ArrayForEach(entry, list)
    {
        if (cJSON_Compare(entry, wanted, true))
            return true;
    }
    return false;
}

void glb_add_missing(cJSON *to, const cJSON *from)
{
    const cJSON *entry;
    cJSON_ArrayForEach(entry, from)
    {
        if (!has_text(to, entry))
            cJSON_AddItemToArray(to, cJSON_Duplicate(entry, true));
    }
}

static cJSON *extras_of(cJSON *json) { return member(member(json, "asset"), "extras"); }

static cJSON *unused_rules_of(const cJSON *file)
{
    cJSON *warning;
    cJSON_ArrayForEach(warning, json_get(file, "warnings"))
    {
        if (strcmp(member_text(warning, "code"), "rename_unused") == 0)
            return warning;
    }
    return NULL;
}

/* Puts the rules that both messages name. A rule that renames nothing in the files of one part may rename joints of
 * another part. The warning is about rules that rename nothing in any part. Its message is "'RULE', 'RULE' of
 * 'rename_joints' renames ..". */
static void put_common_rules(struct text *out, const char *message, const char *other)
{
    static const char AFTER[] = " of 'rename_joints'";
    const char *end = strstr(message, AFTER), *at = message;
    while (end != NULL && at < end) {
        const char *comma = strstr(at, "', '"), *next = comma == NULL || comma >= end ? end : comma + 1;
        struct text rule = {0};
        text_put_bytes(&rule, at, (size_t)(next - at));
        if (strstr(other, rule.at) != NULL)
            text_printf(out, "%s%s", out->size_bytes > 0 ? ", " : "", rule.at);
        text_free(&rule);
        at = next == end ? end : next + 2;
    }
    if (out->size_bytes > 0)
        text_put(out, end);
}

static void keep_common_rules(cJSON *files, const char *other)
{
    cJSON *file;
    cJSON_ArrayForEach(file, files)
    {
        cJSON *warning = unused_rules_of(file);
        struct text message = {0};
        if (warning == NULL)
            continue;
        put_common_rules(&message, member_text(warning, "message"), other);
        if (message.size_bytes > 0)
            cJSON_SetValuestring(member(warning, "message"), message.at);
        else
            cJSON_Delete(cJSON_DetachItemViaPointer(member(file, "warnings"), warning));
        text_free(&message);
    }
}

void glb_extras_join(cJSON *glb, cJSON *part)
{
    cJSON *extras = extras_of(glb), *of_part = extras_of(part);
    cJSON *files = member(extras, "clip_files"), *more = member(of_part, "clip_files"), *file;
    glb_add_missing(member(extras, "warnings"), member(of_part, "warnings"));
    glb_add_missing(member(extras, "approximations"), member(of_part, "approximations"));
    glb_add_missing(member(extras, "dropped"), member(of_part, "dropped"));
    if (files != NULL && more != NULL) {
        char *ours = must_copy(member_text(unused_rules_of(files->child), "message"));
        keep_common_rules(files, member_text(unused_rules_of(more->child), "message"));
        keep_common_rules(more, ours);
        free(ours);
    }
    if (files == NULL && more != NULL)
        files = cJSON_AddArrayToObject(extras, "clip_files");
    cJSON_ArrayForEach(file, more) { cJSON_AddItemToArray(files, cJSON_Duplicate(file, true)); }
}
