/* listing.h - the model files beneath the root and the folders that they lie in, as one walk found them, and whether
 * they are still the same.
 *
 * Immutable but for its references, which are atomic: any thread that holds one. Events of the folders vouch for it
 * where the system has them; elsewhere it holds for some time, so that a crowd that asks again and again does not make
 * the disk busy. */
#pragma once

#include "daemon/model/folder_watch.h"
#include "daemon/model/walk.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A folder that holds models, or folders that do. */
struct listed_folder {
    char *path;           /* "" is the root, "a/b/" another */
    uint64_t model_count; /* in itself */
    uint64_t total_count; /* and in all folders beneath */
    uint64_t size_bytes;  /* of the files of those in itself */
    uint64_t version;     /* a hash of the names, sizes and times of the same */
};

struct listing {
    struct walk_page page;         /* all of them */
    struct listed_folder *folders; /* sorted by path; the root is there in any case */
    size_t folder_count;
    uint64_t version;             /* a hash of the folders' */
    struct folder_watch_set *set; /* of all folders that were read, or NULL: no events tell of changes */
    uint64_t set_count;           /* of the set, before they were read */
    uint64_t begun_ms, made_ms;   /* of the clock of listing_now_ms() */
    atomic_uint_fast32_t refs;
};

uint64_t listing_now_ms(void);

/* The set that listing_make() fills: its owner's thread, as long as `watch` lives. */
struct folder_watch_set *listing_watch(struct folder_watch *watch);
/* Walks the root; waits for the disk: work threads. set: taken, or NULL. One reference. */
struct listing *listing_make(int root_fd, struct folder_watch_set *set);
struct listing *listing_ref(struct listing *listing);
void listing_unref(struct listing *listing); /* NULL is fine */

/* Whether the listing shows what the root holds: no event that was read says that a folder has changed, and the walk
 * began less than holds_ms ago (with events: a longer time), or less than a multiple of the time that it took. */
bool listing_is_current(const struct listing *listing, uint64_t holds_ms);

/* The first file, or folder, behind `after` whose path is not before `prefix`: those with the prefix follow at once.
 * after: of files "" is before all; of folders NULL. */
size_t listing_first_file(const struct listing *listing, const char *prefix, const char *after);
size_t listing_first_folder(const struct listing *listing, const char *prefix, const char *after);
