/* disk_cache.c - opens the folder of the disk cache, names its files, and counts their bytes. */
#include "daemon/disk/disk_internal.h"

#include "anim/bake/bake.h"
#include "base/hash.h"
#include "base/hex.h"
#include "base/mem.h"

#include <fcntl.h>
#include <limits.h>
#include <nettle/sha2.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>
#include <uv.h>

enum { FREE_FRACTION = 10 }; /* share of the file system, unless --cache-dir-size is given */
static const uint64_t PAUSE_NS = UINT64_C(60) * 1000000000;

static void put_text(struct sha256_ctx *sha, const char *text)
{
    sha256_update(sha, strlen(text) + 1, (const uint8_t *)text);
}

static void put_number(struct sha256_ctx *sha, uint64_t value)
{
    uint8_t bytes[8];
    for (int i = 0; i < 8; i++)
        bytes[i] = (uint8_t)(value >> 8 * i);
    sha256_update(sha, sizeof bytes, bytes);
}

/* Hashes everything except the files that affects the result of an import. Time limits are not included, because they
 * only decide whether an import succeeds. Limits that depend on the machine's memory are in struct disk_head
 * instead. */
static void make_maker(const struct config *config, const char *importer, uint8_t out[32])
{
    struct sha256_ctx sha;
    sha256_init(&sha);
    put_text(&sha, importer);
    put_number(&sha, BAKE_VERSION);
    put_number(&sha, DISK_VERSION);
    for (int i = LIMIT_FILE_BYTES; i <= LIMIT_TEXTURES; i++)
        if (i != LIMIT_FILE_BYTES && i != LIMIT_BAKED_BYTES)
            put_number(&sha, config->limits.value[i]);
    put_text(&sha, config->files.uploads != NULL ? config->files.uploads : "/"); /* which no folder is called */
    put_number(&sha, (uint64_t)config->files.allows_hidden | (uint64_t)config->files.allows_hidden_models << 1);
    sha256_digest(&sha, 32, out);
}

static uint64_t default_limit(int folder_fd)
{
    struct statvfs stat;
    if (fstatvfs(folder_fd, &stat) != 0)
        return 0;
    return (uint64_t)stat.f_bavail * stat.f_frsize / FREE_FRACTION;
}

int disk_cache_open(const struct config *config, const char *importer, struct disk_cache **out, struct err *err)
{
    *out = NULL;
    bool is_read_only = false;
    const int folder_fd = disk_folder_open_shared(config->cache_dir, &is_read_only, err);
    if (folder_fd < 0)
        return err_prefix(err, "--cache-dir");
    char root[PATH_MAX];
    struct disk_cache *disk = mem_zalloc(1, sizeof *disk);
    disk->folder_fd = folder_fd;
    disk->is_read_only = is_read_only;
    disk_claims_init(&disk->claims);
    disk->limit_bytes = config->cache_dir_bytes != 0 ? config->cache_dir_bytes : default_limit(folder_fd);
    disk->limits[DISK_LIMIT_FILE] = config->limits.value[LIMIT_FILE_BYTES];
    disk->limits[DISK_LIMIT_BAKE] = config->limits.value[LIMIT_BAKED_BYTES];
    disk->limits[DISK_LIMIT_MEMORY] = config->limits.value[LIMIT_IMPORT_MEMORY_BYTES];
    const char *place = realpath(config->root, root) != NULL ? root : config->root;
    disk->root = hash64(HASH64_SEED, place, strlen(place));
    make_maker(config, importer, disk->maker);
    *out = disk;
    return 0;
}

int disk_cache_check(const struct config *config, struct err *err)
{
    if (strcmp(config->cache_dir, "none") == 0 || disk_folder_check(config->cache_dir, err) == 0)
        return 0;
    return err_prefix(err, "--cache-dir");
}

void disk_cache_free(struct disk_cache *disk)
{
    if (disk == NULL)
        return;
    disk_claims_fini(&disk->claims);
    close(disk->folder_fd);
    free(disk);
}

uint64_t disk_cache_size(const struct disk_cache *disk) { return atomic_load(&disk->size_bytes); }
uint64_t disk_cache_limit(const struct disk_cache *disk) { return disk->limit_bytes; }
bool disk_cache_is_read_only(const struct disk_cache *disk) { return disk->is_read_only; }

void disk_key(const struct disk_cache *disk, const char *path, const uint8_t hash[SOURCE_HASH_SIZE],
              uint8_t out[DISK_KEY_SIZE])
{
    struct sha256_ctx sha;
    sha256_init(&sha);
    put_text(&sha, hash != NULL ? "model" : "index");
    sha256_update(&sha, sizeof disk->maker, disk->maker);
    put_text(&sha, path);
    if (hash != NULL)
        sha256_update(&sha, SOURCE_HASH_SIZE, hash);
    sha256_digest(&sha, DISK_KEY_SIZE, out);
}

void disk_name(const uint8_t key[DISK_KEY_SIZE], const char *extension, char out[DISK_NAME_SIZE])
{
    hex_put(out, key, 16);
    snprintf(out + 32, DISK_NAME_SIZE - 32, ".%s", extension);
}

uint64_t disk_file_size(const struct disk_cache *disk, const char *name)
{
    struct stat stat;
    return fstatat(disk->folder_fd, name, &stat, AT_SYMLINK_NOFOLLOW) == 0 ? (uint64_t)stat.st_blocks * 512 : 0;
}

void disk_count(struct disk_cache *disk, uint64_t before_bytes, uint64_t now_bytes)
{
    uint64_t size = atomic_load(&disk->size_bytes), counted;
    do {
        counted = size + now_bytes;
        counted = counted > before_bytes ? counted - before_bytes : 0; /* others may write here too */
    } while (!atomic_compare_exchange_weak(&disk->size_bytes, &size, counted));
}

void disk_remove_broken(struct disk_cache *disk, const char *name, struct disk_report *report)
{
    const uint64_t size_bytes = disk_file_size(disk, name);
    if (unlinkat(disk->folder_fd, name, 0) != 0)
        return;
    disk_count(disk, size_bytes, 0);
    report->removed++;
}

void disk_writing_failed(struct disk_cache *disk, const struct err *err, struct disk_report *report)
{
    atomic_store(&disk->unwritable_until_ns, uv_hrtime() + PAUSE_NS);
    report->errors++;
    report->err = *err;
}

bool disk_is_writable(const struct disk_cache *disk)
{
    return !disk->is_read_only && uv_hrtime() >= atomic_load(&disk->unwritable_until_ns);
}
