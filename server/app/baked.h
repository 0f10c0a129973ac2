/* baked.h - an imported model in memory: the sealed memfd that the importer wrote, mapped and checked.
 *
 * Immutable, so any thread may read it while its owner holds a reference; references are counted on the
 * loop thread only. */
#pragma once

#include "../anim/model.h"
#include "../base/err.h"

#include <stdint.h>

struct baked {
    struct model model; /* a view of the mapping */
    int fd;             /* the memfd, sealed; what a render worker is sent */
    uint64_t key;       /* unique in this process: same key, same bytes */
    char hash[65];      /* the content hash, lower-case hex */
    uint32_t ref_count;
    struct baked *next; /* private to baked.c */
};

/* Seals and maps the memfd and checks its content. On success the fd is the new baked's, with one
 * reference; on failure it stays the caller's. Any thread.
 * Returns 0, ERR_BAD_BAKE or ERR_INTERNAL; the message does not name the model. */
int baked_open(int fd, uint64_t key, struct baked **out, struct err *err);

struct baked *baked_ref(struct baked *baked);
/* NULL is fine. The last one unmaps and closes, for a large model a moment later: it never takes long. */
void baked_unref(struct baked *baked);
