/* Checks the files of models and pictures: thumbs.h. */
#include "clients/cli/thumbs/thumbs.h"

#include "clients/cli/output/output.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* The greatest error of a file system's timestamps: a coarse clock, or a difference to the local clock. */
#define SETTLED_S 1.0

static double seconds(struct timespec at) { return (double)at.tv_sec + (double)at.tv_nsec * 1e-9; }

void thumbs_file_stamp(const struct thumbs *thumbs, const char *path, double before_s, char out[96])
{
    char full[8192];
    struct stat info;
    snprintf(full, sizeof full, "%s/%s", thumbs->context.session.folder, path);
    if (stat(full, &info) != 0)
        snprintf(out, 96, "-");
    else if (seconds(info.st_ctim) > before_s - SETTLED_S)
        snprintf(out, 96, "?");
    else
        snprintf(out, 96, "%lld:%lld.%09ld:%lld.%09ld", S_ISDIR(info.st_mode) ? 0LL : (long long)info.st_size,
                 (long long)info.st_mtim.tv_sec, info.st_mtim.tv_nsec, (long long)info.st_ctim.tv_sec,
                 info.st_ctim.tv_nsec);
}

/* Returns whether a path from the manifest stays within the folder that it is appended to. */
static bool is_safe(const char *path)
{
    for (const char *at = path; at != NULL; at = strchr(at, '/') == NULL ? NULL : strchr(at, '/') + 1) {
        const size_t size = strcspn(at, "/");
        if ((size == 0 && *at == '/') || (size == 2 && memcmp(at, "..", 2) == 0))
            return false;
    }
    return true;
}

bool thumbs_is_fresh(const struct thumbs *thumbs, const cJSON *entry, const char *source)
{
    const cJSON *files = json_get(entry, "files"), *file;
    if (!thumbs->context.session.is_private ||
        !cJSON_HasObjectItem(files, source)) /* the symbolic link has a new target */
        return false;
    cJSON_ArrayForEach(file, files)
    {
        char stamp[96];
        const char *known = cJSON_GetStringValue(file);
        if (!is_safe(file->string))
            return false;
        thumbs_file_stamp(thumbs, file->string, 1e18, stamp);
        if (known == NULL || strcmp(known, stamp) != 0)
            return false;
    }
    return true;
}

bool thumbs_is_unmatched(const cJSON *entry) { return cJSON_IsTrue(json_get(entry, "unmatched")); }

const char *thumbs_why_skipped(const cJSON *entry) { return member_text(entry, "skipped"); }

static const char *file_of(const cJSON *picture)
{
    const char *file = cJSON_GetStringValue(json_get(picture, "file"));
    return file == NULL || !is_safe(file) ? "" : file;
}

bool thumbs_has_pictures(const struct thumbs *thumbs, const cJSON *entry)
{
    const cJSON *pictures = json_get(entry, "pictures"), *picture;
    cJSON_ArrayForEach(picture, pictures)
    {
        char full[8192];
        struct stat info;
        snprintf(full, sizeof full, "%s/%s", thumbs->out, file_of(picture));
        if (lstat(full, &info) != 0 || !S_ISREG(info.st_mode) ||
            (double)info.st_size != member_number(picture, "bytes"))
            return false;
    }
    return cJSON_GetArraySize(pictures) > 0 || thumbs_is_unmatched(entry);
}

static bool has_file(const cJSON *entry, const char *file)
{
    const cJSON *picture;
    cJSON_ArrayForEach(picture, json_get(entry, "pictures"))
    {
        if (strcmp(file_of(picture), file) == 0)
            return true;
    }
    return false;
}

void thumbs_remove_outdated(const struct thumbs *thumbs, const cJSON *old, const cJSON *entry)
{
    const cJSON *picture;
    cJSON_ArrayForEach(picture, json_get(old, "pictures"))
    {
        const char *file = file_of(picture);
        char full[8192];
        struct text problem = {0};
        if (file[0] == '\0' || has_file(entry, file))
            continue;
        snprintf(full, sizeof full, "%s/%s", thumbs->out, file);
        if (!output_is_behind_link(thumbs->out, file, &problem)) /* posectl has drawn nothing through a link */
            unlink(full);
        text_free(&problem);
    }
}
