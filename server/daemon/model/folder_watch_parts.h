/* folder_watch_parts.h - what folder_watch.c (events) and folder_watch_take.c (making sets) share. Private to them. */
#pragma once

#include "daemon/model/folder_watch.h"

#include <pthread.h>
#include <stdatomic.h>
#include <uthash.h>

struct watched_folder {
    char *path; /* under the root; "" is the root */
    int wd;
    uint32_t refs; /* sets */
    atomic_uint_fast64_t changes;
    atomic_bool is_dead; /* and in no table any more */
    UT_hash_handle hh_path, hh_wd;
};

struct folder_watch {
    uv_poll_t poll;
    void (*changed)(void *user);
    void *user;
    int fd;
    atomic_uint_fast32_t drains; /* began and ended: odd while events are read and counted */
    uint32_t refs;               /* owner, open handle, sets */
    pthread_mutex_t mutex;
    struct watched_folder *by_path, *by_wd;
};

struct folder_watch_set {
    struct folder_watch *watch;
    uint32_t refs;
    uint32_t count;
    struct watched_folder *folders[];
};

void folder_watch_lock(struct folder_watch *watch);
void folder_watch_unlock(struct folder_watch *watch);
void folder_watch_add_ref(struct folder_watch *watch);
/* Locked. No event will come from it any more. */
void folder_watch_kill(struct folder_watch *watch, struct watched_folder *folder);
