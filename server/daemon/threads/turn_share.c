#include "daemon/threads/turn_share.h"

static const uint64_t SHARE_NS = 4000000;

/* All that calls turn_share_go() in one turn has one share together. */
static bool is_over(struct turn_share *share)
{
    const uint64_t turn_ms = uv_now(share->rest.loop), now_ns = uv_hrtime();
    if (share->end_ns == 0 || share->turn_ms != turn_ms) {
        share->turn_ms = turn_ms;
        share->end_ns = now_ns + SHARE_NS;
    }
    return now_ns >= share->end_ns;
}

static void on_rest(uv_idle_t *rest);

static void do_some(struct turn_share *share)
{
    bool is_left = true;
    share->is_running = true;
    while (is_left && !is_over(share))
        is_left = share->step(share->user) && !uv_is_closing((uv_handle_t *)&share->rest);
    share->is_running = false;
    if (is_left)
        uv_idle_start(&share->rest, on_rest);
    else
        uv_idle_stop(&share->rest);
}

static void on_rest(uv_idle_t *rest)
{
    struct turn_share *share = rest->data;
    share->end_ns = 0; /* whatever this turn has had: each turn does something */
    do_some(share);
}

void turn_share_init(struct turn_share *share, uv_loop_t *loop, bool (*step)(void *user), void *user)
{
    *share = (struct turn_share){.step = step, .user = user};
    uv_idle_init(loop, &share->rest);
    share->rest.data = share;
}

void turn_share_go(struct turn_share *share)
{
    if (!share->is_running && !uv_is_active((uv_handle_t *)&share->rest))
        do_some(share);
}

void turn_share_close(struct turn_share *share, uv_close_cb closed) { uv_close((uv_handle_t *)&share->rest, closed); }
