/* imported_model.h - an imported model in memory: a sealed memfd from an importer or the disk cache, mapped and
 * checked.
 *
 * Immutable: any thread that holds a reference may read it. The reference count is atomic. */
#pragma once

#include "anim/model/model.h"
#include "base/err.h"
#include "daemon/model/sources.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

struct imported_model {
    struct model model;      /* a view of the mapping */
    struct sources *sources; /* the files from which it was made */
    bool has_pixels;         /* false: the pixels of its textures are still on disk, and the view has zeros instead */
    uint64_t held_bytes;     /* of memory */
    int fd;                  /* the sealed memfd, which is sent to render workers */
    uint64_t key;            /* unique in this process: same key, same bytes */
    char hash[65];           /* the content hash, lower-case hex */
    atomic_uint_fast32_t ref_count;
    atomic_bool is_cached;       /* the cache holds it and counts its memory */
    struct imported_model *next; /* private to imported_model.c */
};

/* Seals the memfd, so that nobody can change it. Returns 0 or ERR_BAD_BAKE; sealing twice is harmless. A work thread,
 * because it may wait for half a second. */
int imported_model_seal(int fd, struct err *err);

/* Seals and maps the memfd and checks its content. On success *out has one reference and owns the fd; on failure the fd
 * stays the caller's. Any thread. Returns 0, ERR_BAD_BAKE or ERR_NO_MEMORY; the message does not name the model. */
int imported_model_open(int fd, uint64_t key, struct imported_model **out, struct err *err);

/* The same for a memfd of the disk cache. `sources`, which it takes on success, are the present files. The key differs
 * from all keys of imports. */
int imported_model_open_cached(int fd, bool has_pixels, struct sources *sources, struct imported_model **out,
                               struct err *err);

struct imported_model *imported_model_ref(struct imported_model *imported);
/* Drops a reference; NULL is fine. The last one unmaps and closes; for a large model a thread does so, so the caller
 * never waits. */
void imported_model_unref(struct imported_model *imported);
