/* When frames of a stream are due and which times they show. */
#include "tests/unit/support/check.h"

#include "daemon/packets/stream_clock.h"

#define S UINT64_C(1000000000)

static struct stream_clock a_clock(double rate)
{
    struct stream_clock clock;
    stream_clock_start(&clock, rate, 0.5, 2, false, 10 * S);
    return clock;
}

TEST(stream_clock_ticks_at_its_rate)
{
    struct stream_clock clock = a_clock(4);
    uint64_t tick;
    for (uint64_t k = 0; k < 9; k++) {
        const uint64_t due_ns = 10 * S + k * S / 4;
        assert_int_equal(stream_clock_next_ns(&clock), due_ns);
        assert_false(stream_clock_due(&clock, due_ns - 1, &tick));
        assert_true(stream_clock_due(&clock, due_ns, &tick));
        assert_int_equal(tick, k);
        assert_true(stream_clock_position(&clock, tick, due_ns) == 0.5 + 2 * ((double)k / 4));
        stream_clock_pass(&clock, tick);
    }
}

TEST(stream_clock_gives_the_latest_tick)
{
    struct stream_clock clock = a_clock(60);
    uint64_t tick;
    assert_true(stream_clock_due(&clock, 11 * S + 1, &tick));
    assert_int_equal(tick, 60);
    assert_true(stream_clock_position(&clock, tick, 11 * S + 1) == 2.5);
}

TEST(stream_clock_of_a_rate_of_almost_nothing_never_ticks_again)
{
    struct stream_clock clock = a_clock(1e-300);
    const double speed = 2;
    uint64_t tick;
    assert_true(stream_clock_due(&clock, 10 * S, &tick));
    stream_clock_pass(&clock, tick);
    assert_false(stream_clock_due(&clock, UINT64_MAX - 1, &tick));
    assert_int_equal(stream_clock_next_ns(&clock), UINT64_MAX);
    stream_clock_change(&clock, &(struct stream_change){.speed = &speed}, 11 * S);
    assert_true(stream_clock_due(&clock, 11 * S, &tick));
    assert_int_equal(tick, 1);
}

TEST(stream_clock_without_a_rate_shows_now)
{
    struct stream_clock clock = a_clock(0);
    uint64_t tick;
    assert_int_equal(stream_clock_next_ns(&clock), UINT64_MAX);
    assert_true(stream_clock_due(&clock, 11 * S, &tick));
    assert_int_equal(tick, 0);
    assert_true(stream_clock_position(&clock, tick, 11 * S) == 2.5);
    stream_clock_pass(&clock, tick);
    assert_true(stream_clock_due(&clock, 11 * S, &tick));
    assert_int_equal(tick, 1);
}

TEST(stream_clock_pauses_and_goes_on_where_it_stood)
{
    struct stream_clock clock = a_clock(4);
    uint64_t tick;
    stream_clock_pass(&clock, 0); /* the next is tick 1, at 1.0 */
    stream_clock_change(&clock, &(struct stream_change){.pauses = true}, 10 * S + 1);
    assert_false(stream_clock_due(&clock, 99 * S, &tick));
    assert_int_equal(stream_clock_next_ns(&clock), UINT64_MAX);
    stream_clock_change(&clock, &(struct stream_change){.resumes = true}, 99 * S);
    assert_true(stream_clock_due(&clock, 99 * S, &tick));
    assert_int_equal(tick, 1);
    assert_true(stream_clock_position(&clock, tick, 99 * S) == 1.0);
    assert_true(stream_clock_position(&clock, 2, 99 * S) == 1.5);
}

TEST(stream_clock_that_is_paused_shows_what_is_sought_once)
{
    struct stream_clock clock = a_clock(4);
    const double sought_s = 7;
    uint64_t tick;
    stream_clock_change(&clock, &(struct stream_change){.pauses = true, .position_s = &sought_s}, 10 * S);
    assert_true(stream_clock_due(&clock, 10 * S, &tick));
    assert_true(stream_clock_position(&clock, tick, 10 * S) == 7);
    stream_clock_pass(&clock, tick);
    assert_false(stream_clock_due(&clock, 11 * S, &tick));
    stream_clock_change(&clock, &(struct stream_change){.resumes = true}, 12 * S);
    assert_true(stream_clock_due(&clock, 12 * S, &tick));
    assert_int_equal(tick, 1);
    assert_true(stream_clock_position(&clock, tick, 12 * S) == 7);
}

TEST(stream_clock_changes_speed_without_a_jump)
{
    struct stream_clock clock = a_clock(4);
    const double speed = -1, rate = 8;
    stream_clock_pass(&clock, 0);
    stream_clock_change(&clock, &(struct stream_change){.speed = &speed}, 10 * S + 5);
    assert_int_equal(stream_clock_next_ns(&clock), 10 * S + S / 4); /* still on its beat */
    assert_true(stream_clock_position(&clock, 1, 0) == 1.0);
    assert_true(stream_clock_position(&clock, 2, 0) == 0.75);
    stream_clock_change(&clock, &(struct stream_change){.rate = &rate}, 20 * S);
    assert_int_equal(stream_clock_next_ns(&clock), 20 * S);
    stream_clock_pass(&clock, 1);
    assert_int_equal(stream_clock_next_ns(&clock), 20 * S + S / 8);
    assert_true(stream_clock_position(&clock, 2, 0) == 0.875);
}
