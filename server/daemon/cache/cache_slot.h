/* cache_parts.h - what the files of the cache share. Private to cache*.c. */
#pragma once

#include "daemon/cache/cache.h"
#include "daemon/cache/backing.h"
#include "daemon/cache/revalidation.h"
#include "daemon/model/root_monitor.h"

#include <uthash.h>

enum slot_work {
    SLOT_IDLE,
    SLOT_LOOKING,   /* a work thread is at the files */
    SLOT_IMPORTING, /* or in the queue for it */
    SLOT_SETTLING,  /* waits until nobody writes the file any more */
};

struct cache_slot {
    struct cache *cache;
    char *path;
    struct imported_model *imported; /* ready */
    struct err *err;                 /* failed */
    struct imported_model *offered;  /* instead of the next import; or NULL */
    struct stamp stamp;              /* of the model file that was imported, or was about to be */
    uint64_t failed_ms;
    bool is_doubtful; /* err may be that of a half-written file; nobody was told of it */

    enum slot_work work;
    bool is_beside;                /* LOOKING while requests are answered from `imported` */
    bool is_after_import;          /* LOOKING whether the files are still those that were imported */
    struct revalidation_run *look; /* while LOOKING */
    struct import_job job;
    struct cache_waiter *served;  /* came before the work under way began: its result is theirs */
    struct cache_waiter *waiting; /* came later, or it has not begun */

    struct folder_watch_set *set; /* or NULL: only looks tell */
    uint64_t count;               /* of the set at the last look */
    uint64_t checked_ms;          /* the last look */
    uint64_t fresh_moment;        /* of the cache, when it was found fresh last */
    uint64_t due_ms;              /* when to look again by ourselves; 0 = no need */
    uint64_t settling_ms;         /* since when it waits for a writer; 0 = it does not */

    struct shared_model *shared; /* what of it is lent to other loops, or NULL */

    struct cache_slot *prev, *next; /* by use, latest first */
    UT_hash_handle hh;
};

struct cache_timer;

struct cache {
    uv_loop_t *loop;
    const struct config *config;
    struct import_pool *pool;
    struct backing *fresh;
    struct root_monitor *guard; /* or NULL */
    struct cache_timer *timer;
    struct cache_listener *listeners;
    struct cache_slot *slots;  /* by path */
    struct cache_slot *used;   /* latest first */
    struct shared_model *hots; /* what is lent */
    struct cache_holder *borrower;
    uint64_t baked_bytes, baked_count;
    uint64_t turn, drained_turn;
    uint64_t moment;       /* counts up with each turn and each time that events were taken */
    bool has_events;       /* some set counted something: slots are to be looked at */
    uint32_t beside_count; /* looks beside */
};

/* --- cache.c: slots --- */

void slot_keep_baked(struct cache_slot *slot, struct imported_model *imported); /* takes the reference */
void slot_keep_err(struct cache_slot *slot, const struct err *err);
void slot_clear(struct cache_slot *slot); /* back to knowing nothing; references elsewhere live on */
void slot_remove(struct cache_slot *slot);
void slot_drop_offer(struct cache_slot *slot);
void slot_touch(struct cache_slot *slot); /* it is the latest used */
/* Tells the listeners, when there was a model. */
void slot_report_change(struct cache_slot *slot);

/* Takes both lists from the slot, removes it if `is_gone`, makes room, answers `served` with the result (NULL, NULL:
 * the slot's own) and lets `waiting` ask again. The slot may be gone afterwards. */
void slot_finish(struct cache_slot *slot, bool is_gone, const struct err *err);

/* --- cache_hot.c: models lent to other loops --- */

void slot_invalidate(struct cache_slot *slot);
void cache_invalidate_all(struct cache *cache);
/* What they have used is younger than what nobody has. */
void cache_note_use(struct cache *cache);

/* --- cache_fill.c: work on a slot --- */

/* The files are to be looked at; beside: the model is still answered from memory meanwhile. */
void slot_revalidate(struct cache_slot *slot, bool is_beside);
void slot_on_starting(struct import_job *job);
bool slot_is_import_wanted(const struct import_job *job);
/* The last who waited has left. The slot may be gone afterwards. */
void slot_on_unwanted(struct cache_slot *slot);
void slot_on_imported(struct import_job *job, struct imported_model *imported, const struct err *err);

/* --- cache_wait.c: who waits --- */

void waiter_add(struct cache_slot *slot, struct cache_waiter *wait); /* to slot->waiting */
/* Takes the first out of a list; NULL: it is empty. What is left of a list can still be cancelled. */
struct cache_waiter *waiter_take(struct cache_waiter **list);
/* Appends one list to another. slot: whose list that is; NULL: nobody's. */
void waiter_move_all(struct cache_waiter **from, struct cache_waiter **to, struct cache_slot *slot);
bool slot_is_wanted(const struct cache_slot *slot);

/* --- cache_timer.c: what is looked at without being asked --- */

struct cache_timer *cache_timer_new(struct cache *cache);
void cache_timer_start(struct cache_timer *timer);
void cache_timer_free(struct cache_timer *timer);
