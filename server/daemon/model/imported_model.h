/* imported_model.h - an imported model in memory: a sealed memfd that an importer wrote or that the disk cache filled,
 * mapped and checked.
 *
 * Immutable: any thread that holds a reference may read it. References are counted atomically. */
#pragma once

#include "anim/model/model.h"
#include "base/err.h"
#include "daemon/model/sources.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

struct imported_model {
    struct model model;      /* a view of the mapping */
    struct sources *sources; /* what it was made from */
    bool has_pixels;         /* else those of its textures were left on disk: the view has zeros in their place */
    uint64_t held_bytes;     /* of memory */
    int fd;                  /* the memfd, sealed; what a render worker is sent */
    uint64_t key;            /* unique in this process: same key, same bytes */
    char hash[65];           /* the content hash, lower-case hex */
    atomic_uint_fast32_t ref_count;
    atomic_bool is_cached;       /* the cache has it and counts its memory */
    struct imported_model *next; /* private to imported_model.c */
};

/* Nobody can change the memfd any more. Returns 0 or ERR_BAD_BAKE; sealed a second time it stays as it is. Any thread.
 */
int imported_model_seal(int fd, struct err *err);

/* Seals and maps the memfd and checks its content. On success the fd is the new imported's, with one
 * reference; on failure it stays the caller's. Any thread.
 * Returns 0, ERR_BAD_BAKE or ERR_NO_MEMORY; the message does not name the model. */
int imported_model_open(int fd, uint64_t key, struct imported_model **out, struct err *err);

/* The same for a memfd of the disk cache. `sources` (its own from then on, when it succeeds) are the files as they are
 * now. The key is one that no import gets. */
int imported_model_open_cached(int fd, bool has_pixels, struct sources *sources, struct imported_model **out,
                               struct err *err);

struct imported_model *imported_model_ref(struct imported_model *imported);
/* NULL is fine. The last reference unmaps and closes; for a large model a thread does so, and the caller never waits.
 */
void imported_model_unref(struct imported_model *imported);
