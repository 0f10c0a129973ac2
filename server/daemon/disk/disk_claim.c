/* disk_claim.c - decides which process of all that share the folder imports a model, by a lock on one byte of a file
 * for each path.
 *
 * The byte's offset is the path's hash, so that one file has room for all paths and never has to be removed. The locks
 * belong to an open file description (F_OFD_SETLK, fcntl(2)), so the kernel releases them when the process ends for any
 * reason. They also work between machines on a network file system with locks. */
#include "daemon/disk/disk_internal.h"

#include "base/mem.h"
#include "daemon/support/fd.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char NAME[] = "imports.lock";

void disk_claims_init(struct disk_claims *claims)
{
    *claims = (struct disk_claims){.fd = -1};
    pthread_mutex_init(&claims->mutex, NULL);
}

void disk_claims_fini(struct disk_claims *claims)
{
    fd_close(claims->fd);
    free(claims->places);
    pthread_mutex_destroy(&claims->mutex);
}

static int64_t place_of(const struct disk_cache *disk, const char *path)
{
    uint8_t key[DISK_KEY_SIZE];
    int64_t place;
    disk_key(disk, path, NULL, key);
    memcpy(&place, key, sizeof place);
    return place & (INT64_MAX >> 1);
}

static int open_file(int folder_fd)
{
    struct stat stat;
    const int fd = openat(folder_fd, NAME, O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC, 0600);
    if (fd < 0 || (fstat(fd, &stat) == 0 && S_ISREG(stat.st_mode) && stat.st_uid == geteuid() &&
                   (stat.st_mode & 066) == 0)) /* who may read it can lock it, too */
        return fd;
    close(fd);
    return -1;
}

/* Call with the mutex. Locks on a removed file do not exclude later processes. */
static bool has_file(struct disk_cache *disk)
{
    struct disk_claims *claims = &disk->claims;
    struct stat stat;
    if (claims->fd >= 0 && claims->count == 0 && fstat(claims->fd, &stat) == 0 && stat.st_nlink == 0) {
        close(claims->fd);
        claims->fd = -1;
    }
    if (claims->fd < 0)
        claims->fd = open_file(disk->folder_fd);
    return claims->fd >= 0;
}

/* Returns the index of the place, or `count` if it is not held. Call with the mutex. */
static size_t find_place(const struct disk_claims *claims, int64_t place)
{
    size_t i = 0;
    while (i < claims->count && claims->places[i] != place)
        i++;
    return i;
}

/* Locks of one description do not exclude each other, so the list says which ones this process holds. */
static enum disk_claim reserve(struct disk_cache *disk, int64_t place)
{
    struct disk_claims *claims = &disk->claims;
    enum disk_claim claim = DISK_CLAIM_NONE;
    pthread_mutex_lock(&claims->mutex);
    if (find_place(claims, place) < claims->count) {
        claim = DISK_CLAIM_THEIRS;
    } else if (has_file(disk)) {
        claims->places = mem_grow(claims->places, &claims->capacity, claims->count + 1, sizeof *claims->places);
        claims->places[claims->count++] = place;
        claim = DISK_CLAIM_OURS;
    }
    pthread_mutex_unlock(&claims->mutex);
    return claim;
}

static void give_back(struct disk_claims *claims, int64_t place)
{
    pthread_mutex_lock(&claims->mutex);
    const size_t i = find_place(claims, place);
    if (i < claims->count)
        claims->places[i] = claims->places[--claims->count];
    pthread_mutex_unlock(&claims->mutex);
}

static int set_lock(const struct disk_claims *claims, int64_t place, short type)
{
    struct flock lock = {.l_type = type, .l_whence = SEEK_SET, .l_start = place, .l_len = 1};
    return fcntl(claims->fd, F_OFD_SETLK, &lock);
}

uint64_t disk_cache_seen(const struct disk_cache *disk, const char *path)
{
    uint8_t key[DISK_KEY_SIZE];
    char name[DISK_NAME_SIZE];
    struct stat stat;
    disk_key(disk, path, NULL, key);
    disk_name(key, "index", name);
    return fstatat(disk->folder_fd, name, &stat, AT_SYMLINK_NOFOLLOW) == 0 ? stat.st_ino : 0;
}

enum disk_claim disk_cache_claim(struct disk_cache *disk, const char *path, uint64_t seen)
{
    if (!disk_is_writable(disk))
        return DISK_CLAIM_NONE;
    const int64_t place = place_of(disk, path);
    const enum disk_claim claim = reserve(disk, place);
    if (claim != DISK_CLAIM_OURS)
        return claim;
    if (set_lock(&disk->claims, place, F_WRLCK) != 0) {
        const bool is_held = errno == EAGAIN || errno == EACCES;
        give_back(&disk->claims, place);
        return is_held ? DISK_CLAIM_THEIRS : DISK_CLAIM_NONE;
    }
    if (disk_cache_seen(disk, path) == seen)
        return DISK_CLAIM_OURS;
    disk_cache_release(disk, path);
    return DISK_CLAIM_OVERTAKEN;
}

void disk_cache_release(struct disk_cache *disk, const char *path)
{
    const int64_t place = place_of(disk, path);
    set_lock(&disk->claims, place, F_UNLCK);
    give_back(&disk->claims, place);
}
