#include "clients/cli/pass/failures.h"

#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { PATH_BYTES = 8192, STAMP_BYTES = 128 };

/* The greatest error of a file system's timestamps: a coarse clock, or a difference to the local clock. */
#define SETTLED_S 1.0

struct surroundings {
    char *folder; /* absolute */
    uint64_t hash;
    double newest_s; /* time of the last change of a file in it */
};

void failures_open(struct failures *failures, const struct session *session, const char *out)
{
    *failures = (struct failures){.session = session, .out = out};
    pthread_mutex_init(&failures->mutex, NULL);
    if (session->is_private)
        importer_version(session->pid, failures->importer);
}

void failures_forget_folders(struct failures *failures)
{
    for (size_t i = 0; i < failures->count; i++)
        free(failures->known[i].folder);
    free(failures->known);
    failures->known = NULL;
    failures->count = 0;
}

void failures_close(struct failures *failures)
{
    if (failures->session == NULL)
        return;
    failures_forget_folders(failures);
    pthread_mutex_destroy(&failures->mutex);
    failures->session = NULL;
}

/* --- the files around a model --- */

/* FNV-1a. */
static void hash_text(uint64_t *hash, const char *text)
{
    for (size_t i = 0; i == 0 || text[i - 1] != '\0'; i++)
        *hash = (*hash ^ (unsigned char)text[i]) * UINT64_C(0x100000001b3);
}

static double seconds(struct timespec at) { return (double)at.tv_sec + (double)at.tv_nsec * 1e-9; }

static void add_file(struct surroundings *around, const char *name, const struct stat *info)
{
    char stamp[STAMP_BYTES];
    snprintf(stamp, sizeof stamp, "%lld:%lld.%09ld:%lld.%09ld", (long long)info->st_size,
             (long long)info->st_mtim.tv_sec, info->st_mtim.tv_nsec, (long long)info->st_ctim.tv_sec,
             info->st_ctim.tv_nsec);
    hash_text(&around->hash, name);
    hash_text(&around->hash, stamp);
    if (seconds(info->st_ctim) > around->newest_s)
        around->newest_s = seconds(info->st_ctim);
}

/* Adds the files of a folder and of its subfolders, where the parts of models are. */
static void add_folder(struct surroundings *around, const char *folder, const struct stat *out, bool is_inner)
{
    struct dirent **names = NULL;
    const int count = scandir(folder, &names, NULL, alphasort);
    for (int i = 0; i < count; i++) {
        char path[PATH_BYTES];
        struct stat info;
        snprintf(path, sizeof path, "%s/%s", folder, names[i]->d_name);
        if (names[i]->d_name[0] != '.' && stat(path, &info) == 0) {
            const bool is_out = info.st_dev == out->st_dev && info.st_ino == out->st_ino;
            if (S_ISREG(info.st_mode))
                add_file(around, names[i]->d_name, &info);
            else if (S_ISDIR(info.st_mode) && !is_inner && !is_out) {
                hash_text(&around->hash, names[i]->d_name);
                add_folder(around, path, out, true);
            }
        }
        free(names[i]);
    }
    free(names);
}

/* Returns the surroundings of `source`, under the mutex. If a folder changes after the first look, the record stays
 * older than the folder. A failure that was recorded meanwhile does not match later, and the model is tried again. */
static const struct surroundings *find_surroundings(struct failures *failures, const char *source)
{
    char folder[PATH_BYTES];
    struct stat out = {0};
    const char *slash = strrchr(source, '/');
    snprintf(folder, sizeof folder, "%s/%.*s", failures->session->folder, slash == NULL ? 0 : (int)(slash - source),
             source);
    for (size_t i = 0; i < failures->count; i++)
        if (strcmp(failures->known[i].folder, folder) == 0)
            return &failures->known[i];
    failures->known = must_grow(failures->known, (failures->count + 1) * sizeof *failures->known);
    struct surroundings *added = &failures->known[failures->count++];
    *added = (struct surroundings){.folder = must_copy(folder), .hash = UINT64_C(0xcbf29ce484222325)};
    stat(failures->out, &out);
    add_folder(added, folder, &out, false);
    return added;
}

/* Makes the stamp of everything that must be the same for the failure to happen again. "": something has just changed.
 */
static void make_stamp(struct failures *failures, const char *source, double before_s, char out[STAMP_BYTES])
{
    pthread_mutex_lock(&failures->mutex);
    const struct surroundings *around = find_surroundings(failures, source);
    out[0] = '\0';
    if (around->newest_s <= before_s - SETTLED_S)
        snprintf(out, STAMP_BYTES, "%016llx", (unsigned long long)around->hash);
    pthread_mutex_unlock(&failures->mutex);
}

/* --- entries --- */

/* Returns whether the file itself causes the error: every import of it fails. */
static bool is_of_the_file(const char *code)
{
    static const char *const CODES[] = {
        "not_a_model",    "empty_file",    "lfs_pointer",    "bad_model",        "model_limit",
        "bad_keys",       "bad_bake",      "import_crashed", "import_aborted",   "unsupported_extension",
        "import_syscall", "import_memory", "import_cpu",     "import_too_large", "unsupported_file"};
    for (size_t i = 0; i < sizeof CODES / sizeof *CODES; i++)
        if (strcmp(CODES[i], code) == 0)
            return true;
    return false;
}

void failures_record(struct failures *failures, cJSON *entry, const char *source, double before_s)
{
    char stamp[STAMP_BYTES];
    if (failures->importer[0] == '\0' || !is_of_the_file(member_text(json_get(entry, "error"), "code")))
        return;
    make_stamp(failures, source, before_s, stamp);
    if (stamp[0] == '\0')
        return;
    cJSON *failure = cJSON_AddObjectToObject(entry, "failure");
    cJSON_AddStringToObject(failure, "source", source);
    cJSON_AddStringToObject(failure, "importer", failures->importer);
    cJSON_AddStringToObject(failure, "around", stamp);
}

bool failures_is_known(struct failures *failures, const cJSON *entry, const char *source)
{
    const cJSON *failure = json_get(entry, "failure");
    char stamp[STAMP_BYTES];
    if (json_error(entry) == NULL || failure == NULL || failures->importer[0] == '\0' ||
        strcmp(member_text(failure, "source"), source) != 0 || /* the symbolic link has a new target */
        strcmp(member_text(failure, "importer"), failures->importer) != 0)
        return false;
    make_stamp(failures, source, 1e18, stamp);
    return strcmp(member_text(failure, "around"), stamp) == 0;
}
