/* The share of a turn: work that exceeds it waits for the next turns, in order, and other work runs between. */
#include "tests/unit/support/check.h"

#include "daemon/threads/turn_share.h"

enum { SHARE_NS = 4000000, LONG = 5 };

static uv_loop_t loop;
static struct turn_share share;
static uv_prepare_t turn;
static uint32_t turns, left, long_count, done_in[16], done_count;

static void on_turn(uv_prepare_t *prepare __attribute__((unused))) { turns++; }

static bool step(void *user)
{
    assert_ptr_equal(user, &loop);
    if (left == 0)
        return false;
    done_in[done_count++] = turns;
    const uint64_t end_ns = uv_hrtime() + (done_count <= long_count ? SHARE_NS : 0);
    while (uv_hrtime() < end_ns)
        continue;
    left--;
    turn_share_go(&share); /* the step under way goes on */
    return left > 0;
}

static void begin(uint32_t count, uint32_t longs)
{
    uv_loop_init(&loop);
    uv_prepare_init(&loop, &turn);
    uv_prepare_start(&turn, on_turn);
    uv_unref((uv_handle_t *)&turn);
    turn_share_init(&share, &loop, step, &loop);
    left = count;
    long_count = longs;
    turns = done_count = 0;
}

static void end(void)
{
    turn_share_close(&share, NULL);
    uv_close((uv_handle_t *)&turn, NULL);
    uv_run(&loop, UV_RUN_DEFAULT);
    assert_int_equal(uv_loop_close(&loop), 0);
}

TEST(turn_share_of_each_turn_is_some_of_the_work)
{
    begin(LONG, LONG);
    turn_share_go(&share);
    assert_int_equal(done_count, 1);
    turn_share_go(&share); /* the rest is older */
    assert_int_equal(done_count, 1);
    uv_run(&loop, UV_RUN_DEFAULT); /* ends: nothing keeps the loop once the work is done */
    assert_int_equal(done_count, LONG);
    for (uint32_t i = 2; i < LONG; i++) /* the first rest has its turn before the loop prepares to wait */
        assert_true(done_in[i] > done_in[i - 1]);
    end();
}

TEST(turn_share_is_one_for_all_that_is_asked_in_a_turn)
{
    begin(1, 1);
    turn_share_go(&share);
    assert_int_equal(done_count, 1);
    left = 1;
    turn_share_go(&share); /* the share of this turn is over, though nothing rested */
    assert_int_equal(done_count, 1);
    uv_run(&loop, UV_RUN_DEFAULT);
    assert_int_equal(done_count, 2);
    end();
}

TEST(turn_share_rests_no_longer_when_work_is_gone)
{
    begin(2, 1);
    turn_share_go(&share);
    left = 0;
    uv_run(&loop, UV_RUN_DEFAULT);
    assert_int_equal(done_count, 1);
    end();
}

TEST(turn_share_closes_while_work_rests)
{
    begin(2, 2);
    turn_share_go(&share);
    assert_int_equal(done_count, 1);
    end();
    assert_int_equal(done_count, 1);
}
