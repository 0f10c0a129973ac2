/* listing.h - the model files and folders beneath the root, as one walk found them, and a check whether they are
 * unchanged.
 *
 * Immutable except for its atomic reference count: any thread that holds a reference. If the system reports events of
 * the folders, they show whether it is current; otherwise it is valid for some time, so that many repeated requests do
 * not load the disk. */
#pragma once

#include "daemon/model/folder_watch.h"
#include "daemon/model/walk.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A folder with models in it or beneath it. */
struct listed_folder {
    char *path;           /* "" is the root, "a/b/" another */
    uint64_t model_count; /* in itself */
    uint64_t total_count; /* and in all folders beneath */
    uint64_t size_bytes;  /* of the model files in itself */
    uint64_t version;     /* a hash of the names, sizes and times of these files */
};

struct listing {
    struct walk_page page;         /* all model files */
    struct listed_folder *folders; /* sorted by path; always has the root */
    size_t folder_count;
    uint64_t version;             /* a hash of the folders' versions */
    struct folder_watch_set *set; /* of all folders read, or NULL: there are no events for them */
    uint64_t set_count;           /* of the set, before the walk */
    uint64_t begun_ms, made_ms;   /* of the clock of listing_now_ms() */
    atomic_uint_fast32_t refs;
};

uint64_t listing_now_ms(void);

/* Makes the set that listing_make() fills. Thread of the owner of `watch`, while it lives. */
struct folder_watch_set *listing_watch(struct folder_watch *watch);
/* Walks the root and returns one reference. Takes `set`, which may be NULL. Waits for the disk: work threads. */
struct listing *listing_make(int root_fd, struct folder_watch_set *set);
struct listing *listing_ref(struct listing *listing);
void listing_unref(struct listing *listing); /* NULL is fine */

/* True if the listing is current: no event so far reports a change of a folder, and the walk began less than holds_ms
 * ago (longer if there are events), or less than a multiple of its own duration ago. */
bool listing_is_current(const struct listing *listing, uint64_t holds_ms);

/* Return the first file, or folder, after `after` whose path is not before `prefix`; paths with the prefix follow from
 * there. after: "" for the first file, NULL for the first folder. */
size_t listing_first_file(const struct listing *listing, const char *prefix, const char *after);
size_t listing_first_folder(const struct listing *listing, const char *prefix, const char *after);
