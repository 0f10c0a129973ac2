/* server/wire/proxy: which proxies are trusted, and the client's address by X-Forwarded-For and Forwarded. */
#include "tests/unit/support/check.h"

#include "wire/proxy/forwarded.h"

#include <string.h>

static struct trusted_proxies trusted;

static void trust(const char *list)
{
    struct err err = {0};
    trusted_proxies_fini(&trusted);
    if (trusted_proxies_add(&trusted, list, &err) != 0)
        fail_msg("%s", err.message);
}

static bool has(const char *text)
{
    struct peer_address address;
    assert_true(peer_address_parse(text, strlen(text), &address));
    return trusted_proxies_have(&trusted, &address);
}

TEST(trusted_proxies_are_networks)
{
    const struct peer_address local = peer_address_unix(), nobody = {0};
    assert_false(trusted_proxies_are_any(&(struct trusted_proxies){0}));
    trust("10.0.0.0/8, 192.0.2.7,fd00::/9 , 2001:db8::1, 198.51.100.128/25");
    assert_true(trusted_proxies_are_any(&trusted));
    static const char *const IN[] = {"10.0.0.0",    "10.255.255.255:80", "192.0.2.7",       "fd00::1",
                                     "fd7f:ffff::", "2001:db8::1",       "::ffff:10.1.2.3", "198.51.100.128"};
    static const char *const OUT[] = {
        "9.255.255.255", "11.0.0.0", "192.0.2.6", "fd80::", "2001:db8::2", "::1", "198.51.100.127", "::10.0.0.1"};
    for (size_t i = 0; i < sizeof IN / sizeof *IN; i++)
        if (!has(IN[i]))
            fail_msg("%s is trusted", IN[i]);
    for (size_t i = 0; i < sizeof OUT / sizeof *OUT; i++)
        if (has(OUT[i]))
            fail_msg("%s is not trusted", OUT[i]);
    assert_false(trusted_proxies_have(&trusted, &local));
    assert_false(trusted_proxies_have(&trusted, &nobody));
    trust("unix");
    assert_true(trusted_proxies_have(&trusted, &local));
    assert_false(has("127.0.0.1"));
    assert_false(trusted_proxies_have(&trusted, &nobody));
    trust("::/0");
    assert_true(has("2001:db8::2"));
    assert_false(has("10.0.0.1")); /* networks of IPv6 have no IPv4 addresses */
    trust("0.0.0.0/0");
    assert_true(has("10.0.0.1") && !has("::1"));
    trusted_proxies_fini(&trusted);
}

TEST(trusted_proxies_refused)
{
    static const char *const BAD[] = {
        "",     "10.0.0.0/33", "10.0.0.0/",  "10.0.0.0/08",    "10.0.0.0/-1", "10.0.0/8",
        "10/8", "example.org", "fd00::/129", "fd00::/1000",    "[fd00::]/8",  "10.0.0.0/8,",
        "*",    "unix/8",      "10.0.0.1/8", "2001:db8::1/64", "127.0.0.1:80"};
    for (size_t i = 0; i < sizeof BAD / sizeof *BAD; i++) {
        struct trusted_proxies proxies = {0};
        struct err err = {0};
        if (trusted_proxies_add(&proxies, BAD[i], &err) != ERR_BAD_PARAMETER)
            fail_msg("'%s' is no list of networks", BAD[i]);
        assert_non_null(strstr(err.message, "'"));
        trusted_proxies_fini(&proxies);
    }
    struct trusted_proxies proxies = {0};
    struct err err;
    trusted_proxies_add(&proxies, "10.0.0.1/8", &err);
    assert_string_equal(err.message, "'10.0.0.1/8' has bits behind its prefix: the network is that of 10.0.0.0");
    trusted_proxies_fini(&proxies);
}

TEST(peer_address_texts)
{
    static const struct {
        const char *text, *formatted;
    } GOOD[] = {{"203.0.113.9", "203.0.113.9"},
                {"203.0.113.9:1", "203.0.113.9:1"},
                {"2001:DB8::9", "[2001:db8::9]"},
                {"[2001:db8::9]", "[2001:db8::9]"},
                {"[2001:db8::9]:65535", "[2001:db8::9]:65535"},
                {"::ffff:203.0.113.9", "203.0.113.9"},
                {"203.0.113.9:0", "203.0.113.9"}};
    static const char *const BAD[] = {"",
                                      ":",
                                      "203.0.113",
                                      "203.0.113.9:",
                                      "203.0.113.9:65536",
                                      "203.0.113.9:+1",
                                      "203.0.113.9:000001",
                                      "[2001:db8::9",
                                      "[2001:db8::9]80",
                                      "[203.0.113.9]",
                                      "[]",
                                      "[",
                                      "a",
                                      "203.0.113.9 ",
                                      "fe80::1%eth0"};
    for (size_t i = 0; i < sizeof GOOD / sizeof *GOOD; i++) {
        struct peer_address address;
        char text[PEER_TEXT_SIZE];
        assert_true(peer_address_parse(GOOD[i].text, strlen(GOOD[i].text), &address));
        peer_address_format(&address, text);
        assert_string_equal(text, GOOD[i].formatted);
    }
    for (size_t i = 0; i < sizeof BAD / sizeof *BAD; i++) {
        struct peer_address address;
        if (peer_address_parse(BAD[i], strlen(BAD[i]), &address))
            fail_msg("'%s' is no address", BAD[i]);
    }
}

struct named {
    const char *header, *client;
};

static void check_all(const struct named *named, size_t count, bool is_forwarded)
{
    for (size_t i = 0; i < count; i++) {
        char client[PEER_TEXT_SIZE];
        forwarded_client(&trusted, is_forwarded ? NULL : named[i].header, is_forwarded ? named[i].header : NULL,
                         client);
        if (strcmp(client, named[i].client) != 0)
            fail_msg("'%s' names '%s', not '%s'", named[i].header, named[i].client, client);
    }
}

TEST(forwarded_client_by_x_forwarded_for)
{
    static const struct named NAMED[] = {
        {"203.0.113.9", "203.0.113.9"},
        {"203.0.113.9:4711", "203.0.113.9:4711"},
        {"2001:db8::9", "[2001:db8::9]"},
        {"1.1.1.1, 203.0.113.9", "203.0.113.9"}, /* the client says it comes from 1.1.1.1 */
        {"1.1.1.1, 203.0.113.9, 10.0.0.2", "203.0.113.9"},
        {"1.1.1.1,203.0.113.9,10.0.0.2,10.0.0.3", "203.0.113.9"},
        {"10.0.0.9, 203.0.113.9", "203.0.113.9"},
        {"10.0.0.9", "10.0.0.9"}, /* one of ours */
        {"10.0.0.9, 10.0.0.2", "10.0.0.9"},
        {"junk, 203.0.113.9", "203.0.113.9"},
        {"203.0.113.9, junk", ""}, /* the proxy itself does not know */
        {"203.0.113.9, junk, 10.0.0.2", "10.0.0.2"},
        {"203.0.113.9, unknown", ""},
        {"203.0.113.9,", ""},
        {"", ""},
    };
    trust("10.0.0.0/8");
    check_all(NAMED, sizeof NAMED / sizeof *NAMED, false);
    trusted_proxies_fini(&trusted);
}

TEST(forwarded_client_by_forwarded)
{
    static const struct named NAMED[] = {
        {"for=203.0.113.9", "203.0.113.9"},
        {"For=\"203.0.113.9:80\";proto=https;by=10.0.0.1", "203.0.113.9:80"},
        {"proto=http;FOR=\"[2001:db8:cafe::17]:4711\"", "[2001:db8:cafe::17]:4711"},
        {"for=\"[2001:db8::9]:_port\"", "[2001:db8::9]"},
        {"for=\"203.0.113.9:_port\"", "203.0.113.9"},
        {"for=1.1.1.1, for=203.0.113.9", "203.0.113.9"},
        {"for=1.1.1.1, for=203.0.113.9 , for=10.0.0.2", "203.0.113.9"},
        {"for=unknown", "unknown"},
        {"for=unknown, for=10.0.0.2", "unknown"},
        {"for=203.0.113.9, for=unknown", "unknown"},
        {"for=_gazonk", "_gazonk"},
        {"for=\"_SEVKISEK:_obf\"", "_SEVKISEK:_obf"},
        {"for=203.0.113.9, for=_hidden, for=10.0.0.2", "_hidden"},
        {"for=10.0.0.9", "10.0.0.9"},
        {"for=203.0.113.9, proto=https", ""}, /* who added the last element does not say for whom */
        {", ,for=203.0.113.9,", "203.0.113.9"},
        {"for=\"203.0.113.\\9\"", "203.0.113.9"},
        /* broken grammar anywhere: nothing is believed */
        {"for=1.1.1.1;by=\", for=203.0.113.9", ""},
        {"for=1.1.1.1;by=\", for=\"[2001:db8::9]\"", ""},
        {"for=203.0.113.9 for=1.1.1.1", ""},
        {"for=203.0.113.9;for=1.1.1.1", ""},
        {"for=203.0.113.9;", ""},
        {"for =203.0.113.9", ""},
        {"for=", ""},
        {"for=\"\"", ""},
        {"for=\"203.0.113.9", ""},
        {"for=\"203.0.113.9\\", ""},
        {"for", ""},
        {"203.0.113.9", ""},
        {"for=2001:db8::9", ""},
        {"for=\"2001:db8::9\"", ""}, /* without its brackets */
        {"for=example.org", ""},
        {"for=_", ""},
        {"for=\"_a b\"", ""},
        {"for=_0123456789012345678901234567890123456789012345678901234567890123456789", ""},
    };
    trust("10.0.0.0/8");
    check_all(NAMED, sizeof NAMED / sizeof *NAMED, true);
    trusted_proxies_fini(&trusted);
}

TEST(forwarded_client_by_both)
{
    char client[PEER_TEXT_SIZE];
    trust("10.0.0.0/8");
    forwarded_client(&trusted, "203.0.113.9", "for=1.1.1.1", client);
    assert_string_equal(client, "203.0.113.9");
    forwarded_client(&trusted, "junk", "for=1.1.1.1", client);
    assert_string_equal(client, "");
    forwarded_client(&trusted, NULL, NULL, client);
    assert_string_equal(client, "");
    trusted_proxies_fini(&trusted);
}
