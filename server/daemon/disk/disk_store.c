/* disk_store.c - stores models in the folder, and keeps the folder small. */
#include "daemon/disk/disk_internal.h"

#include "base/mem.h"
#include "daemon/support/fd.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>
#include <xxhash.h>

enum { NAME_DIGITS = 32 };

/* --- keeping it small --- */

struct kept_file {
    char name[DISK_NAME_SIZE];
    uint64_t size_bytes;
    int64_t used_ns;
};

struct kept_files {
    struct kept_file *files;
    size_t count, capacity;
    uint64_t size_bytes;
};

static bool is_ours(const char *name)
{
    return strspn(name, "0123456789abcdef") == NAME_DIGITS &&
           (strcmp(name + NAME_DIGITS, ".model") == 0 || strcmp(name + NAME_DIGITS, ".index") == 0);
}

static void add_file(int folder_fd, const char *name, struct kept_files *kept)
{
    struct stat stat;
    if (fstatat(folder_fd, name, &stat, AT_SYMLINK_NOFOLLOW) != 0)
        return;
    if (kept->count == kept->capacity) {
        kept->capacity = kept->capacity == 0 ? 64 : 2 * kept->capacity;
        kept->files = mem_realloc(kept->files, kept->capacity * sizeof *kept->files);
    }
    struct kept_file *file = &kept->files[kept->count++];
    memcpy(file->name, name, strlen(name) + 1);
    file->size_bytes = (uint64_t)stat.st_blocks * 512;
    file->used_ns = stamp_of(&stat).mtime_ns;
    kept->size_bytes += file->size_bytes;
}

/* False: another version of this program wrote the file, or it was torn. Its name depends on the version, so no server
 * would ever use it. */
static bool is_of_this_version(const struct disk_cache *disk, const char *name)
{
    uint8_t prefix[DISK_PREFIX_SIZE];
    uint64_t file_bytes;
    uint32_t record_bytes;
    struct err err;
    const int fd = disk_file_open(disk->folder_fd, name, &file_bytes, &err);
    if (fd < 0)
        return err.code != ERR_BAD_BAKE;
    const ssize_t size = pread(fd, prefix, sizeof prefix, 0);
    close(fd);
    return size < 0 || (size == (ssize_t)sizeof prefix &&
                        disk_record_size(prefix, strcmp(name + NAME_DIGITS, ".index") == 0, &record_bytes, &err) == 0);
}

/* Lists our files. With `is_tidying` it removes temporary files of dead writers, and files that this version does not
 * read. */
static void list_files(struct disk_cache *disk, bool is_tidying, struct kept_files *kept, struct disk_report *report)
{
    *kept = (struct kept_files){0};
    DIR *dir = fd_open_names(openat(disk->folder_fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (dir == NULL)
        return;
    for (struct dirent *entry; (entry = readdir(dir)) != NULL;) {
        if (is_ours(entry->d_name) && is_tidying && !is_of_this_version(disk, entry->d_name))
            disk_remove_broken(disk, entry->d_name, report);
        else if (is_ours(entry->d_name))
            add_file(disk->folder_fd, entry->d_name, kept);
        else if (is_tidying)
            report->removed += disk_temporary_remove(disk->folder_fd, entry->d_name);
    }
    closedir(dir);
}

static int by_use(const void *a, const void *b)
{
    const struct kept_file *one = a, *other = b;
    return (one->used_ns > other->used_ns) - (one->used_ns < other->used_ns);
}

/* Removes the least recently used files until no more than `limit_bytes` are left. */
static void trim(struct disk_cache *disk, uint64_t limit_bytes, bool is_tidying, struct disk_report *report)
{
    struct kept_files kept;
    list_files(disk, is_tidying, &kept, report);
    if (kept.size_bytes > limit_bytes)
        qsort(kept.files, kept.count, sizeof *kept.files, by_use);
    /* a little more than needed, or each store would sort the folder again */
    const uint64_t wanted = limit_bytes - limit_bytes / 16;
    if (kept.size_bytes > limit_bytes)
        for (size_t i = 0; i < kept.count && kept.size_bytes > wanted; i++) {
            if (unlinkat(disk->folder_fd, kept.files[i].name, 0) != 0 && errno != ENOENT)
                continue;
            kept.size_bytes -= kept.files[i].size_bytes;
            report->evicted++;
        }
    atomic_store(&disk->size_bytes, kept.size_bytes);
    free(kept.files);
}

void disk_cache_tidy(struct disk_cache *disk, struct disk_report *report)
{
    if (!disk->is_read_only)
        trim(disk, disk->limit_bytes, true, report);
}

/* --- writing --- */

static int write_file(struct disk_cache *disk, const char *name, const struct buf *head, const void *bytes,
                      uint64_t size_bytes, struct err *err)
{
    struct disk_writer writer;
    if (disk_writer_open(&writer, disk->folder_fd, err) < 0)
        return err->code;
    if (fd_write(writer.fd, head->data, head->size_bytes) != 0 || fd_write(writer.fd, bytes, size_bytes) != 0) {
        err_set(err, ERR_UNAVAILABLE, "cannot write: %s", strerror(errno));
        disk_writer_abandon(&writer);
        return err->code;
    }
    const uint64_t before_bytes = disk_file_size(disk, name);
    if (disk_writer_finish(&writer, name, err) < 0)
        return err->code;
    disk_count(disk, before_bytes, disk_file_size(disk, name));
    return 0;
}

int disk_index_write(struct disk_cache *disk, const char *path, const uint8_t key[DISK_KEY_SIZE],
                     const struct sources *sources, int64_t recorded_ns, struct err *err)
{
    struct disk_index index = {.root = disk->root, .recorded_ns = recorded_ns, .sources = (void *)(uintptr_t)sources};
    struct buf record;
    char name[DISK_NAME_SIZE];
    memcpy(index.key, key, sizeof index.key);
    disk_key(disk, path, NULL, index.self);
    disk_name(index.self, "index", name);
    buf_init(&record, 0);
    disk_index_encode(&index, &record);
    const int rc = write_file(disk, name, &record, NULL, 0, err);
    buf_fini(&record);
    return rc;
}

/* Whether the model would be another one with more memory: a file was too large, or a picture could not be decoded, for
 * which a lack of memory may be the reason. Of anything else such a lack ends the import. */
static bool is_limited(const struct model *model, const struct sources *sources)
{
    for (uint32_t i = 0; i < sources->count; i++)
        if (sources->items[i].kind == SOURCE_TOO_LARGE)
            return true;
    for (uint32_t i = 0; i < model->texture_count; i++)
        if (model->textures[i].state == TEXTURE_BROKEN)
            return true;
    static const char BROKEN[] = "texture_broken"; /* of a picture that went into another texture */
    for (uint32_t i = 0; i < model->warning_count; i++) {
        const struct str code = model->warnings[i].code;
        if (code.size_bytes == sizeof BROKEN - 1 && memcmp(model->text + code.offset, BROKEN, sizeof BROKEN - 1) == 0)
            return true;
    }
    return false;
}

static int write_model(struct disk_cache *disk, const uint8_t key[DISK_KEY_SIZE], const struct imported_model *imported,
                       struct sources *sources, struct err *err)
{
    const struct model *model = &imported->model;
    struct disk_head head = {
        .bake_bytes = model->size_bytes,
        .pixel_offset = (uint64_t)((const char *)model->pixels - (const char *)model->bytes),
        .pixel_bytes = model->pixel_byte_count,
        .is_limited = is_limited(model, sources),
        .sources = sources,
    };
    struct buf record;
    char name[DISK_NAME_SIZE];
    memcpy(head.key, key, sizeof head.key);
    memcpy(head.limits, disk->limits, sizeof head.limits);
    head.core_sum = disk_core_sum(model->bytes, &head);
    head.pixel_sum = XXH3_64bits(model->pixels, model->pixel_byte_count);
    disk_name(key, "model", name);
    buf_init(&record, 0);
    disk_head_encode(&head, &record);
    buf_align(&record, 4096);
    const int rc = write_file(disk, name, &record, model->bytes, model->size_bytes, err);
    buf_fini(&record);
    return rc;
}

/* True if the file is unchanged since the import read it. */
static bool is_untouched(const struct source *now, const struct source *then)
{
    if (then->role == SOURCE_SEARCHED && then->kind == SOURCE_NAMES)
        return now->kind == SOURCE_NAMES && memcmp(now->hash, then->hash, sizeof now->hash) == 0;
    return now->is_missing == then->is_missing && stamp_equal(&now->stamp, &then->stamp);
}

static int write_both(struct disk_cache *disk, const char *path, const struct imported_model *imported,
                      struct sources *sources, int64_t recorded_ns, struct err *err)
{
    uint8_t key[DISK_KEY_SIZE];
    disk_key(disk, path, sources_find_model(sources)->hash, key);
    if (write_model(disk, key, imported, sources, err) < 0 ||
        disk_index_write(disk, path, key, sources, recorded_ns, err) < 0)
        return err->code;
    fsync(disk->folder_fd); /* names that were given or taken survive a loss of power */
    return 0;
}

static bool is_full(const struct disk_cache *disk, uint64_t needed_bytes)
{
    struct statvfs stat;
    return fstatvfs(disk->folder_fd, &stat) == 0 && (uint64_t)stat.f_bavail * stat.f_frsize < 2 * needed_bytes;
}

void disk_cache_store(struct disk_cache *disk, int root_fd, const char *path, const struct imported_model *imported,
                      struct disk_report *report)
{
    const uint64_t size_bytes = imported->model.size_bytes;
    if (!disk_is_writable(disk) || !imported->has_pixels || size_bytes > disk->limit_bytes / 2)
        return;
    const int64_t recorded_ns = stamp_now_ns();
    struct sources *sources = sources_read(root_fd, disk->limits[DISK_LIMIT_FILE], imported->sources, is_untouched);
    const struct source *model = sources != NULL ? sources_find_model(sources) : NULL;
    if (model == NULL || model->kind != SOURCE_BYTES || strcmp(model->path, path) != 0) {
        sources_free(sources);
        return;
    }
    if (disk_cache_size(disk) + size_bytes > disk->limit_bytes)
        trim(disk, disk->limit_bytes - size_bytes, false, report);
    struct err err = {0};
    int rc = write_both(disk, path, imported, sources, recorded_ns, &err);
    if (rc < 0 && is_full(disk, size_bytes)) { /* of other servers' files: ours can make room */
        trim(disk, disk_cache_size(disk) > 2 * size_bytes ? disk_cache_size(disk) - 2 * size_bytes : 0, false, report);
        rc = write_both(disk, path, imported, sources, recorded_ns, &err);
    }
    if (rc < 0)
        disk_writing_failed(disk, &err, report);
    else
        report->stored++;
    sources_free(sources);
}
