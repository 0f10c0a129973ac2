/* watch_parts.h - what the files of the watch share. Private to watch*.c. */
#pragma once

#include "daemon/model/watch.h"

#include <pthread.h>
#include <stdatomic.h>
#include <uthash.h>

struct folder {
    char *path; /* under the root; "" is the root */
    int wd;
    uint32_t refs; /* sets */
    atomic_uint_fast64_t changes;
    atomic_bool is_dead; /* and in no table any more */
    UT_hash_handle hh_path, hh_wd;
};

struct watch {
    uv_poll_t poll;
    void (*changed)(void *user);
    void *user;
    int fd;
    atomic_uint_fast32_t drains; /* began and ended: odd while events are read and counted */
    uint32_t refs;               /* owner, open handle, sets */
    pthread_mutex_t mutex;
    struct folder *by_path, *by_wd;
};

struct watch_set {
    struct watch *watch;
    uint32_t refs;
    uint32_t count;
    struct folder *folders[];
};

void watch_lock(struct watch *watch);
void watch_unlock(struct watch *watch);
void watch_add_ref(struct watch *watch);
/* Locked. No event will come from it any more. */
void watch_kill_folder(struct watch *watch, struct folder *folder);
