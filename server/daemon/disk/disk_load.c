/* disk_load.c - loads models from the folder: finds the present entry of a path, and checks that it is whole. */
#include "daemon/disk/disk_internal.h"

#include "base/mem.h"
#include "daemon/support/fd.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xxhash.h>

/* Textures up to here are read at once: the second look costs more. */
static const uint64_t SMALL_PIXEL_BYTES = 256 << 10;
/* A file that changed this shortly before it was read may have changed again within the same tick of its clock, which
 * is two seconds on the coarsest file systems. */
static const int64_t TICK_NS = INT64_C(2000000000);

/* Reads a record from the start of an open file. Returns its heap bytes or NULL with *err. */
static void *read_record(int fd, bool is_index, uint32_t *size_bytes, struct err *err)
{
    uint8_t prefix[DISK_PREFIX_SIZE];
    if (pread(fd, prefix, sizeof prefix, 0) != (ssize_t)sizeof prefix) {
        err_set(err, ERR_BAD_BAKE, "the record is cut");
        return NULL;
    }
    if (disk_record_size(prefix, is_index, size_bytes, err) < 0)
        return NULL;
    void *bytes = mem_alloc(*size_bytes);
    if (pread(fd, bytes, *size_bytes, 0) == (ssize_t)*size_bytes)
        return bytes;
    free(bytes);
    err_set(err, ERR_BAD_BAKE, "the record is cut");
    return NULL;
}

/* Removes the file when the error says that it is broken. */
static void give_up(struct disk_cache *disk, const char *name, const struct err *err, struct disk_report *report)
{
    if (err->code == ERR_BAD_BAKE)
        disk_remove_broken(disk, name, report);
    else if (err->code != ERR_NOT_FOUND)
        report->errors++;
}

/* Whether the index is this path's: under its name may lie another's, whose files say nothing about ours. */
static int check_index(const struct disk_cache *disk, const char *path, const uint8_t self[DISK_KEY_SIZE],
                       const struct disk_index *index, struct err *err)
{
    uint8_t key[DISK_KEY_SIZE];
    const struct source *model = sources_find_model(index->sources);
    disk_key(disk, path, model->hash, key);
    if (memcmp(index->self, self, DISK_KEY_SIZE) != 0 || strcmp(model->path, path) != 0 ||
        memcmp(index->key, key, DISK_KEY_SIZE) != 0)
        return err_set(err, ERR_BAD_BAKE, "the index is another's");
    return 0;
}

static bool read_index(struct disk_cache *disk, const char *path, char name[DISK_NAME_SIZE], struct disk_index *out,
                       struct disk_report *report)
{
    struct err err;
    uint8_t self[DISK_KEY_SIZE];
    *out = (struct disk_index){0};
    disk_key(disk, path, NULL, self);
    disk_name(self, "index", name);
    uint64_t file_bytes;
    uint32_t size_bytes;
    int rc = disk_file_open(disk->folder_fd, name, &file_bytes, &err);
    if (rc >= 0) {
        const int fd = rc;
        void *bytes = read_record(fd, true, &size_bytes, &err);
        rc = bytes == NULL              ? err.code
             : size_bytes != file_bytes ? err_set(&err, ERR_BAD_BAKE, "the file is longer than its record")
                                        : disk_index_decode(bytes, size_bytes, out, &err);
        free(bytes);
        close(fd);
    }
    if (rc >= 0)
        rc = check_index(disk, path, self, out, &err);
    if (rc >= 0)
        return true;
    sources_free(out->sources);
    give_up(disk, name, &err, report);
    return false;
}

/* An open NAME.model and its head. */
struct entry {
    int fd;
    uint64_t bake_offset;
    struct disk_head head;
    char name[DISK_NAME_SIZE];
};

static void close_entry(struct entry *entry)
{
    fd_close(entry->fd);
    sources_free(entry->head.sources);
}

static int read_head(struct entry *entry, const uint8_t key[DISK_KEY_SIZE], uint64_t file_bytes, struct err *err)
{
    uint32_t size_bytes;
    void *bytes = read_record(entry->fd, false, &size_bytes, err);
    if (bytes == NULL)
        return err->code;
    const int rc = disk_head_decode(bytes, size_bytes, &entry->head, err);
    free(bytes);
    if (rc < 0)
        return rc;
    entry->bake_offset = disk_bake_offset(size_bytes);
    if (memcmp(entry->head.key, key, DISK_KEY_SIZE) != 0)
        return err_set(err, ERR_BAD_BAKE, "the entry is another's");
    if (file_bytes != entry->bake_offset + entry->head.bake_bytes)
        return err_set(err, ERR_BAD_BAKE, "the file is cut or longer than it says");
    return 0;
}

/* Whether an import under this server's limits makes the same. How much memory it takes decides, as its time does,
 * whether it makes anything, unless something was left out for want of it. */
static bool is_within_limits(const struct disk_cache *disk, const struct disk_head *head)
{
    if (memcmp(head->limits, disk->limits, sizeof disk->limits) == 0)
        return true;
    if (head->is_limited || head->bake_bytes > disk->limits[DISK_LIMIT_BAKE])
        return false;
    for (uint32_t i = 0; i < head->sources->count; i++) {
        const struct source *source = &head->sources->items[i];
        if (source->kind == SOURCE_BYTES && source->stamp.size_bytes > disk->limits[DISK_LIMIT_FILE])
            return false;
    }
    return true;
}

/* Limits of another server are not a reason to remove the entry. */
static bool open_entry(struct disk_cache *disk, const uint8_t key[DISK_KEY_SIZE], struct entry *out,
                       struct disk_report *report)
{
    struct err err;
    uint64_t file_bytes;
    *out = (struct entry){.fd = -1};
    disk_name(key, "model", out->name);
    out->fd = disk_file_open(disk->folder_fd, out->name, &file_bytes, &err);
    const bool is_whole = out->fd >= 0 && read_head(out, key, file_bytes, &err) == 0;
    if (is_whole && is_within_limits(disk, &out->head))
        return true;
    if (!is_whole)
        give_up(disk, out->name, &err, report);
    close_entry(out);
    return false;
}

static bool copy_range(const struct entry *entry, int to_fd, uint64_t first, uint64_t count)
{
    off_t from = (off_t)(entry->bake_offset + first);
    if (lseek(to_fd, (off_t)first, SEEK_SET) < 0)
        return false;
    while (count > 0) {
        const ssize_t n = sendfile(to_fd, entry->fd, &from, count);
        if (n <= 0)
            return false;
        count -= (uint64_t)n;
    }
    return true;
}

/* The bake in a memfd, without the textures unless `with_pixels`. A copy, because anyone who may write a mapped file
 * can cut or alter it during its use. */
static int copy_bake(const struct entry *entry, bool with_pixels)
{
    const struct disk_head *head = &entry->head;
    const int fd = memfd_create("posed-model", MFD_CLOEXEC | MFD_ALLOW_SEALING);
    if (fd < 0)
        return -1;
    const uint64_t after = head->pixel_offset + head->pixel_bytes;
    const bool is_copied = ftruncate(fd, (off_t)head->bake_bytes) == 0 &&
                           copy_range(entry, fd, 0, with_pixels ? head->bake_bytes : head->pixel_offset) &&
                           (with_pixels || copy_range(entry, fd, after, head->bake_bytes - after));
    if (is_copied)
        return fd;
    close(fd);
    return -1;
}

/* True if the bytes match the stored checksum. */
static bool is_right(const struct disk_head *head, const struct imported_model *imported)
{
    const uint8_t *bytes = imported->model.bytes;
    if (disk_core_sum(bytes, head) != head->core_sum)
        return false;
    return !imported->has_pixels || XXH3_64bits(bytes + head->pixel_offset, head->pixel_bytes) == head->pixel_sum;
}

/* Takes *sources, or does not change it. */
static bool open_bake(struct disk_cache *disk, const struct entry *entry, bool is_whole, struct sources **sources,
                      struct imported_model **out, struct disk_report *report)
{
    const bool with_pixels = is_whole || entry->head.pixel_bytes <= SMALL_PIXEL_BYTES;
    const int fd = copy_bake(entry, with_pixels);
    if (fd < 0) {
        report->errors++;
        return false;
    }
    struct err err;
    if (imported_model_open_cached(fd, with_pixels, *sources, out, &err) < 0) {
        give_up(disk, entry->name, &err, report);
        close(fd);
        return false;
    }
    *sources = NULL;
    if (is_right(&entry->head, *out))
        return true;
    imported_model_unref(*out);
    *out = NULL;
    disk_remove_broken(disk, entry->name, report);
    return false;
}

/* Stamps as old as that cannot hide a second change. */
static bool is_settled(const struct disk_index *index)
{
    for (uint32_t i = 0; i < index->sources->count; i++) {
        const struct stamp *stamp = &index->sources->items[i].stamp;
        const int64_t latest = stamp->mtime_ns > stamp->ctime_ns ? stamp->mtime_ns : stamp->ctime_ns;
        if (latest > index->recorded_ns - TICK_NS)
            return false;
    }
    return true;
}

static bool is_same_content(const struct source *now, const struct source *then)
{
    return now->kind == then->kind && memcmp(now->hash, then->hash, sizeof now->hash) == 0;
}

/* True if both lists have the same files with the same content. */
static bool is_same_list(const struct sources *one, const struct sources *other)
{
    if (one->count != other->count)
        return false;
    for (uint32_t i = 0; i < one->count; i++) {
        const struct source *a = &one->items[i], *b = &other->items[i];
        if (strcmp(a->path, b->path) != 0 || a->role != b->role || !is_same_content(a, b))
            return false;
    }
    return true;
}

/* Loads by the contents of the files, because the stamps differ or are too recent. key: receives the entry's key. */
static bool load_by_content(struct disk_cache *disk, int root_fd, const char *path, bool is_whole,
                            uint8_t key[DISK_KEY_SIZE], struct imported_model **out, struct disk_report *report)
{
    struct source model = {.path = (char *)(uintptr_t)path, .role = SOURCE_MODEL};
    struct entry entry;
    const int64_t recorded_ns = stamp_now_ns();
    if (!source_read(root_fd, disk->limits[DISK_LIMIT_FILE], NULL, &model) || model.kind != SOURCE_BYTES)
        return false;
    disk_key(disk, path, model.hash, key);
    if (!open_entry(disk, key, &entry, report))
        return false;
    struct sources *sources = sources_read(root_fd, disk->limits[DISK_LIMIT_FILE], entry.head.sources, is_same_content);
    const bool is_loaded = sources != NULL && open_bake(disk, &entry, is_whole, &sources, out, report);
    struct err err;
    if (is_loaded && disk_is_writable(disk) &&
        disk_index_write(disk, path, key, (*out)->sources, recorded_ns, &err) < 0)
        disk_writing_failed(disk, &err, report);
    sources_free(sources);
    close_entry(&entry);
    return is_loaded;
}

/* Loads the index's entry, because the stamps match. It checks that the index was written for this entry: entries from
 * the same model file with other companions share a name, and the last one written wins. */
static bool load_by_stamps(struct disk_cache *disk, struct disk_index *index, bool is_whole,
                           struct imported_model **out, struct disk_report *report)
{
    struct entry entry;
    if (!open_entry(disk, index->key, &entry, report))
        return false;
    const bool is_loaded = is_same_list(index->sources, entry.head.sources) &&
                           open_bake(disk, &entry, is_whole, &index->sources, out, report);
    close_entry(&entry);
    return is_loaded;
}

static void mark_used(const struct disk_cache *disk, const char *index_name, const uint8_t key[DISK_KEY_SIZE])
{
    char name[DISK_NAME_SIZE];
    disk_name(key, "model", name);
    utimensat(disk->folder_fd, name, NULL, AT_SYMLINK_NOFOLLOW);
    utimensat(disk->folder_fd, index_name, NULL, AT_SYMLINK_NOFOLLOW);
}

int disk_cache_load(struct disk_cache *disk, int root_fd, const char *path, bool is_whole, struct imported_model **out,
                    struct disk_report *report)
{
    char name[DISK_NAME_SIZE];
    struct disk_index index;
    *out = NULL;
    /* Without an index the path was never seen: its content need not be looked for. */
    if (!read_index(disk, path, name, &index, report))
        return 0;
    const bool is_by_stamps =
        index.root == disk->root && is_settled(&index) && sources_are_unchanged(root_fd, index.sources);
    const bool is_loaded = is_by_stamps ? load_by_stamps(disk, &index, is_whole, out, report)
                                        : load_by_content(disk, root_fd, path, is_whole, index.key, out, report);
    if (is_loaded)
        mark_used(disk, name, index.key);
    sources_free(index.sources);
    return is_loaded;
}

int disk_cache_load_stale(struct disk_cache *disk, const char *path, bool is_whole, struct imported_model **out,
                          struct disk_report *report)
{
    char name[DISK_NAME_SIZE];
    struct disk_index index;
    *out = NULL;
    if (!read_index(disk, path, name, &index, report))
        return 0;
    const bool is_loaded = index.root == disk->root && load_by_stamps(disk, &index, is_whole, out, report);
    if (is_loaded)
        mark_used(disk, name, index.key);
    sources_free(index.sources);
    return is_loaded;
}
