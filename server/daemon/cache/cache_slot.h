/* cache_slot.h - the slots of the cache: what is known of one model file, and who waits for it. Private to the cache.
 *
 * cache_slot.c keeps slots, cache_fill.c takes them from state to state: where several servers share a disk cache
 * together with cache_claim.c, while the root cannot be read with cache_stale.c. cache.c answers requests and looks at
 * files without one, and cache_waiters.c answers those that have waited. Loop thread only. */
#pragma once

#include "base/container_of.h"
#include "daemon/cache/cache.h"
#include "daemon/cache/model_facts.h"
#include "daemon/cache/revalidation.h"
#include "daemon/model/root_monitor.h"
#include "daemon/threads/turn_share.h"

#include <uthash.h>

/* Filling a slot is this state machine; only cache_fill.c and cache_claim.c change `state`. A request is answered from
 * READY and CHECKING, gets the error of FAILED, and waits in every other state.
 *
 * state       what happened                                                  next state
 * EMPTY       a request                                                      LOOKING
 * READY       a request, and the files may have changed                      LOOKING
 *             an event in a folder, due_ms, or the last look is old          CHECKING
 * FAILED      a request, and the failure is old or the files may have        LOOKING
 *             changed
 * LOOKING     the files are as they were                                     READY or FAILED
 *             the disk cache has the model                                   READY
 *             neither: an import is needed                                   IMPORTING, or removed: nobody waits
 *             somebody writes the file; there is a former model              READY, until due_ms
 *             somebody writes the file; there is none                        SETTLING, or removed: for too long
 *             there is no such file                                          removed
 *             the root cannot be read; there is a model in memory or on disk READY, stale
 *             it cannot; there is none                                       FAILED, or removed
 * CHECKING    the files are as they were, or are being written               READY
 *             the root cannot be read                                        READY, stale
 *             they changed or are gone                                       removed; who waits begins anew
 * IMPORTING   the importer has made a model, or found the file bad           CONFIRMING
 *             the import was refused, ended early, or nobody waits           removed
 *             another server that shares the disk cache imports it           ELSEWHERE
 *             another has stored it meanwhile                                LOOKING
 * ELSEWHERE   due_ms                                                         LOOKING
 *             nobody waits any more                                          removed
 * CONFIRMING  a model                                                        READY, to be looked at again if the files
 *                                                                            changed during the import
 *             an error, and the files are as they were                       FAILED
 *             an error, and they are not: it may be about half a file        SETTLING
 *             the file is gone, or the root cannot be read                   removed
 * SETTLING    due_ms                                                         LOOKING
 *             nobody waits any more                                          removed
 *
 * Their order counts: up to FAILED no work is under way, from IMPORTING on a model is on its way. */
enum slot_state {
    SLOT_EMPTY,
    SLOT_READY,
    SLOT_FAILED,
    SLOT_LOOKING,    /* a work thread revalidates the files */
    SLOT_CHECKING,   /* the same, while requests are answered from `imported` */
    SLOT_IMPORTING,  /* queued or under way */
    SLOT_ELSEWHERE,  /* until another server has stored the model, or has given up */
    SLOT_CONFIRMING, /* a work thread looks whether the files are still those that were imported */
    SLOT_SETTLING,   /* until the writer of the file is done */
};

struct cache_slot {
    struct cache *cache;
    char *path;
    enum slot_state state;
    struct imported_model *imported; /* a reference, or NULL */
    struct err *err;                 /* of a failed import, or NULL */
    struct imported_model *offered;  /* to be taken instead of the next import: a reference, or NULL */
    struct stamp stamp;              /* of the model file that was imported, or was about to be */
    uint64_t failed_ms;

    struct revalidation_run *run; /* LOOKING, CHECKING, CONFIRMING */
    struct import_job job;        /* IMPORTING */
    uint64_t import_ns;           /* when that began */
    struct claim_run *claim;      /* before: whether to import it is being asked; or NULL */
    bool is_claimed;              /* it is this server that imports the model; the claim is to be released */
    uint64_t seen;                /* of disk_cache_claim() */
    uint64_t elsewhere_ms;        /* since when requests have waited for another server; 0 = none do */
    struct cache_waiter *served;  /* came before the work under way began: they get its result */
    struct cache_waiter *waiting; /* came later, or it has not begun */

    struct folder_watch_set *set; /* or NULL: no events tell of changes */
    uint64_t count;               /* of the set at the last look */
    uint64_t checked_ms;          /* the last look */
    uint64_t due_ms;              /* when to look again although nobody asks; 0 = no need */
    bool is_offline;              /* of `run`: the root is not touched */
    uint64_t stale_ms;    /* since when the files cannot be looked at, while `imported` is answered; 0: they can */
    uint64_t settling_ms; /* since when requests have waited for a writer; 0 = none do */

    struct shared_model *shared; /* as other threads use the model, or NULL */

    struct cache_slot *prev, *next; /* by use, latest first */
    UT_hash_handle hh;
};

struct cache {
    uv_loop_t *loop;
    const struct config *config;
    struct import_pool *pool;
    struct backing *backing;
    struct root_monitor *monitor;
    uv_timer_t timer; /* runs while slots are to be looked at without a request */
    struct cache_listener *listener;
    struct view_cache *views;     /* or NULL: what shares the room for models */
    struct fact_table *facts;     /* of models that are or were in memory */
    struct cache_slot *slots;     /* by path */
    struct cache_slot *used;      /* latest first */
    struct shared_model *shareds; /* those of the slots */
    uint64_t model_bytes, model_count;
    uint64_t tick, drained_tick;
    bool has_events;              /* some set counted something: slots are to be looked at */
    uint32_t checking_count;      /* slots in CHECKING */
    struct cache_result *results; /* whose waiters are not all answered yet, oldest first */
    struct turn_share answering;
};

/* --- cache_slot.c --- */

struct cache_slot *slot_find(const struct cache *cache, const char *path); /* or NULL */
struct cache_slot *slot_find_or_add(struct cache *cache, const char *path);
/* Takes the reference; what was known before is dropped. */
void slot_keep_model(struct cache_slot *slot, struct imported_model *imported);
void slot_keep_error(struct cache_slot *slot, const struct err *err);
void slot_clear(struct cache_slot *slot); /* nothing is known; references elsewhere live on */
void slot_drop_offer(struct cache_slot *slot);
void slot_remove(struct cache_slot *slot);
/* Tells the listener, if there was a model. */
void slot_report_change(struct cache_slot *slot);
void slot_invalidate_shared(struct cache_slot *slot);
/* Removes the least recently used slots until the others fit. A slot that is being worked on stays. latest: the one
 * that is used now, however long ago it was asked for; or NULL. */
void cache_evict(struct cache *cache, struct cache_slot *latest);

/* True when events vouch for the files: nothing happened in their folders since the last look. */
bool slot_has_no_events(const struct cache_slot *slot);

/* --- cache_waiters.c --- */

/* Somebody waits for what becomes of the slot. */
bool slot_is_wanted(const struct cache_slot *slot);
void waiter_add(struct cache_waiter **list, struct cache_waiter *waiter, struct cache_slot *slot);
/* Appends one list to another. slot: whose list that is; NULL: nobody's. */
void waiter_move_all(struct cache_waiter **from, struct cache_waiter **to, struct cache_slot *slot);
/* These answer all of a list that no slot holds: at once, as far as the share of this turn of the loop lasts and no
 * others rest, and in the next turns. Until its turn each may be cancelled. imported (or NULL), err and path are
 * borrowed for the call. */
void waiters_answer(struct cache *cache, struct cache_waiter **list, struct imported_model *imported,
                    const struct err *err);
/* One by one, as if each had just asked for the path. */
void waiters_ask_again(struct cache *cache, struct cache_waiter **list, const char *path);
void cache_begin_answers(struct cache *cache);
/* Those that rest are dropped. closed: of a handle of libuv whose data is of no meaning to the cache. */
void cache_end_answers(struct cache *cache, uv_close_cb closed);

/* --- cache_fill.c --- */

/* Begins a look at the files. state: LOOKING, CHECKING or CONFIRMING. */
void slot_look(struct cache_slot *slot, enum slot_state state);
/* Nobody waits, and nothing is known yet: removes the slot. */
void slot_give_up(struct cache_slot *slot);

/* Removes the slot if is_gone, makes room, answers `served` with the model or the error (NULL: the slot's own), and
 * lets `waiting` ask again. The slot may be gone afterwards. */
void slot_finish(struct cache_slot *slot, bool is_gone, const struct err *why);
/* All wait for work that has not begun. */
void slot_wait_anew(struct cache_slot *slot);

/* --- cache_stale.c: models whose files cannot be looked at --- */

/* Keeps the start of it; the model is the cache's alone from then on. */
void slot_mark_stale(struct cache_slot *slot);
/* For longer than --stale-if-error: the model is not answered any more. */
bool slot_is_expired(const struct cache_slot *slot);
/* Of its answers: whole seconds, at least 1; 0: it is not stale. */
uint32_t slot_stale_s(const struct cache_slot *slot);
/* Fills *err with ERR_SOURCE_UNAVAILABLE and returns it. */
int slot_unavailable(const struct cache_slot *slot, struct err *err);
/* The root is down: work on slots that waits for it ends. */
void cache_go_offline(struct cache *cache);

/* --- cache_claim.c --- */

/* The slot whose import that is. */
static inline struct cache_slot *slot_of_job(const struct import_job *job)
{
    return container_of(job, struct cache_slot, job);
}
/* Of struct import_job: whether nobody else with the same disk cache imports the model is asked when the import could
 * begin. Until then others may. */
bool slot_prepare_import(struct import_job *job);
/* What was asked no longer matters. */
void slot_abandon_claim(struct cache_slot *slot);
/* The import is over. imported: what to store first, or NULL. */
void slot_release_claim(struct cache_slot *slot, struct imported_model *imported);

/* --- cache.c --- */

/* Looks soon at slots whose folders had events, and at those that are due. */
void cache_start_timer(struct cache *cache);
