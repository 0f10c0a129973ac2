/* imported_model.c - seals, maps and checks a memfd with a baked model, and frees it with its last reference. */
#include "daemon/model/imported_model.h"

#include "base/hex.h"
#include "anim/bake/bake.h"
#include "anim/hits/hit_cache.h"
#include "base/mem.h"
#include "daemon/threads/thread_priority.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { LARGE_BYTES = 4 << 20 };

/* Giving memory back takes a millisecond for a few megabytes: for large models a thread does it, while there are any.
 */
static struct {
    pthread_mutex_t mutex;
    struct imported_model *first;
    bool is_running;
} releases = {.mutex = PTHREAD_MUTEX_INITIALIZER};

/* It fails if another holder of the descriptor has mapped it for writing, or has sealed it against further seals. EBUSY
 * may also be the kernel's, which holds pages for a moment (memfd_wait_for_pins()): so it tries again for a while. */
int imported_model_seal(int fd, struct err *err)
{
    enum { FROZEN = F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE, TRIES = 100 };
    static const struct timespec PAUSE = {.tv_nsec = 5000000};
    int rc;
    for (int i = 0; (rc = fcntl(fd, F_ADD_SEALS, FROZEN | F_SEAL_SEAL)) != 0 && errno == EBUSY && i < TRIES; i++)
        nanosleep(&PAUSE, NULL);
    if (rc == 0)
        return 0;
    const int error = errno, seals = fcntl(fd, F_GET_SEALS);
    if (seals >= 0 && (seals & FROZEN) == FROZEN)
        return 0;
    return err_set(err, ERR_BAD_BAKE, "it cannot be sealed: %s", strerror(error));
}

/* After sealing nobody can change the bytes during the check, not even a surviving child of the importer. */
static int seal_and_map(int fd, void **bytes, size_t *size_bytes, struct err *err)
{
    if (imported_model_seal(fd, err) < 0)
        return err->code;
    struct stat stat;
    if (fstat(fd, &stat) != 0)
        return err_set(err, ERR_BAD_BAKE, "it cannot be looked at: %s", strerror(errno));
    *size_bytes = (size_t)stat.st_size;
    if (*size_bytes == 0)
        return err_set(err, ERR_BAD_BAKE, "it is empty");
    *bytes = mmap(NULL, *size_bytes, PROT_READ, MAP_SHARED, fd, 0);
    if (*bytes == MAP_FAILED)
        return err_set(err, ERR_NO_MEMORY, "it cannot be mapped: %s", strerror(errno));
    return 0;
}

/* sources: NULL for the model's own list. */
static int open_model(int fd, uint64_t key, bool has_pixels, struct sources *sources, struct imported_model **out,
                      struct err *err)
{
    void *bytes;
    size_t size_bytes = 0;
    struct model model;
    *out = NULL;
    if (seal_and_map(fd, &bytes, &size_bytes, err) < 0)
        return err->code;
    int rc = bake_decode(bytes, size_bytes, &model, err);
    if (rc == 0 && sources == NULL)
        sources = sources_of_model(&model);
    if (rc == 0 && sources == NULL)
        rc = err_set(err, ERR_BAD_BAKE, "source_files has a path that is none");
    if (rc < 0) {
        munmap(bytes, size_bytes);
        return rc;
    }
    struct imported_model *imported = *out = mem_zalloc(1, sizeof *imported);
    *imported = (struct imported_model){
        .model = model,
        .sources = sources,
        .has_pixels = has_pixels,
        .held_bytes = model.size_bytes - (has_pixels ? 0 : model.pixel_byte_count),
        .fd = fd,
        .key = key,
        .ref_count = 1,
    };
    imported->model.hits = hit_cache_new();
    hex_put(imported->hash, model.infos[0].content_hash, sizeof model.infos[0].content_hash);
    return 0;
}

int imported_model_open(int fd, uint64_t key, struct imported_model **out, struct err *err)
{
    return open_model(fd, key, true, NULL, out, err);
}

int imported_model_open_cached(int fd, bool has_pixels, struct sources *sources, struct imported_model **out,
                               struct err *err)
{
    static atomic_uint_fast64_t last_key = UINT64_C(1) << 63; /* imports count from 0 */
    return open_model(fd, atomic_fetch_add(&last_key, 1) + 1, has_pixels, sources, out, err);
}

struct imported_model *imported_model_ref(struct imported_model *imported)
{
    atomic_fetch_add_explicit(&imported->ref_count, 1, memory_order_relaxed);
    return imported;
}

static void release(struct imported_model *imported)
{
    munmap((void *)(uintptr_t)imported->model.bytes, imported->model.size_bytes);
    close(imported->fd);
    hit_cache_free(imported->model.hits);
    sources_free(imported->sources);
    free(imported);
}

static void release_all(void)
{
    for (;;) {
        pthread_mutex_lock(&releases.mutex);
        struct imported_model *imported = releases.first;
        if (imported != NULL)
            releases.first = imported->next;
        else
            releases.is_running = false;
        pthread_mutex_unlock(&releases.mutex);
        if (imported == NULL)
            return;
        release(imported);
    }
}

static void *release_beside(void *unused __attribute__((unused)))
{
    thread_priority_background();
    release_all();
    return NULL;
}

static void release_later(struct imported_model *imported)
{
    pthread_mutex_lock(&releases.mutex);
    imported->next = releases.first;
    releases.first = imported;
    const bool must_start = !releases.is_running;
    releases.is_running = true;
    pthread_mutex_unlock(&releases.mutex);
    pthread_t thread;
    if (!must_start)
        return;
    if (pthread_create(&thread, NULL, release_beside, NULL) == 0)
        pthread_detach(thread);
    else
        release_all();
}

void imported_model_unref(struct imported_model *imported)
{
    if (imported == NULL || atomic_fetch_sub_explicit(&imported->ref_count, 1, memory_order_acq_rel) > 1)
        return;
    if (imported->model.size_bytes >= LARGE_BYTES)
        release_later(imported);
    else
        release(imported);
}
