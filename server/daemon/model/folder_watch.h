/* folder_watch.h - whether anything changed in the folders that a model's files lie in, by inotify(7).
 *
 * libuv's uv_fs_event does not serve: it reads the kernel's queue when it likes and hides an overflow, while here the
 * queue must be drained before a model is answered from memory, so that a request sent after a change sees it. Folders
 * are watched one by one, from the root down, as long as a model in memory depends on them. A tree of any size costs
 * nothing; a bound on the number of watches leaves some models to be revalidated by stat() instead.
 *
 * A set counts what happened in its folders. Whoever checks files reads the set's count first: a later change makes the
 * count differ. Work threads make sets; everything else is for the loop thread unless it says otherwise. */
#pragma once

#include "daemon/model/sources.h"

#include <stdbool.h>
#include <stdint.h>
#include <uv.h>

struct folder_watch;
struct folder_watch_set;

/* changed(): something happened in some folder; the counts are already higher. Returns NULL where the system has no
 * inotify: then there are no sets. */
struct folder_watch *folder_watch_new(uv_loop_t *loop, void (*changed)(void *user), void *user);
/* No events any more; the loop can end. NULL is fine. */
void folder_watch_close(struct folder_watch *watch);
/* Gives the owner's reference back. NULL is fine. */
void folder_watch_unref(struct folder_watch *watch);

/* Any thread. The folders of `path`, and of all `sources` (or NULL), from the root down; where one does not exist,
 * those above it, in which it would appear. NULL: at least one cannot be watched (its file system has no events, or
 * there are too many), or err_is_shortage(errno). One reference. */
struct folder_watch_set *folder_watch_take(struct folder_watch *watch, int root_fd, const char *path,
                                           const struct sources *sources);

/* Any thread. A set that its maker fills folder by folder, at most so many, before others have it. One reference. */
struct folder_watch_set *folder_watch_begin(struct folder_watch *watch, uint32_t folders_max);
/* The folder at `path` ("" is the root), which the set must not have yet, with what happened in it so far added to
 * *count; where it does not exist, nothing. False: it cannot be watched, or there are too many. */
bool folder_watch_add(struct folder_watch_set *set, int root_fd, const char *path, uint64_t *count);

struct folder_watch_set *folder_watch_set_ref(struct folder_watch_set *set);
void folder_watch_set_unref(struct folder_watch_set *set); /* NULL is fine */

/* Any thread. */
uint64_t folder_watch_set_count(const struct folder_watch_set *set);
/* False once a folder of it was moved, removed or unmounted: it has to be taken anew. Any thread. */
bool folder_watch_set_is_live(const struct folder_watch_set *set);
/* True when it is live and the count is still this one. Any thread. */
bool folder_watch_set_is_unchanged(const struct folder_watch_set *set, uint64_t count);

/* Reads what the kernel has queued, without waiting. */
void folder_watch_drain(struct folder_watch *watch);
/* Any thread. True when the counts have in them all that happened before the call: nothing is queued, nor read and not
 * yet counted. */
bool folder_watch_set_is_quiet(const struct folder_watch_set *set);

/* All sets are dead: the root is another. */
void folder_watch_reset(struct folder_watch *watch);

/* Folders that are watched. */
uint32_t folder_watch_count(struct folder_watch *watch);
