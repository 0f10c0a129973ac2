/* folder_watch.h - watches the folders of a model's files for changes, by inotify(7).
 *
 * libuv's uv_fs_event is not suitable: it chooses itself when to read the kernel's queue, and hides an overflow. Here
 * the queue must be drained before an answer from memory, so that a request sent after a change sees it. It watches
 * folders one by one, from the root down, as long as a model in memory depends on them, so a tree of any size costs
 * nothing. The number of watches is bounded; models beyond it are revalidated by stat() instead.
 *
 * A set counts the events in its folders. A check of files reads the set's count first, so that a later change makes
 * the count differ. Work threads make sets; everything else is for the loop thread unless stated otherwise. */
#pragma once

#include "daemon/model/sources.h"

#include <stdbool.h>
#include <stdint.h>
#include <uv.h>

struct folder_watch;
struct folder_watch_set;

/* changed() runs after events in any folder, when the counts are already higher. Returns NULL if the system has no
 * inotify; then there are no sets. */
struct folder_watch *folder_watch_new(uv_loop_t *loop, void (*changed)(void *user), void *user);
/* Stops events, so that the loop can end. NULL is fine. */
void folder_watch_close(struct folder_watch *watch);
/* Gives the owner's reference back. NULL is fine. */
void folder_watch_unref(struct folder_watch *watch);

/* Watches the folders of `path`, and of all `sources` (or NULL), from the root down; if one does not exist, the folders
 * above it, in which it would appear. Returns one reference. NULL: at least one cannot be watched (its file system has
 * no events, or there are too many), or err_is_shortage(errno). Any thread. */
struct folder_watch_set *folder_watch_take(struct folder_watch *watch, int root_fd, const char *path,
                                           const struct sources *sources);

/* Makes an empty set with one reference; its maker fills it with up to folders_max folders before it shares the set.
 * Any thread. */
struct folder_watch_set *folder_watch_begin(struct folder_watch *watch, uint32_t folders_max);
/* Adds the folder at `path` ("" is the root), which must not be in the set, and adds its event count to *count. Does
 * nothing if the folder does not exist. False: it cannot be watched, or there are too many. */
bool folder_watch_add(struct folder_watch_set *set, int root_fd, const char *path, uint64_t *count);

struct folder_watch_set *folder_watch_set_ref(struct folder_watch_set *set);
void folder_watch_set_unref(struct folder_watch_set *set); /* NULL is fine */

/* Any thread. */
uint64_t folder_watch_set_count(const struct folder_watch_set *set);
/* False once a folder of the set was moved, removed or unmounted: then make a new set. Any thread. */
bool folder_watch_set_is_live(const struct folder_watch_set *set);
/* True if the set is live and its count is still `count`. Any thread. */
bool folder_watch_set_is_unchanged(const struct folder_watch_set *set, uint64_t count);

/* Reads the kernel's queue, without waiting. */
void folder_watch_drain(struct folder_watch *watch);
/* True if the counts include all events before the call: none are queued, or read but not yet counted. Any thread. */
bool folder_watch_set_is_quiet(const struct folder_watch_set *set);

/* Marks all sets as dead, because the root has changed. */
void folder_watch_reset(struct folder_watch *watch);

/* Returns the number of watched folders. */
uint32_t folder_watch_count(struct folder_watch *watch);
