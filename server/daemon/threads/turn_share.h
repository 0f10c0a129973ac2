/* turn_share.h - work that waits for one thing and may all begin at once, of which each turn of a loop does a part.
 *
 * When an import or a walk ends, hundreds of requests may have waited for it, and each answer may be two milliseconds
 * of work. After a share of the turn the rest waits for the next one: other sockets, timers and messages come between.
 * Thread of the loop only. */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <uv.h>

struct turn_share {
    uv_idle_t rest; /* active while work is left for the next turn */
    /* Does one piece of the work. False: none is left. It may call turn_share_go(). */
    bool (*step)(void *user);
    void *user;
    uint64_t turn_ms; /* of uv_now(), which a turn sets twice: of the turn that has the share */
    uint64_t end_ns;  /* of uv_hrtime(): when the share of that turn is over */
    bool is_running;  /* a step is on the stack */
};

void turn_share_init(struct turn_share *share, uv_loop_t *loop, bool (*step)(void *user), void *user);
/* There is work: does what fits into this turn, unless older work rests, and the rest in the next ones. */
void turn_share_go(struct turn_share *share);
/* No step runs any more. closed: when the memory may go. */
void turn_share_close(struct turn_share *share, uv_close_cb closed);
