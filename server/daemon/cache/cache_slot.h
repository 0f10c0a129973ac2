/* cache_slot.h - the slots of the cache: the state of one model file, and its waiters. Private to the cache.
 *
 * cache_slot.c stores slots. cache_fill.c moves them from state to state, together with cache_claim.c if several
 * servers share a disk cache, and with cache_stale.c while the root is unreadable. cache.c answers requests and starts
 * checks without requests, and cache_waiters.c answers waiters. Loop thread only. */
#pragma once

#include "base/container_of.h"
#include "daemon/cache/cache.h"
#include "daemon/cache/model_facts.h"
#include "daemon/cache/revalidation.h"
#include "daemon/model/root_monitor.h"
#include "daemon/threads/turn_share.h"

#include <uthash.h>

/* This state machine fills a slot; only cache_fill.c and cache_claim.c change `state`. A request gets its answer in
 * READY and CHECKING, the error in FAILED, and waits in every other state.
 *
 * state       what happened                                                  next state
 * EMPTY       a request                                                      LOOKING
 * READY       a request, and the files may have changed                      LOOKING
 *             an event in a folder, due_ms, or the last check is old         CHECKING
 * FAILED      a request, and the failure is old or the files may have        LOOKING
 *             changed
 * LOOKING     the files are unchanged                                        READY or FAILED
 *             the disk cache has the model                                   READY
 *             neither: an import is needed                                   IMPORTING, or removed: no waiters
 *             a process writes the file; there is an older model             READY, until due_ms
 *             a process writes the file; there is none                       SETTLING, or removed: too long
 *             there is no such file                                          removed
 *             the root is unreadable; there is a model in memory or on disk  READY, stale
 *             likewise; there is none                                        FAILED, or removed
 * CHECKING    the files are unchanged, or are being written                  READY
 *             the root is unreadable                                         READY, stale
 *             they changed or are gone                                       removed; waiters begin again
 * IMPORTING   the importer has made a model, or found the file bad           CONFIRMING
 *             the import was refused, ended early, or has no waiters         removed
 *             another server that shares the disk cache imports it           ELSEWHERE
 *             another has stored it meanwhile                                LOOKING
 * ELSEWHERE   due_ms                                                         LOOKING
 *             no waiters are left                                            removed
 * CONFIRMING  a model                                                        READY, to be checked again if the files
 *                                                                            changed during the import
 *             an error, and the files are unchanged                          FAILED
 *             an error, and they changed: the file may be incomplete         SETTLING
 *             the file is gone, or the root is unreadable                    removed
 * SETTLING    due_ms                                                         LOOKING
 *             no waiters are left                                            removed
 *
 * The order matters: up to FAILED no work is under way, from IMPORTING on a model is being made. */
enum slot_state {
    SLOT_EMPTY,
    SLOT_READY,
    SLOT_FAILED,
    SLOT_LOOKING,    /* a work thread revalidates the files */
    SLOT_CHECKING,   /* the same, while requests are answered from `imported` */
    SLOT_IMPORTING,  /* queued or under way */
    SLOT_ELSEWHERE,  /* until another server has stored the model, or has given up */
    SLOT_CONFIRMING, /* a work thread checks whether the imported files are unchanged */
    SLOT_SETTLING,   /* until the writer of the file is done */
};

struct cache_slot {
    struct cache *cache;
    char *path;
    enum slot_state state;
    struct imported_model *imported; /* a reference, or NULL */
    struct err *err;                 /* of a failed import, or NULL */
    struct imported_model *offered;  /* used instead of the next import: a reference, or NULL */
    struct stamp stamp;              /* of the model file of the last or pending import */
    uint64_t failed_ms;

    struct revalidation_run *run; /* LOOKING, CHECKING, CONFIRMING */
    struct import_job job;        /* IMPORTING */
    uint64_t import_ns;           /* when the import began */
    struct claim_run *claim;      /* before the import: the pending question who imports; or NULL */
    bool is_claimed;              /* this server imports the model, and has to release the claim */
    uint64_t seen;                /* of disk_cache_claim() */
    uint64_t elsewhere_ms;        /* since when requests have waited for another server; 0 = none do */
    struct cache_waiter *served;  /* arrived before the current work began: they get its result */
    struct cache_waiter *waiting; /* arrived later, or the work has not begun */

    struct folder_watch_set *set; /* or NULL: no events for these folders */
    uint64_t count;               /* of the set at the last check */
    uint64_t checked_ms;          /* the last look */
    uint64_t due_ms;              /* when to check again without a request; 0 = never */
    bool is_offline;              /* `run` does not touch the root */
    uint64_t stale_ms;            /* since when `imported` is stale, because the files are unreadable; 0: it is not */
    uint64_t settling_ms;         /* since when requests have waited for a writer; 0 = none do */

    struct shared_model *shared; /* the model as shared with other threads, or NULL */

    struct cache_slot *prev, *next; /* by use, latest first */
    UT_hash_handle hh;
};

struct cache {
    uv_loop_t *loop;
    const struct config *config;
    struct import_pool *pool;
    struct backing *backing;
    struct root_monitor *monitor;
    uv_timer_t timer; /* runs while slots need checks without a request */
    struct cache_listener *listener;
    struct retargeted_clip_cache *retargeted_clips; /* or NULL: shares the memory for models */
    struct fact_table *facts;                       /* of models that are or were in memory */
    struct cache_slot *slots;                       /* by path */
    struct cache_slot *used;                        /* latest first */
    struct shared_model *shareds;                   /* the shared models of the slots */
    uint64_t model_bytes, model_count;
    uint64_t tick, drained_tick;
    bool has_events;              /* some set counted an event: slots need a check */
    uint32_t checking_count;      /* slots in CHECKING */
    struct cache_result *results; /* results with unanswered waiters, oldest first */
    struct turn_share answering;
};

/* --- cache_slot.c --- */

struct cache_slot *slot_find(const struct cache *cache, const char *path); /* or NULL */
struct cache_slot *slot_find_or_add(struct cache *cache, const char *path);
/* Stores the model, whose reference it takes, in place of the previous model or error. */
void slot_keep_model(struct cache_slot *slot, struct imported_model *imported);
void slot_keep_error(struct cache_slot *slot, const struct err *err);
void slot_clear(struct cache_slot *slot); /* forgets model and error; other references stay valid */
void slot_drop_offer(struct cache_slot *slot);
void slot_remove(struct cache_slot *slot);
/* Tells the listener, if there was a model. */
void slot_report_change(struct cache_slot *slot);
void slot_invalidate_shared(struct cache_slot *slot);
/* Removes the least recently used slots until the others fit. Slots with work under way stay. latest: the slot in use
 * now, which stays too; or NULL. */
void cache_evict(struct cache *cache, struct cache_slot *latest);

/* True if events show that nothing happened in the files' folders since the last check. */
bool slot_has_no_events(const struct cache_slot *slot);

/* --- cache_waiters.c --- */

/* True if a waiter needs the slot's result. */
bool slot_is_wanted(const struct cache_slot *slot);
void waiter_add(struct cache_waiter **list, struct cache_waiter *waiter, struct cache_slot *slot);
/* Appends one list to another. slot: the owner of the other list, or NULL. */
void waiter_move_all(struct cache_waiter **from, struct cache_waiter **to, struct cache_slot *slot);
/* These answer all waiters of a list that no slot holds: at once within the share of this turn of the loop, if no older
 * waiters are left, and the rest in the next turns. A waiter may be cancelled until its turn. imported (or NULL), err
 * and path are borrowed for the call. */
void waiters_answer(struct cache *cache, struct cache_waiter **list, struct imported_model *imported,
                    const struct err *err);
/* Lets each waiter request the path again, one by one. */
void waiters_ask_again(struct cache *cache, struct cache_waiter **list, const char *path);
void cache_begin_answers(struct cache *cache);
/* Drops the remaining waiters. closed: called for a libuv handle whose data the cache does not use. */
void cache_end_answers(struct cache *cache, uv_close_cb closed);

/* --- cache_fill.c --- */

/* Begins a check of the files. state: LOOKING, CHECKING or CONFIRMING. */
void slot_look(struct cache_slot *slot, enum slot_state state);
/* Removes the slot, which has no waiters and no result yet. */
void slot_give_up(struct cache_slot *slot);

/* Removes the slot if is_gone, makes room, answers `served` with the model or the error (NULL: the slot's own), and
 * lets `waiting` ask again. The slot may be gone afterwards. */
void slot_finish(struct cache_slot *slot, bool is_gone, const struct err *why);
/* Moves all waiters to the list of those whose work has not begun. */
void slot_wait_anew(struct cache_slot *slot);

/* --- cache_stale.c: models whose files are unreadable --- */

/* Notes the time when the model became stale, and stops sharing it with other loops. */
void slot_mark_stale(struct cache_slot *slot);
/* True if the model has been stale for longer than --stale-if-error, so that answers may not use it any more. */
bool slot_is_expired(const struct cache_slot *slot);
/* Returns for how long it has been stale, in whole seconds, at least 1; 0: it is not stale. */
uint32_t slot_stale_s(const struct cache_slot *slot);
/* Fills *err with ERR_SOURCE_UNAVAILABLE and returns it. */
int slot_unavailable(const struct cache_slot *slot, struct err *err);
/* Ends work on slots that waits for the root, which is down. */
void cache_go_offline(struct cache *cache);

/* --- cache_claim.c --- */

/* Returns the slot of the import. */
static inline struct cache_slot *slot_of_job(const struct import_job *job)
{
    return container_of(job, struct cache_slot, job);
}
/* Implements prepare() of struct import_job. When the import could begin, it asks whether another server with the same
 * disk cache imports the model. Until then other servers may begin. */
bool slot_prepare_import(struct import_job *job);
/* Drops the pending question, whose answer no longer matters. */
void slot_abandon_claim(struct cache_slot *slot);
/* Ends the claim after an import. imported: the model to store first, or NULL. */
void slot_release_claim(struct cache_slot *slot, struct imported_model *imported);

/* --- cache.c --- */

/* Starts the timer that checks slots whose folders had events, and slots that are due. */
void cache_start_timer(struct cache *cache);
