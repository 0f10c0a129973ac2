/* file_access.c - decides by path, by the upload folder and by the marks of zips which files an importer gets. */
#include "daemon/model/file_access.h"

#include "base/mem.h"
#include "daemon/model/root.h"
#include "daemon/support/fd.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The largest number of folders above a model that are checked for a mark. */
enum { LEVELS_MAX = 128 };

static bool starts_with(const char *text, const char *start) { return strncmp(text, start, strlen(start)) == 0; }

static bool has_hidden_part(const char *path) { return path[0] == '.' || strstr(path, "/.") != NULL; }

/* True for a path as posed-import writes it: relative, without empty, "." and ".." parts; a folder has a trailing
 * slash. */
static bool is_plain(const char *path)
{
    for (const char *part = path; *part != '\0';) {
        const size_t size = strcspn(part, "/");
        if (size == 0 || (size == 1 && part[0] == '.') || (size == 2 && memcmp(part, "..", 2) == 0))
            return false;
        part += size;
        part += *part != '\0';
    }
    return true;
}

/* --- the upload folder --- */

/* What leads to a path's first bytes. */
static bool look_at(int root_fd, const char *path, size_t path_bytes, struct stat *out)
{
    char text[IMPORT_PATH_SIZE];
    if (path_bytes >= sizeof text)
        return false;
    memcpy(text, path, path_bytes);
    text[path_bytes] = '\0';
    return root_lstat(root_fd, text, out) == 0;
}

/* Returns the length of the path's prefix that leads to the upload folder, with its slash; -1: the path is elsewhere.
 * It also compares device and inode, because case-insensitive file systems and mounts show one folder under several
 * names, and the folder may have been moved. */
static long upload_prefix(int root_fd, const struct file_policy *policy, const char *path)
{
    const char *uploads = policy->uploads;
    if (uploads == NULL)
        return -1;
    const size_t bytes = strlen(uploads);
    if (starts_with(path, uploads))
        return (long)bytes;
    struct stat now, stat;
    const bool is_there = look_at(root_fd, uploads, bytes - 1, &now);
    for (const char *slash = path; (slash = strchr(slash, '/')) != NULL; slash++)
        if (look_at(root_fd, path, (size_t)(slash - path), &stat) &&
            ((is_there && stat.st_dev == now.st_dev && stat.st_ino == now.st_ino) ||
             (policy->uploads_inode != 0 && stat.st_dev == policy->uploads_device &&
              stat.st_ino == policy->uploads_inode)))
            return slash + 1 - path;
    return -1;
}

/* --- models --- */

int file_access_check_model(const struct file_policy *policy, int root_fd, const char *path, struct err *err)
{
    const bool allows_hidden = policy->allows_hidden || policy->allows_hidden_models;
    if (!has_hidden_part(path) || (allows_hidden && upload_prefix(root_fd, policy, path) < 0))
        return 0;
    return err_set(err, ERR_MODEL_NOT_FOUND, "'%s' %s", path, import_refusal(FILE_ACCESS_HIDDEN));
}

bool file_access_stage(struct file_access *out, const char *own, int stage_fd, const char *place)
{
    const bool is_folder = own[strlen(own) - 1] == '/';
    const struct file_access stage = {.kind = is_folder ? FILE_ACCESS_FOLDER : FILE_ACCESS_ALONE,
                                      .own = (char *)(uintptr_t)own,
                                      .fd = stage_fd,
                                      .place = (char *)(uintptr_t)place};
    return file_access_copy(out, &stage);
}

bool file_access_copy(struct file_access *out, const struct file_access *from)
{
    *out = (struct file_access){.kind = from->kind, .policy = from->policy, .fd = -1};
    if (from->fd >= 0 && (out->fd = fcntl(from->fd, F_DUPFD_CLOEXEC, 0)) < 0)
        return false;
    out->own = mem_strdup(from->own);
    out->place = mem_strdup(from->place);
    out->hidden_model = from->hidden_model == NULL ? NULL : mem_strdup(from->hidden_model);
    return true;
}

void file_access_fini(struct file_access *access)
{
    if (access->own != NULL && access->fd >= 0)
        close(access->fd);
    free(access->own);
    free(access->place);
    free(access->hidden_model);
    sources_free(access->marks);
    *access = (struct file_access){.fd = -1};
}

/* Checks one folder above a model, whose path ends in a slash. Returns 1 if it came as a zip, with its descriptor in
 * access->fd, 0 if not, -1 with errno. *mark describes the object at the mark's path. */
static int look_at_folder(struct file_access *access, int root_fd, const char *folder, struct source *mark)
{
    const size_t bytes = strlen(folder);
    struct stat stat;
    const int fd = root_open_beneath(root_fd, folder, O_PATH | O_DIRECTORY);
    if (fd < 0)
        return -1;
    mark->path = mem_alloc(bytes + sizeof FILE_ACCESS_MARK);
    memcpy(mark->path, folder, bytes);
    memcpy(mark->path + bytes, FILE_ACCESS_MARK, sizeof FILE_ACCESS_MARK);
    mark->role = SOURCE_COMPANION;
    mark->is_missing = root_lstat(fd, FILE_ACCESS_MARK, &stat) != 0;
    const int found = !mark->is_missing ? S_ISREG(stat.st_mode) : errno == ENOENT ? 0 : -1;
    if (!mark->is_missing)
        mark->stamp = stamp_of(&stat);
    if (found == 1)
        access->fd = fd;
    else
        fd_close(fd); /* keeps errno */
    return found;
}

/* Finds the nearest folder above the model that came as a zip; the first `least` bytes of the path are the upload
 * folder. Leaves its path in `folder`. Returns 1, 0 or -1. */
static int find_zip(struct file_access *access, int root_fd, size_t least, char *folder)
{
    access->marks = sources_new(LEVELS_MAX);
    access->marks->count = 0;
    for (char *slash; (slash = strrchr(folder, '/')) != NULL && access->marks->count < LEVELS_MAX; *slash = '\0') {
        slash[1] = '\0';
        if (strlen(folder) <= least)
            return 0;
        const int found = look_at_folder(access, root_fd, folder, &access->marks->items[access->marks->count]);
        access->marks->count += access->marks->items[access->marks->count].path != NULL;
        if (found != 0)
            return found;
    }
    return 0;
}

int file_access_find(struct file_access *out, int root_fd, const struct file_policy *policy, const char *path)
{
    *out = (struct file_access){.kind = FILE_ACCESS_ROOT, .policy = *policy, .fd = -1};
    const long least = upload_prefix(root_fd, policy, path);
    if (least < 0) {
        out->own = mem_strdup("");
        out->hidden_model = policy->allows_hidden_models ? mem_strdup(path) : NULL;
    } else {
        char *folder = mem_strdup(path);
        const int found = find_zip(out, root_fd, (size_t)least, folder);
        const int error = errno;
        if (found < 0 && error != ENOENT && error != ENOTDIR && error != ELOOP) {
            free(folder);
            file_access_fini(out);
            return error;
        }
        out->kind = found > 0 ? FILE_ACCESS_FOLDER : FILE_ACCESS_ALONE;
        out->own = mem_strdup(found > 0 ? folder : path);
        free(folder);
    }
    out->place = mem_strdup(out->kind == FILE_ACCESS_ALONE ? path : "");
    return 0;
}

/* --- requests of importers --- */

/* True if a hidden part of the path is neither a parent folder of the hidden model nor the model itself. */
static bool is_hidden_from(const struct file_access *access, const char *path)
{
    const char *model = access->hidden_model;
    size_t shared = 0;
    if (access->policy.allows_hidden || (model != NULL && strcmp(model, path) == 0))
        return false;
    for (size_t i = 0; model != NULL && model[i] != '\0' && model[i] == path[i]; i++)
        if (path[i] == '/')
            shared = i + 1;
    return has_hidden_part(path + shared);
}

/* Why `path` is not to be had, as an import_file_reply has it; 0: it is. */
static int32_t refusal(const struct file_access *access, int root_fd, const char *path)
{
    const struct file_policy *policy = &access->policy;
    if (!is_plain(path))
        return EXDEV;
    switch (access->kind) {
    case FILE_ACCESS_ALONE:
        return strcmp(path, access->own) == 0 ? 0 : IMPORT_REFUSED(FILE_ACCESS_ALONE);
    case FILE_ACCESS_FOLDER:
        return !starts_with(path, access->own)               ? IMPORT_REFUSED(FILE_ACCESS_FOLDER)
               : has_hidden_part(path + strlen(access->own)) ? IMPORT_REFUSED(FILE_ACCESS_HIDDEN)
                                                             : 0;
    default:
        return is_hidden_from(access, path)                ? IMPORT_REFUSED(FILE_ACCESS_HIDDEN)
               : upload_prefix(root_fd, policy, path) >= 0 ? IMPORT_REFUSED(FILE_ACCESS_ROOT)
                                                           : 0;
    }
}

/* `path` as an importer says it: a folder's ends in a slash afterwards, and the root's is empty. */
static void take_path(const char *path, bool is_folder, char out[IMPORT_PATH_SIZE + 1])
{
    const size_t bytes = strlen(path);
    memcpy(out, path, bytes + 1);
    if (is_folder && strcmp(path, ".") == 0)
        out[0] = '\0';
    else if (is_folder)
        memcpy(out + bytes, "/", 2);
}

int file_access_place(const struct file_access *access, int root_fd, const char *path, char out[IMPORT_PATH_SIZE])
{
    const char *rest = path + strlen(access->own);
    const size_t place_bytes = strlen(access->place), rest_bytes = strlen(rest);
    if (place_bytes + rest_bytes >= IMPORT_PATH_SIZE)
        return -1;
    memcpy(out, access->place, place_bytes);
    memcpy(out + place_bytes, rest, rest_bytes + 1);
    return access->fd >= 0 ? access->fd : root_fd;
}

int file_access_serve(const struct file_access *access, int root_fd, const struct import_file_request *request,
                      struct import_file_reply *reply)
{
    char path[IMPORT_PATH_SIZE + 1];
    take_path(request->path, request->kind == IMPORT_FILE_LIST, path);
    *reply = (struct import_file_reply){.magic = IMPORT_FILES_MAGIC, .error = refusal(access, root_fd, path)};
    if (reply->error != 0)
        return -1;
    struct import_file_request there = {.magic = request->magic, .kind = request->kind};
    memcpy(there.suffix, request->suffix, sizeof there.suffix);
    const int folder_fd = file_access_place(access, root_fd, path, there.path);
    if (folder_fd < 0) {
        reply->error = ENAMETOOLONG;
        return -1;
    }
    return root_serve(folder_fd, &there, reply);
}

/* --- the sources of a model --- */

static bool may_open(const struct file_access *access, int root_fd, const struct source *source)
{
    char path[IMPORT_PATH_SIZE + 1];
    take_path(source->path, source_is_folder(source), path);
    return refusal(access, root_fd, path) == 0;
}

static struct source copy_of(const struct source *source)
{
    struct source copy = *source;
    copy.path = mem_strdup(source->path);
    return copy;
}

struct sources *file_access_sources(const struct file_access *access, int root_fd, struct sources *found)
{
    const uint32_t mark_count = access->marks != NULL ? access->marks->count : 0;
    struct sources *kept = sources_new(found->count + mark_count);
    bool is_true = true;
    kept->count = 0;
    for (uint32_t i = 0; is_true && i < found->count; i++)
        if (may_open(access, root_fd, &found->items[i]))
            kept->items[kept->count++] = copy_of(&found->items[i]);
        else
            is_true = found->items[i].is_missing;
    for (uint32_t i = 0; is_true && i < mark_count; i++)
        kept->items[kept->count++] = copy_of(&access->marks->items[i]);
    sources_free(found);
    if (is_true) {
        sources_look_into(root_fd, kept);
        return kept;
    }
    sources_free(kept);
    return NULL;
}

bool file_access_is_unchanged(const struct file_access *access, int root_fd, const struct sources *sources)
{
    for (uint32_t i = 0; i < sources->count; i++) {
        const struct source *source = &sources->items[i];
        char path[IMPORT_PATH_SIZE + 1], place[IMPORT_PATH_SIZE];
        take_path(source->path, source_is_folder(source), path);
        const int folder_fd = file_access_place(access, root_fd, path, place);
        if (folder_fd < 0 || !source_is_unchanged(folder_fd, place, source))
            return false;
    }
    return true;
}

/* Compares the stamp of a moved file: only the time of its last change may differ. */
static bool restamp(int root_fd, struct source *source)
{
    struct stat stat;
    if (source->is_missing || root_lstat(root_fd, source->path, &stat) != 0)
        return source_is_unchanged(root_fd, source->path, source);
    const struct stamp then = source->stamp;
    source->stamp = stamp_of(&stat);
    return source->stamp.size_bytes == then.size_bytes && source->stamp.mtime_ns == then.mtime_ns &&
           source->stamp.inode == then.inode;
}

struct sources *file_access_moved(const struct file_access *stage, int root_fd, const struct file_policy *policy,
                                  const struct sources *sources)
{
    struct file_access access;
    const struct source *model = sources_find_model(sources);
    if (model == NULL || file_access_find(&access, root_fd, policy, model->path) != 0)
        return NULL;
    struct sources *moved = sources_new(sources->count);
    bool is_same = access.kind == stage->kind && strcmp(access.own, stage->own) == 0;
    for (uint32_t i = 0; i < sources->count; i++) {
        moved->items[i] = copy_of(&sources->items[i]);
        is_same = is_same && restamp(root_fd, &moved->items[i]);
    }
    if (is_same)
        moved = file_access_sources(&access, root_fd, moved);
    else
        sources_free(moved);
    file_access_fini(&access);
    return is_same ? moved : NULL;
}
