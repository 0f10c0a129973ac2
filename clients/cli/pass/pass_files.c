/* Checks the files of models and outputs: pass.h. */
#include "clients/cli/pass/pass.h"

#include "clients/cli/output/output.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* The greatest error of a file system's timestamps: a coarse clock, or a difference to the local clock. */
#define SETTLED_S 1.0

static double seconds(struct timespec at) { return (double)at.tv_sec + (double)at.tv_nsec * 1e-9; }

void pass_file_stamp(const struct pass *pass, const char *path, double before_s, char out[96])
{
    char full[8192];
    struct stat info;
    snprintf(full, sizeof full, "%s/%s", pass->connected.session.folder, path);
    if (stat(full, &info) != 0)
        snprintf(out, 96, "-");
    else if (seconds(info.st_ctim) > before_s - SETTLED_S)
        snprintf(out, 96, "?");
    else
        snprintf(out, 96, "%lld:%lld.%09ld:%lld.%09ld", S_ISDIR(info.st_mode) ? 0LL : (long long)info.st_size,
                 (long long)info.st_mtim.tv_sec, info.st_mtim.tv_nsec, (long long)info.st_ctim.tv_sec,
                 info.st_ctim.tv_nsec);
}

bool pass_is_safe(const char *path)
{
    for (const char *at = path; at != NULL; at = strchr(at, '/') == NULL ? NULL : strchr(at, '/') + 1) {
        const size_t size = strcspn(at, "/");
        if ((size == 0 && *at == '/') || (size == 2 && memcmp(at, "..", 2) == 0))
            return false;
    }
    return true;
}

bool pass_is_fresh(const struct pass *pass, const cJSON *entry, const char *source)
{
    const cJSON *files = json_get(entry, "files"), *file;
    if (!pass->connected.session.is_private ||
        !cJSON_HasObjectItem(files, source)) /* the symbolic link has a new target */
        return false;
    cJSON_ArrayForEach(file, files)
    {
        char stamp[96];
        const char *known = cJSON_GetStringValue(file);
        if (!pass_is_safe(file->string))
            return false;
        pass_file_stamp(pass, file->string, 1e18, stamp);
        if (known == NULL || strcmp(known, stamp) != 0)
            return false;
    }
    return true;
}

bool pass_is_unmatched(const cJSON *entry) { return cJSON_IsTrue(json_get(entry, "unmatched")); }

bool pass_matches_no_clip(const struct pass *pass)
{
    const size_t *counts = pass->progress.counts;
    return counts[OUTCOME_UNMATCHED] > 0 && counts[OUTCOME_MADE] + counts[OUTCOME_UNCHANGED] == 0 &&
           !is_interrupted() && !args_has(pass->args, OPTION_SHARD); /* another shard may have some */
}

const char *pass_why_skipped(const cJSON *entry) { return member_text(entry, "skipped"); }

static const char *file_of(const cJSON *output)
{
    const char *file = cJSON_GetStringValue(json_get(output, "file"));
    return file == NULL || !pass_is_safe(file) ? "" : file;
}

bool pass_has_outputs(const struct pass *pass, const cJSON *entry)
{
    const cJSON *outputs = json_get(entry, pass->kind->outputs), *output;
    cJSON_ArrayForEach(output, outputs)
    {
        char full[8192];
        struct stat info;
        snprintf(full, sizeof full, "%s/%s", pass->out, file_of(output));
        if (lstat(full, &info) != 0 || !S_ISREG(info.st_mode) || (double)info.st_size != member_number(output, "bytes"))
            return false;
    }
    return cJSON_GetArraySize(outputs) > 0 || pass_is_unmatched(entry);
}

static int by_name(const void *a, const void *b) { return strcmp(*(const char *const *)a, *(const char *const *)b); }

/* Returns the names of all outputs, sorted. The caller frees the list; the entry owns the names. */
static const char **sorted_files(const struct pass *pass, const cJSON *entry, size_t *count)
{
    const cJSON *outputs = json_get(entry, pass->kind->outputs), *output;
    const char **files = must_alloc(((size_t)cJSON_GetArraySize(outputs) + 1) * sizeof *files);
    *count = 0;
    cJSON_ArrayForEach(output, outputs) files[(*count)++] = file_of(output);
    if (*count > 0)
        qsort(files, *count, sizeof *files, by_name);
    return files;
}

static void remove_file(const struct pass *pass, char *path)
{
    char *slash = strrchr(path, '/');
    unlink(path);
    if (!pass->kind->has_folder || slash == NULL)
        return;
    *slash = '\0';
    rmdir(path); /* fails if there are more files */
}

void pass_remove_outdated(const struct pass *pass, const cJSON *old, const cJSON *entry)
{
    size_t count;
    const char **kept = sorted_files(pass, entry, &count);
    const cJSON *output;
    cJSON_ArrayForEach(output, json_get(old, pass->kind->outputs))
    {
        const char *file = file_of(output);
        char full[8192];
        struct text problem = {0};
        if (file[0] == '\0' || (count > 0 && bsearch(&file, kept, count, sizeof *kept, by_name) != NULL))
            continue;
        snprintf(full, sizeof full, "%s/%s", pass->out, file);
        if (!output_is_behind_link(pass->out, file, &problem)) /* posectl has written nothing through a link */
            remove_file(pass, full);
        text_free(&problem);
    }
    free(kept);
}
