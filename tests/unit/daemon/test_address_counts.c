#include "daemon/conn/address_counts.h"
#include "tests/unit/support/check.h"

#include <string.h>

static struct address_key key_of(const char *text)
{
    struct peer_address address;
    assert_true(peer_address_parse(text, strlen(text), &address));
    return address_key_of(&address);
}

TEST(address_counts_tell_addresses_and_networks_apart)
{
    static const struct {
        const char *one, *other;
        bool is_same;
    } ROWS[] = {
        {"203.0.113.9:5000", "203.0.113.9:5001", true}, {"203.0.113.9", "203.0.113.8", false},
        {"203.0.113.9", "[::ffff:203.0.113.9]", true},  {"[2001:db8::1]:1", "[2001:db8::ffff:1:2:3]:2", true},
        {"[2001:db8::1]", "[2001:db8:0:1::1]", false},  {"[::1]", "127.0.0.1", false},
    };
    for (size_t i = 0; i < sizeof ROWS / sizeof *ROWS; i++) {
        const struct address_key one = key_of(ROWS[i].one), other = key_of(ROWS[i].other);
        assert_int_equal(memcmp(&one, &other, sizeof one) == 0, ROWS[i].is_same);
    }
}

TEST(address_counts_add_and_remove)
{
    struct address_counts *counts = address_counts_new();
    const struct address_key one = key_of("203.0.113.9"), other = key_of("[2001:db8::1]");
    assert_int_equal(address_counts_add(counts, &one), 1);
    assert_int_equal(address_counts_add(counts, &one), 2);
    assert_int_equal(address_counts_add(counts, &other), 1);
    address_counts_remove(counts, &one);
    assert_int_equal(address_counts_add(counts, &one), 2);
    address_counts_remove(counts, &one);
    address_counts_remove(counts, &one);
    assert_int_equal(address_counts_add(counts, &one), 1);
    address_counts_free(counts); /* with those that are left */
    address_counts_free(NULL);
}
