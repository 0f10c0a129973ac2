/* sources.c - lists of source files: compares their stamps, hashes their contents. */
#include "daemon/model/sources.h"

#include "base/mem.h"
#include "daemon/model/searched_names.h"
#include "daemon/model/source_access.h"
#include "daemon/support/fd.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <nettle/sha2.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { READ_SIZE = 1 << 16, PATH_MAX_BYTES = 4095 };

struct sources *sources_new(uint32_t count)
{
    struct sources *sources = mem_zalloc(1, sizeof *sources + count * sizeof *sources->items);
    sources->count = count;
    return sources;
}

void sources_free(struct sources *sources)
{
    if (sources == NULL)
        return;
    for (uint32_t i = 0; i < sources->count; i++)
        free(sources->items[i].path);
    free(sources);
}

struct sources *sources_of_model(const struct model *model)
{
    struct sources *sources = sources_new(model->source_file_count);
    for (uint32_t i = 0; i < sources->count; i++) {
        const struct source_file *file = &model->source_files[i];
        if (file->path.offset == STR_NONE || file->path.size_bytes > PATH_MAX_BYTES) {
            sources_free(sources);
            return NULL;
        }
        sources->items[i] = (struct source){
            .path = mem_strndup(model->text + file->path.offset, file->path.size_bytes),
            .role = file->role,
            .is_missing = file->is_missing != 0,
            .stamp = {file->size_bytes, file->mtime_ns, file->ctime_ns, file->inode},
        };
    }
    return sources;
}

const struct source *sources_find_model(const struct sources *sources)
{
    for (uint32_t i = 0; i < sources->count; i++)
        if (sources->items[i].role == SOURCE_MODEL)
            return &sources->items[i];
    return NULL;
}

/* Whether an errno of opening is about the file, and not a temporary condition. */
static bool is_lasting(int error)
{
    switch (error) {
    case ENOENT:
    case ENOTDIR:
    case ENAMETOOLONG:
    case ELOOP:
    case EXDEV:
    case EACCES:
    case EPERM:
    case ENXIO:
        return true;
    default:
        return false;
    }
}

bool source_is_unchanged(int folder_fd, const char *path, const struct source *source)
{
    struct stat stat;
    if (root_lstat(folder_fd, path, &stat) != 0)
        return source->is_missing && is_lasting(errno);
    const struct stamp now = stamp_of(&stat);
    return !source->is_missing && stamp_equal(&now, &source->stamp);
}

/* --- searched folders --- */

/* True if the relevant names in the folder are unchanged, although its stamp differs. */
static bool has_same_names(int root_fd, const struct sources *sources, const struct source *folder)
{
    uint8_t hash[SOURCE_HASH_SIZE];
    return folder->role == SOURCE_SEARCHED && folder->kind == SOURCE_NAMES &&
           searched_names_hash(root_fd, folder->path, sources, hash) && memcmp(hash, folder->hash, sizeof hash) == 0;
}

void sources_look_into(int root_fd, struct sources *sources)
{
    uint8_t hash[SOURCE_HASH_SIZE];
    uint32_t folders = 0; /* more than an import may list were not looked into by one of ours */
    for (uint32_t i = 0; i < sources->count && folders < IMPORT_FOLDERS_MAX; i++) {
        struct source *folder = &sources->items[i];
        if (folder->role != SOURCE_SEARCHED || folder->is_missing)
            continue;
        folders++;
        if (!searched_names_hash(root_fd, folder->path, sources, hash) ||
            !source_is_unchanged(root_fd, folder->path, folder))
            continue;
        folder->kind = SOURCE_NAMES;
        memcpy(folder->hash, hash, sizeof hash);
    }
}

/* --- all files --- */

bool sources_are_unchanged(int root_fd, const struct sources *sources)
{
    for (uint32_t i = 0; i < sources->count; i++)
        if (!source_is_unchanged(root_fd, sources->items[i].path, &sources->items[i]) &&
            !has_same_names(root_fd, sources, &sources->items[i]))
            return false;
    return true;
}

static ssize_t read_some(int fd, uint8_t *bytes, const char *path)
{
    source_enter();
    const ssize_t n = read(fd, bytes, READ_SIZE);
    source_leave(n < 0 ? errno : 0, path);
    return n;
}

static bool hash_bytes(int fd, const char *path, uint64_t size_bytes, uint8_t hash[SOURCE_HASH_SIZE])
{
    struct sha256_ctx sha;
    uint8_t *bytes = mem_alloc(READ_SIZE);
    uint64_t got = 0;
    ssize_t n;
    sha256_init(&sha);
    while ((n = read_some(fd, bytes, path)) > 0 || (n < 0 && errno == EINTR)) {
        if (n > 0)
            sha256_update(&sha, (size_t)n, bytes);
        got += n > 0 ? (uint64_t)n : 0;
    }
    free(bytes);
    sha256_digest(&sha, SOURCE_HASH_SIZE, hash);
    return n == 0 && got == size_bytes;
}

static int by_bytes(const struct dirent **a, const struct dirent **b) { return strcmp((*a)->d_name, (*b)->d_name); }

/* Takes the descriptor. */
static bool hash_names(int fd, const char *path, uint8_t hash[SOURCE_HASH_SIZE])
{
    struct dirent **entries;
    struct sha256_ctx sha;
    source_enter();
    const int count = scandirat(fd, ".", &entries, NULL, by_bytes);
    source_leave(count < 0 ? errno : 0, path);
    fd_close(fd);
    if (count < 0)
        return false;
    sha256_init(&sha);
    for (int i = 0; i < count; i++) {
        sha256_update(&sha, strlen(entries[i]->d_name) + 1, (const uint8_t *)entries[i]->d_name);
        free(entries[i]);
    }
    free(entries);
    sha256_digest(&sha, SOURCE_HASH_SIZE, hash);
    return true;
}

static bool read_content(int root_fd, const struct sources *sources, struct source *source)
{
    const bool is_folder = source->kind == SOURCE_NAMES;
    if (is_folder && source->role == SOURCE_SEARCHED && sources != NULL)
        return searched_names_hash(root_fd, source->path, sources, source->hash);
    const int fd = is_folder ? root_open_folder(root_fd, source->path)
                             : root_open_beneath(root_fd, source->path, O_RDONLY | O_NONBLOCK | O_NOCTTY);
    if (fd < 0 && (errno == EACCES || errno == EPERM)) {
        source->kind = SOURCE_UNREADABLE;
        return true;
    }
    if (fd < 0)
        return false;
    if (is_folder)
        return hash_names(fd, source->path, source->hash);
    const bool is_read = hash_bytes(fd, source->path, source->stamp.size_bytes, source->hash);
    close(fd);
    return is_read;
}

bool source_read(int root_fd, uint64_t max_file_bytes, const struct sources *sources, struct source *source)
{
    struct stat stat;
    source->is_missing = false;
    source->stamp = (struct stamp){0};
    memset(source->hash, 0, sizeof source->hash);
    if (root_lstat(root_fd, source->path, &stat) != 0) {
        source->is_missing = true;
        source->kind = SOURCE_NONE;
        return is_lasting(errno);
    }
    source->stamp = stamp_of(&stat);
    source->kind = S_ISDIR(stat.st_mode)                       ? SOURCE_NAMES
                   : !S_ISREG(stat.st_mode)                    ? SOURCE_OTHER
                   : source->stamp.size_bytes > max_file_bytes ? SOURCE_TOO_LARGE
                                                               : SOURCE_BYTES;
    if ((source->kind == SOURCE_NAMES || source->kind == SOURCE_BYTES) && !read_content(root_fd, sources, source))
        return false;
    return source_is_unchanged(root_fd, source->path, source);
}

struct sources *sources_read(int root_fd, uint64_t max_file_bytes, const struct sources *then,
                             bool (*is_same)(const struct source *now, const struct source *then))
{
    struct sources *sources = sources_new(then->count);
    for (uint32_t i = 0; i < then->count; i++) {
        struct source *now = &sources->items[i];
        now->path = mem_strdup(then->items[i].path);
        now->role = then->items[i].role;
        if (source_read(root_fd, max_file_bytes, then, now) && is_same(now, &then->items[i]))
            continue;
        sources_free(sources);
        return NULL;
    }
    return sources;
}
