/* The lists of a data set: cameras.json of each model, and OUT/manifest.jsonl. */
#include "clients/cli/dataset/dataset.h"

#include "clients/cli/output/output.h"

#include <string.h>

/* The files of a sample beside its picture. */
static const struct {
    const char *member, *extension;
} OTHER[] = {{"arrays", "npz"}, {"keypoints", "json"}};

/* Returns the file's name within the folder of its model. */
static const char *name_of(const cJSON *output)
{
    const char *file = member_text(output, "file"), *slash = strrchr(file, '/');
    return slash == NULL ? file : slash + 1;
}

static bool is_picture(const cJSON *output) { return json_get(output, "time") != NULL; }

/* Returns the file of a sample with that extension, which follows its picture; or NULL. */
static const cJSON *file_of(const cJSON *picture, const char *extension)
{
    for (const cJSON *next = picture->next; next != NULL && json_get(next, "sample") != NULL && !is_picture(next);
         next = next->next) {
        const char *dot = strrchr(member_text(next, "file"), '.');
        if (dot != NULL && strcmp(dot + 1, extension) == 0)
            return next;
    }
    return NULL;
}

static void copy_members(cJSON *to, const cJSON *from, const char *const *names)
{
    for (; *names != NULL; names++) {
        const cJSON *member = cJSON_GetObjectItemCaseSensitive(from, *names);
        if (member != NULL)
            cJSON_AddItemToObject(to, *names, cJSON_Duplicate(member, true));
    }
}

/* Puts an object as a line, and frees it. */
static void put_line(struct text *out, cJSON *json)
{
    json_keep_bits(json);
    char *text = cJSON_PrintUnformatted(json);
    text_put_json(out, text == NULL ? "{}" : text, text == NULL ? 2 : strlen(text)); /* names may be no UTF-8 */
    cJSON_free(text);
    cJSON_Delete(json);
}

int dataset_write_cameras(struct pass *pass, const struct listed_model *item, cJSON *entry, struct text *problem)
{
    static const char *const MEMBERS[] = {"width", "height", "clip", "time", "light", NULL};
    struct text list = {0}, file = {0};
    cJSON *output;
    cJSON_ArrayForEach(output, json_get(entry, pass->kind->outputs))
    {
        if (!is_picture(output))
            continue;
        cJSON *line = cJSON_CreateObject();
        cJSON_AddStringToObject(line, "file", name_of(output));
        for (size_t i = 0; i < sizeof OTHER / sizeof *OTHER; i++)
            if (file_of(output, OTHER[i].extension) != NULL)
                cJSON_AddStringToObject(line, OTHER[i].member, name_of(file_of(output, OTHER[i].extension)));
        copy_members(line, output, MEMBERS);
        cJSON_AddItemToObject(line, "camera", cJSON_DetachItemFromObjectCaseSensitive(output, "numbers"));
        text_put(&list, list.size_bytes == 0 ? "[\n" : ",\n");
        put_line(&list, line);
    }
    text_put(&list, "\n]\n");
    text_printf(&file, "%s/cameras.json", item->out);
    const int rc = pass_write(pass, entry, file.at, list.at, list.size_bytes, problem) == NULL ? PASS_FAILED : 0;
    text_free(&list);
    text_free(&file);
    return rc;
}

static cJSON *describe(const cJSON *entry, const cJSON *picture)
{
    static const char *const FILE_MEMBERS[] = {"file", "bytes", "sha256", NULL};
    static const char *const MEMBERS[] = {"clip", "time", "camera", "light", "width", "height", "empty", NULL};
    cJSON *line = cJSON_CreateObject();
    copy_members(line, picture, FILE_MEMBERS);
    cJSON_AddStringToObject(line, "model", member_text(entry, "model"));
    cJSON_AddStringToObject(line, "model_hash", member_text(entry, "hash"));
    copy_members(line, picture, MEMBERS);
    for (size_t i = 0; i < sizeof OTHER / sizeof *OTHER; i++)
        if (file_of(picture, OTHER[i].extension) != NULL)
            copy_members(cJSON_AddObjectToObject(line, OTHER[i].member), file_of(picture, OTHER[i].extension),
                         FILE_MEMBERS);
    return line;
}

int dataset_write_manifest(const struct pass *pass)
{
    struct text lines = {0}, path = {0}, problem = {0};
    text_put(&lines, "");
    for (size_t i = 0; i < pass->manifest.count; i++) {
        const cJSON *entry = pass->manifest.entries[i], *output;
        if (json_error(entry) != NULL || json_get(entry, PASS_PARTIAL) != NULL || !pass_has_outputs(pass, entry))
            continue;
        cJSON_ArrayForEach(output, json_get(entry, pass->kind->outputs))
        {
            if (!is_picture(output))
                continue;
            put_line(&lines, describe(entry, output));
            text_put(&lines, "\n");
        }
    }
    text_printf(&path, "%s/%s", pass->out, DATASET_MANIFEST);
    const int rc = output_update(path.at, pass->manifest.folder, &lines, &problem);
    if (rc < 0)
        terminal_error("%s", problem.at);
    text_free(&lines);
    text_free(&path);
    text_free(&problem);
    return rc < 0 ? STATUS_SERVER : STATUS_DONE;
}
