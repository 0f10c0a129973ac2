/* Timeouts: order, re-arming, several kinds, and disarming from within. */
#include "tests/unit/support/check.h"

#include "daemon/conn/timeouts.h"

static const uint64_t LENGTHS_MS[TIMEOUT_COUNT] = {
    [TIMEOUT_FIRST] = 5, [TIMEOUT_HEADER] = 10, [TIMEOUT_BODY] = 30,
    [TIMEOUT_IDLE] = 60, [TIMEOUT_WRITE] = 7,   [TIMEOUT_LINGER] = 2,
};

static struct timeouts timeouts;
static struct timeout a, b, c;

static void begin(void)
{
    timeouts_init(&timeouts, LENGTHS_MS);
    a = b = c = (struct timeout){0};
}

static void check_expired(uint64_t now_ms, const struct timeout *expected, enum timeout_kind expected_kind)
{
    enum timeout_kind kind = TIMEOUT_NONE;
    const struct timeout *found = timeouts_expired(&timeouts, now_ms, &kind);
    assert_ptr_equal(found, expected);
    assert_int_equal(kind, expected_kind);
}

TEST(timeouts_expire_at_their_time_in_order)
{
    begin();
    timeout_arm(&timeouts, &a, TIMEOUT_HEADER, 100);
    timeout_arm(&timeouts, &b, TIMEOUT_HEADER, 104);
    check_expired(109, NULL, TIMEOUT_NONE);
    check_expired(110, &a, TIMEOUT_HEADER);
    check_expired(113, NULL, TIMEOUT_NONE);
    check_expired(200, &b, TIMEOUT_HEADER);
    check_expired(200, NULL, TIMEOUT_NONE);
    assert_int_equal(a.kind, TIMEOUT_NONE);
}

TEST(timeouts_rearming_starts_anew)
{
    begin();
    timeout_arm(&timeouts, &a, TIMEOUT_BODY, 0);
    timeout_arm(&timeouts, &b, TIMEOUT_BODY, 10);
    timeout_arm(&timeouts, &a, TIMEOUT_BODY, 20);
    check_expired(30, NULL, TIMEOUT_NONE);
    check_expired(60, &b, TIMEOUT_BODY);
    check_expired(60, &a, TIMEOUT_BODY);
}

TEST(timeouts_change_of_kind_moves_to_the_other_list)
{
    begin();
    timeout_arm(&timeouts, &a, TIMEOUT_IDLE, 0);
    timeout_arm(&timeouts, &a, TIMEOUT_LINGER, 1);
    check_expired(3, &a, TIMEOUT_LINGER);
    check_expired(1000, NULL, TIMEOUT_NONE);
}

TEST(timeouts_disarmed_never_expire)
{
    begin();
    timeout_arm(&timeouts, &a, TIMEOUT_WRITE, 0);
    timeout_arm(&timeouts, &b, TIMEOUT_WRITE, 0);
    timeout_arm(&timeouts, &c, TIMEOUT_WRITE, 0);
    timeout_disarm(&b);
    timeout_disarm(&b);
    timeout_arm(&timeouts, &c, TIMEOUT_NONE, 0);
    check_expired(50, &a, TIMEOUT_WRITE);
    check_expired(50, NULL, TIMEOUT_NONE);
}

TEST(timeouts_oldest_is_the_one_that_began_first)
{
    static const enum timeout_kind KINDS[] = {TIMEOUT_BODY, TIMEOUT_IDLE};
    begin();
    assert_ptr_equal(timeouts_oldest(&timeouts, KINDS, 2), NULL);
    timeout_arm(&timeouts, &a, TIMEOUT_IDLE, 100);
    timeout_arm(&timeouts, &b, TIMEOUT_BODY, 101); /* which ends first */
    timeout_arm(&timeouts, &c, TIMEOUT_HEADER, 99);
    assert_ptr_equal(timeouts_oldest(&timeouts, KINDS, 2), &a);
    timeout_arm(&timeouts, &a, TIMEOUT_IDLE, 102);
    assert_ptr_equal(timeouts_oldest(&timeouts, KINDS, 2), &b);
    assert_ptr_equal(timeouts_oldest(&timeouts, KINDS + 1, 1), &a);
}
