/* turn_share.h - spreads work that becomes ready all at once over several turns of a loop.
 *
 * When an import or a walk ends, hundreds of requests may have waited for it, and each answer may take two
 * milliseconds. After a share of the turn the rest waits for the next one, so that other sockets, timers and messages
 * get their turn. Thread of the loop only. */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <uv.h>

struct turn_share {
    uv_idle_t rest; /* active while work is left for the next turn */
    /* Does one piece of the work. Returns false if none is left. It may call turn_share_go(). */
    bool (*step)(void *user);
    void *user;
    uint64_t turn_ms; /* of uv_now(), which a turn sets twice: the turn of the share */
    uint64_t end_ns;  /* of uv_hrtime(): the end of that share */
    bool is_running;  /* a step is on the stack */
};

void turn_share_init(struct turn_share *share, uv_loop_t *loop, bool (*step)(void *user), void *user);
/* Starts new work: does as much as fits into this turn, unless older work is left, and the rest in the next turns. */
void turn_share_go(struct turn_share *share);
/* Stops the work. closed: runs when the memory may be freed. */
void turn_share_close(struct turn_share *share, uv_close_cb closed);
