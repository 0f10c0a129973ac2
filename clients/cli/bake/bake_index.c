/* The index of the tables that posectl bake made in a folder: OUT/index.json. */
#include "clients/cli/bake/bake_folder.h"

#include "clients/cli/output/output.h"

#include <stdlib.h>
#include <string.h>

/* The lists of joints, each once. Most files of a library share theirs. */
struct skeletons {
    const char **texts; /* as JSON, sorted */
    size_t count;
};

static int by_text(const void *a, const void *b) { return strcmp(*(const char *const *)a, *(const char *const *)b); }

void bake_index_describe(const struct bake *bake, cJSON *output)
{
    cJSON *description = bake_describe(bake), *names = cJSON_CreateArray();
    for (size_t i = 0; i < bake->item_count; i++)
        cJSON_AddItemToArray(names, cJSON_CreateString(bake->items[i].name));
    char *skeleton = cJSON_PrintUnformatted(names);
    if (bake->onto != NULL)
        cJSON_AddStringToObject(output, "onto", bake->model);
    cJSON_AddStringToObject(output, "values", bake_values_name(bake->values));
    cJSON_AddNumberToObject(output, "fps", bake->fps);
    cJSON_AddNumberToObject(output, "frame_count", (double)bake->frame_count);
    cJSON_AddItemToObject(output, "clips", cJSON_DetachItemFromObject(description, "clips"));
    /* As text, because a tree of all names of 10,000 files takes a hundred times their bytes. */
    cJSON_AddStringToObject(output, "skeleton", skeleton == NULL ? "[]" : skeleton);
    cJSON_free(skeleton);
    cJSON_Delete(names);
    cJSON_Delete(description);
}

static const cJSON *output_of(const struct pass *pass, const cJSON *entry)
{
    return cJSON_IsObject(json_get(entry, "error")) ? NULL : json_child(entry, pass->kind->outputs);
}

static struct skeletons find_skeletons(const struct pass *pass)
{
    const struct manifest *manifest = &pass->manifest;
    struct skeletons all = {must_alloc((manifest->count + 1) * sizeof *all.texts), 0};
    size_t kept = 0;
    for (size_t i = 0; i < manifest->count; i++) {
        const cJSON *output = output_of(pass, manifest->entries[i]);
        if (output != NULL)
            all.texts[all.count++] = member_text(output, "skeleton");
    }
    if (all.count > 0)
        qsort(all.texts, all.count, sizeof *all.texts, by_text);
    for (size_t i = 0; i < all.count; i++)
        if (kept == 0 || strcmp(all.texts[kept - 1], all.texts[i]) != 0)
            all.texts[kept++] = all.texts[i];
    all.count = kept;
    return all;
}

static size_t place_of(const struct skeletons *skeletons, const char *text)
{
    const char **found = bsearch(&text, skeletons->texts, skeletons->count, sizeof *skeletons->texts, by_text);
    return found == NULL ? 0 : (size_t)(found - skeletons->texts);
}

static void put_skeletons(struct text *out, const struct skeletons *skeletons)
{
    text_put(out, "{\"skeletons\":[");
    for (size_t i = 0; i < skeletons->count; i++) {
        cJSON *names = cJSON_Parse(skeletons->texts[i]); /* somebody may have changed the manifest */
        char *text = cJSON_IsArray(names) ? cJSON_PrintUnformatted(names) : NULL;
        text_put(out, i == 0 ? "\n" : ",\n");
        text_put_json(out, text == NULL ? "[]" : text, text == NULL ? 2 : strlen(text));
        cJSON_free(text);
        cJSON_Delete(names);
    }
}

/* Returns what the index tells of a model. NULL: the files of an earlier run are gone. */
static cJSON *describe(const struct pass *pass, const struct skeletons *skeletons, const cJSON *entry)
{
    static const char *const FAILED[] = {"error", "skipped", "unmatched"};
    const cJSON *output = output_of(pass, entry), *member;
    cJSON *file = cJSON_CreateObject();
    cJSON_AddStringToObject(file, "model", member_text(entry, "model"));
    for (size_t i = 0; i < sizeof FAILED / sizeof *FAILED && output == NULL; i++)
        if (json_get(entry, FAILED[i]) != NULL)
            cJSON_AddItemToObject(file, FAILED[i], cJSON_Duplicate(json_get(entry, FAILED[i]), true));
    if (output == NULL)
        return file;
    if (!pass_has_outputs(pass, entry)) {
        cJSON_Delete(file);
        return NULL;
    }
    cJSON_AddStringToObject(file, "hash", member_text(entry, "hash"));
    cJSON_ArrayForEach(member, output)
    {
        if (strcmp(member->string, "skeleton") != 0)
            cJSON_AddItemToObject(file, member->string, cJSON_Duplicate(member, true));
    }
    cJSON_AddNumberToObject(file, "skeleton", (double)place_of(skeletons, member_text(output, "skeleton")));
    cJSON_AddItemToObject(file, "warnings", cJSON_Duplicate(json_get(entry, "warnings"), true));
    return file;
}

static void put_files(struct text *out, const struct pass *pass, const struct skeletons *skeletons)
{
    const char *separator = "\n";
    text_put(out, "],\n\"files\":[");
    for (size_t i = 0; i < pass->manifest.count; i++) {
        cJSON *file = describe(pass, skeletons, pass->manifest.entries[i]);
        char *text = file == NULL ? NULL : cJSON_PrintUnformatted(file);
        if (text != NULL) {
            text_put(out, separator);
            text_put_json(out, text, strlen(text)); /* names of files may be no UTF-8 */
            separator = ",\n";
        }
        cJSON_free(text);
        cJSON_Delete(file);
    }
    text_put(out, "]}\n");
}

int bake_index_write(const struct pass *pass)
{
    struct skeletons skeletons = find_skeletons(pass);
    struct text index = {0}, path = {0}, problem = {0};
    put_skeletons(&index, &skeletons);
    put_files(&index, pass, &skeletons);
    text_printf(&path, "%s/%s", pass->out, BAKE_INDEX);
    if (output_update(path.at, pass->manifest.folder, &index, &problem) < 0)
        terminal_error("%s", problem.at);
    const int status = problem.size_bytes == 0 ? STATUS_DONE : STATUS_SERVER;
    free(skeletons.texts);
    text_free(&index);
    text_free(&path);
    text_free(&problem);
    return status;
}
