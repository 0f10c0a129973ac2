/* upload_folder.c - finds, checks and makes the folder of uploads. */
#include "daemon/upload/upload_folder.h"

#include "base/limits.h"
#include "daemon/model/root.h"
#include "daemon/support/log.h"
#include "daemon/upload/upload_store.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { FOLDER_MODE = 0755 };

static int bad_folder(const char *folder, const char *why, struct err *err)
{
    return err_set(err, ERR_BAD_PARAMETER, "--uploads %s: %s", folder, why);
}

/* Writes the real path, whose last part may be missing, into out[PATH_MAX]. Returns false and errno. */
static bool resolve(const char *path, char *out)
{
    char above[PATH_MAX];
    struct stat link;
    if (realpath(path, out) != NULL)
        return true;
    if (errno != ENOENT || lstat(path, &link) == 0 || strlen(path) >= sizeof above)
        return false;
    size_t bytes = strlen(path);
    while (bytes > 1 && path[bytes - 1] == '/')
        bytes--;
    size_t start = bytes;
    while (start > 0 && path[start - 1] != '/')
        start--;
    const char *last = path + start;
    const size_t last_bytes = bytes - start;
    snprintf(above, sizeof above, "%.*s", start == 0 ? 1 : (int)start, start == 0 ? "." : path);
    if (realpath(above, out) == NULL)
        return false;
    bytes = strlen(out);
    if (bytes + last_bytes + 2 > PATH_MAX) {
        errno = ENAMETOOLONG;
        return false;
    }
    if (strcmp(out, "/") != 0)
        out[bytes++] = '/';
    memcpy(out + bytes, last, last_bytes);
    out[bytes + last_bytes] = '\0';
    return true;
}

/* Both are real paths. True if the path is in the folder, or is the folder. */
static bool lies_in(const char *path, const char *folder)
{
    const size_t bytes = strcmp(folder, "/") == 0 ? 0 : strlen(folder);
    return strncmp(path, folder, bytes) == 0 && (path[bytes] == '/' || path[bytes] == '\0');
}

/* Clients reach nothing with a hidden name in the folder. */
static bool clients_reach(const char *path, const char *folder)
{
    const size_t bytes = strcmp(folder, "/") == 0 ? 0 : strlen(folder);
    return lies_in(path, folder) && (path[bytes] == '\0' || path[bytes + 1] != '.');
}

/* Writes the folder's place under the root into out[UPLOAD_FOLDER_SIZE], and its real path into real[PATH_MAX]. */
static int find_place(const struct config *config, char *out, char *real, struct err *err)
{
    const char *folder = config->uploads;
    char root[PATH_MAX];
    if (realpath(config->root, root) == NULL || !resolve(folder, real))
        return bad_folder(folder, strerror(errno), err);
    if (!lies_in(real, root))
        return bad_folder(folder, "is not the root or a folder beneath it", err);
    const char *rest = real + (strcmp(root, "/") == 0 ? 0 : strlen(root));
    rest += *rest == '/';
    const size_t bytes = strlen(rest);
    if (bytes + 2 > UPLOAD_FOLDER_SIZE)
        return bad_folder(folder, "its path is too long", err);
    snprintf(out, UPLOAD_FOLDER_SIZE, "%s%s", rest, bytes == 0 ? "" : "/");
    for (const char *part = out; part != NULL; part = strchr(part, '/') == NULL ? NULL : strchr(part, '/') + 1)
        if (*part == '.')
            return bad_folder(folder, "lies in a hidden folder, where no model is listed", err);
    if (root_folders_of(out) > LIMIT_INFO[LIMIT_FOLDERS].initial)
        return bad_folder(folder, "lies in more folders of the root than any listing goes into", err);
    return 0;
}

/* Clients can delete files among the uploads, and replace them. */
static int check_others(const struct config *config, const char *real, struct err *err)
{
    const struct {
        const char *option, *path;
    } own[] = {
        {"cache-dir", config->cache_dir},
        {"worker-dir", config->worker_dir},
        {"token-file", config->token_file},
        {"unix", config->unix_path},
    };
    char path[PATH_MAX];
    for (size_t i = 0; i < sizeof own / sizeof *own; i++)
        if (own[i].path != NULL && strcmp(own[i].path, "none") != 0 && resolve(own[i].path, path) &&
            clients_reach(path, real))
            return err_set(err, ERR_BAD_PARAMETER, "--%s %s: lies in the folder of uploads, %s", own[i].option,
                           own[i].path, config->uploads);
    if (strcmp(config->cache_dir, "none") != 0 && resolve(config->cache_dir, path) && clients_reach(real, path))
        return err_set(err, ERR_BAD_PARAMETER, "--uploads %s: lies in --cache-dir %s", config->uploads,
                       config->cache_dir);
    return 0;
}

int upload_folder_find(struct config *config, struct err *err)
{
    static char place[UPLOAD_FOLDER_SIZE]; /* for as long as the configuration */
    char real[PATH_MAX];
    struct stat found;
    if (config->uploads == NULL)
        return 0;
    if (find_place(config, place, real, err) < 0 || check_others(config, real, err) < 0)
        return err->code;
    if (mkdir(config->uploads, FOLDER_MODE) == 0)
        log_info("--uploads %s: there was no such folder, made it", config->uploads);
    else if (errno != EEXIST)
        return bad_folder(config->uploads, strerror(errno), err);
    if (stat(config->uploads, &found) != 0)
        return bad_folder(config->uploads, strerror(errno), err);
    if (!S_ISDIR(found.st_mode))
        return bad_folder(config->uploads, strerror(ENOTDIR), err);
    config->files.uploads = place;
    config->files.uploads_device = found.st_dev;
    config->files.uploads_inode = found.st_ino;
    return 0;
}

int upload_folder_check(const struct config *config, struct err *err)
{
    char place[UPLOAD_FOLDER_SIZE], real[PATH_MAX];
    struct stat found;
    if (config->uploads == NULL)
        return 0;
    if (find_place(config, place, real, err) < 0 || check_others(config, real, err) < 0)
        return err->code;
    if (stat(real, &found) != 0)
        *strrchr(real, '/') = '\0'; /* where it would be made */
    else if (!S_ISDIR(found.st_mode))
        return bad_folder(config->uploads, strerror(ENOTDIR), err);
    if (access(real[0] == '\0' ? "/" : real, W_OK | X_OK) != 0)
        return bad_folder(config->uploads, strerror(errno), err);
    return 0;
}
