/* Implements accepted findings: baseline.h. */
#include "clients/cli/check/check.h"

#include "clients/cli/output/json_file.h"
#include "clients/cli/output/output.h"
#include "clients/cli/output/terminal.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { BASELINE_BYTES_MAX = 1 << 26 };

/* --- reading --- */

static int compare(const struct accepted *accepted, const char *model, const char *rule, const char *subject)
{
    int order = strcmp(accepted->model, model);
    order = order != 0 ? order : strcmp(accepted->rule, rule);
    return order != 0 ? order : strcmp(accepted->subject, subject);
}

static int by_finding(const void *a, const void *b)
{
    const struct accepted *other = b;
    return compare(a, other->model, other->rule, other->subject);
}

/* Returns whether the entry is {"model", "rule", "subject"} with texts only. */
static bool is_entry(const cJSON *entry)
{
    return cJSON_IsObject(entry) && cJSON_GetArraySize(entry) == 3 && cJSON_IsString(json_get(entry, "model")) &&
           cJSON_IsString(json_get(entry, "rule")) && cJSON_IsString(json_get(entry, "subject"));
}

static int refuse(const struct json_file *file, const cJSON *value, const char *why)
{
    struct text line = {0};
    json_file_put_place(file, value, &line);
    text_put(&line, why);
    json_put_short(&line, value);
    terminal_error("%s", line.at);
    text_free(&line);
    return STATUS_USAGE;
}

static int read_entries(struct baseline *baseline, const struct json_file *file)
{
    const cJSON *list = json_get(file->json, "findings"), *entry;
    if (!cJSON_IsArray(list) || member_number(file->json, "posectl_baseline") != 1)
        return refuse(file, file->json, "not written by posectl check --write-baseline: ");
    baseline->entries = must_alloc(((size_t)cJSON_GetArraySize(list) + 1) * sizeof *baseline->entries);
    cJSON_ArrayForEach(entry, list)
    {
        if (!is_entry(entry))
            return refuse(file, entry, "an accepted finding has the texts model, rule and subject, unlike ");
        baseline->entries[baseline->count++] = (struct accepted){.model = must_copy(member_text(entry, "model")),
                                                                 .rule = must_copy(member_text(entry, "rule")),
                                                                 .subject = must_copy(member_text(entry, "subject"))};
    }
    if (baseline->count > 0)
        qsort(baseline->entries, baseline->count, sizeof *baseline->entries, by_finding);
    return STATUS_DONE;
}

int baseline_read(struct baseline *baseline, const char *file)
{
    struct json_file read;
    struct text problem = {0};
    *baseline = (struct baseline){.file = file};
    const enum json_read result = json_file_read(&read, file, file, BASELINE_BYTES_MAX, &problem);
    int status = STATUS_USAGE;
    if (result == JSON_NONE)
        terminal_error("'%s': %s; --write-baseline %s writes it", file, strerror(ENOENT), file);
    else if (result == JSON_BAD)
        terminal_error("%s", problem.at);
    else
        status = read_entries(baseline, &read);
    text_free(&problem);
    json_file_free(&read);
    return status;
}

void baseline_free(struct baseline *baseline)
{
    for (size_t i = 0; i < baseline->count; i++) {
        free(baseline->entries[i].model);
        free(baseline->entries[i].rule);
        free(baseline->entries[i].subject);
    }
    free(baseline->entries);
    *baseline = (struct baseline){0};
}

/* --- paths --- */

/* Puts the folder of a file, absolute and without symbolic links, or "" if it does not exist. */
static void folder_of(const char *file, char out[PATH_MAX])
{
    char *folder = must_copy(file), *slash = strrchr(folder, '/');
    if (slash != NULL)
        slash[slash == folder] = '\0';
    if (realpath(slash == NULL ? "." : folder, out) == NULL)
        out[0] = '\0';
    free(folder);
}

/* Puts the path of root/model relative to `folder`. Both are absolute. */
static void put_relative(const char *folder, const char *root, const char *model, struct text *out)
{
    struct text path = {0};
    size_t common = 0;
    text_printf(&path, "%s/%s", strcmp(root, "/") == 0 ? "" : root, model);
    const char *from = strcmp(folder, "/") == 0 ? "" : folder;
    for (size_t i = 0;; i++) { /* as long as whole names are equal */
        const bool is_end = from[i] == '\0' || from[i] == '/';
        if (is_end && path.at[i] == '/')
            common = i;
        if (from[i] == '\0' || from[i] != path.at[i])
            break;
    }
    for (const char *at = from + common; *at != '\0'; at++)
        if (*at == '/')
            text_put(out, "../");
    text_put(out, path.at + common + 1);
    text_free(&path);
}

/* Returns the model's name in the baseline, which the caller frees. root "": of a running server. */
static char *name_of(const char *folder, const char *root, const char *model)
{
    struct text name = {0};
    if (root[0] == '\0' || folder[0] == '\0')
        return must_copy(model);
    put_relative(folder, root, model, &name);
    return name.at;
}

/* --- comparing --- */

/* Returns the first entry that is not less than these. */
static size_t find_first(const struct baseline *baseline, const char *model, const char *rule, const char *subject)
{
    size_t low = 0, high = baseline->count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (compare(&baseline->entries[middle], model, rule, subject) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Takes the next entry of the finding that no other finding has taken. Returns false without one. */
static bool accept(struct baseline *baseline, const char *model, const struct finding *finding)
{
    const char *rule = RULES[finding->rule].name;
    for (size_t i = find_first(baseline, model, rule, finding->subject);
         i < baseline->count && compare(&baseline->entries[i], model, rule, finding->subject) == 0; i++)
        if (!baseline->entries[i].is_found) {
            baseline->entries[i].is_found = true;
            return true;
        }
    return false;
}

/* Returns whether the file no longer exists. Returns false for a running server, because it is unknown there. */
static bool is_removed(const char *folder, const char *root, const char *name)
{
    struct text path = {0};
    if (root[0] == '\0' || folder[0] == '\0')
        return false;
    text_printf(&path, "%s/%s", folder, name);
    const bool is_there = access(path.at, F_OK) == 0;
    text_free(&path);
    return !is_there;
}

void baseline_apply(struct check *check, const char *root)
{
    struct baseline *baseline = &check->baseline;
    char folder[PATH_MAX];
    if (baseline->file == NULL)
        return;
    folder_of(baseline->file, folder);
    for (size_t i = 0; i < check->models.count; i++) {
        struct findings *findings = &check->findings[i];
        char *name = name_of(folder, root, check->models.items[i].model);
        if (!findings->is_done) {
            free(name);
            continue;
        }
        for (size_t k = 0; k < findings->count; k++)
            findings->at[k].is_accepted = accept(baseline, name, &findings->at[k]);
        for (size_t e = find_first(baseline, name, "", "");
             e < baseline->count && strcmp(baseline->entries[e].model, name) == 0; e++)
            baseline->entries[e].is_gone =
                !baseline->entries[e].is_found && rule_is_judged(baseline->entries[e].rule, check->is_flex);
        free(name);
    }
    for (size_t e = 0; e < baseline->count; e++)
        if (!baseline->entries[e].is_found && model_is_in_shard(check->args, baseline->entries[e].model) &&
            is_removed(folder, root, baseline->entries[e].model))
            baseline->entries[e].is_gone = true;
}

/* --- writing --- */

struct writing {
    struct accepted *entries;
    size_t count;
};

static void add(struct writing *writing, const char *model, const char *rule, const char *subject)
{
    writing->entries = must_grow(writing->entries, (writing->count + 1) * sizeof *writing->entries);
    writing->entries[writing->count++] =
        (struct accepted){.model = must_copy(model), .rule = must_copy(rule), .subject = must_copy(subject)};
}

/* Marks the entries about a model that this run writes anew, and those that it has looked for and not found. */
static void mark_judged(struct baseline *before, const struct check *check, size_t index, const char *name)
{
    for (size_t k = 0; k < check->findings[index].count; k++)
        (void)accept(before, name, &check->findings[index].at[k]);
    for (size_t e = find_first(before, name, "", ""); e < before->count && strcmp(before->entries[e].model, name) == 0;
         e++)
        if (rule_is_judged(before->entries[e].rule, check->is_flex))
            before->entries[e].is_found = true;
}

/* Keeps the entries that an earlier run accepted and this run has not looked for, because it has not checked the model,
 * or the rule is one of the other command. Those of models that no longer exist go. */
static int keep_others(struct writing *writing, const struct check *check, const char *root, const char *file)
{
    struct baseline before = {0};
    char folder[PATH_MAX];
    if (access(file, F_OK) != 0)
        return STATUS_DONE;
    const int status = baseline_read(&before, file);
    folder_of(file, folder);
    for (size_t i = 0; i < check->models.count && status == STATUS_DONE; i++) {
        char *name = name_of(folder, root, check->models.items[i].model);
        mark_judged(&before, check, i, name);
        free(name);
    }
    for (size_t e = 0; e < before.count && status == STATUS_DONE; e++)
        if (!before.entries[e].is_found && !is_removed(folder, root, before.entries[e].model))
            add(writing, before.entries[e].model, before.entries[e].rule, before.entries[e].subject);
    baseline_free(&before);
    return status;
}

static void put_entries(struct writing *writing, struct text *out)
{
    if (writing->count > 0)
        qsort(writing->entries, writing->count, sizeof *writing->entries, by_finding);
    text_put(out, "{\"posectl_baseline\": 1, \"findings\": [");
    for (size_t i = 0; i < writing->count; i++) {
        const char *const words[] = {"model",   writing->entries[i].model,  "rule", writing->entries[i].rule,
                                     "subject", writing->entries[i].subject};
        text_put(out, i == 0 ? "\n{" : ",\n{");
        for (size_t w = 0; w < 6; w += 2) {
            cJSON *text = cJSON_CreateString(words[w + 1]);
            char *printed = cJSON_PrintUnformatted(text);
            text_printf(out, "%s\"%s\": %s", w == 0 ? "" : ", ", words[w], printed == NULL ? "\"\"" : printed);
            free(printed);
            cJSON_Delete(text);
        }
        text_put(out, "}");
    }
    text_put(out, "\n]}\n");
}

int baseline_write(const struct check *check, const char *root, const char *file)
{
    struct writing writing = {0};
    struct text out = {0};
    char folder[PATH_MAX];
    int status = output_make_folders(file) < 0 ? STATUS_SERVER : keep_others(&writing, check, root, file);
    folder_of(file, folder);
    for (size_t i = 0; i < check->models.count; i++) {
        char *name = name_of(folder, root, check->models.items[i].model);
        for (size_t k = 0; k < check->findings[i].count; k++)
            add(&writing, name, RULES[check->findings[i].at[k].rule].name, check->findings[i].at[k].subject);
        free(name);
    }
    put_entries(&writing, &out);
    if (status == STATUS_DONE)
        status = output_give(file, out.at, out.size_bytes);
    if (status == STATUS_DONE)
        terminal_info("%s accepts %zu finding%s", file, writing.count, writing.count == 1 ? "" : "s");
    for (size_t i = 0; i < writing.count; i++) {
        free(writing.entries[i].model);
        free(writing.entries[i].rule);
        free(writing.entries[i].subject);
    }
    free(writing.entries);
    text_free(&out);
    return status;
}
