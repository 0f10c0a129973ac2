/* server/wire/http/access.h: Host names, origins, tokens, and the requests that need them. */
#include "tests/unit/support/check.h"

#include "wire/http/access.h"

#include <stdio.h>
#include <stdio.h>
#include <string.h>

static const char TOKEN[] = "0123456789abcdef-one", OTHER[] = "0123456789abcdef-two";

struct asked {
    const char *method, *target, *host, *origin, *authorization;
};

static int check(const struct access *access, struct asked asked)
{
    const struct http_request request = {.method = asked.method == NULL ? "GET" : asked.method,
                                         .target = asked.target == NULL ? "/v1/models" : asked.target,
                                         .host = asked.host,
                                         .origin = asked.origin,
                                         .authorization = asked.authorization};
    struct err err = {0};
    const int rc = access_check(access, &request, &err);
    assert_int_equal(rc, err.code);
    assert_true((rc == 0) == (err.message[0] == '\0'));
    assert_null(strstr(err.message, "0123456789abcdef")); /* no part of a token is ever said */
    return rc;
}

TEST(access_loopback_names)
{
    static const char *const GOOD[] = {"localhost",   "LOCALHOST:80", "localhost.", "app.localhost:7878", "127.0.0.1",
                                       "127.0.0.1:1", "127.255.3.4",  "[::1]",      "[::1]:7878"};
    static const char *const BAD[] = {"",
                                      "localhost.evil.example",
                                      "evil-localhost",
                                      "127.0.0.1.evil.example",
                                      "127.0.0",
                                      "127.0.0.256",
                                      "127.0.0.1.1",
                                      "128.0.0.1",
                                      "127.1",
                                      "2130706433",
                                      "0177.0.0.1",
                                      "[::2]",
                                      "[::1",
                                      "[::1].localhost",
                                      "::1",
                                      ".localhost",
                                      "0.0.0.0",
                                      "127..0.1",
                                      "xlocalhost"};
    for (size_t i = 0; i < sizeof GOOD / sizeof *GOOD; i++)
        if (!access_is_loopback(GOOD[i]))
            fail_msg("'%s' is a loopback name", GOOD[i]);
    for (size_t i = 0; i < sizeof BAD / sizeof *BAD; i++)
        if (access_is_loopback(BAD[i]))
            fail_msg("'%s' is no loopback name", BAD[i]);
}

TEST(access_hosts)
{
    struct access access;
    struct err err;
    access_init(&access);
    assert_int_equal(check(&access, (struct asked){.host = "anything.example"}), 0);
    access.is_any_host = false;
    assert_int_equal(check(&access, (struct asked){.host = "rebound.example"}), ERR_HOST_NOT_ALLOWED);
    assert_int_equal(check(&access, (struct asked){.host = "localhost:7878"}), 0);
    assert_int_equal(check(&access, (struct asked){.host = NULL}), 0);
    assert_int_equal(check(&access, (struct asked){.host = "10.1.2.3", .target = "/readyz?x"}), 0);
    assert_int_equal(check(&access, (struct asked){.host = "10.1.2.3", .target = "/"}), ERR_HOST_NOT_ALLOWED);
    assert_int_equal(access_allow_hosts(&access, " posed.example , *.Farm.example,10.0.0.7,[fd00::1]", &err), 0);
    static const char *const GOOD[] = {"posed.example",    "POSED.example:80", "posed.example.", "a.farm.example",
                                       "a.b.farm.example", "10.0.0.7:1",       "[fd00::1]:9",    "127.0.0.1"};
    static const char *const BAD[] = {"xposed.example",
                                      "farm.example",
                                      "xfarm.example",
                                      "posed.example.evil.example",
                                      "10.0.0.70",
                                      "[fd00::11]:9",
                                      ""};
    for (size_t i = 0; i < sizeof GOOD / sizeof *GOOD; i++)
        assert_int_equal(check(&access, (struct asked){.host = GOOD[i]}), 0);
    for (size_t i = 0; i < sizeof BAD / sizeof *BAD; i++)
        assert_int_equal(check(&access, (struct asked){.host = BAD[i]}), ERR_HOST_NOT_ALLOWED);
    assert_int_equal(access_allow_hosts(&access, "*", &err), 0);
    assert_int_equal(check(&access, (struct asked){.host = "anything.example"}), 0);
    access_fini(&access);
}

TEST(access_bad_lists)
{
    static const char *const HOSTS[] = {"",      "a,,b",  "a.example:80", "http://a", "*a.example", "a b",
                                        "[fd00", "a.*.b", ".a",           "[]",       "*.",         "[zz::1]"};
    static const char *const ORIGINS[] = {"",           "a.example",   "ftp://a",    "https://",
                                          "https://a/", "https://a:b", "https://a:", "https://a:123456",
                                          "null",       "https://a b", "https://*.a"};
    struct access access;
    struct err err;
    access_init(&access);
    for (size_t i = 0; i < sizeof HOSTS / sizeof *HOSTS; i++)
        if (access_allow_hosts(&access, HOSTS[i], &err) != ERR_BAD_PARAMETER)
            fail_msg("host list '%s' was taken", HOSTS[i]);
    for (size_t i = 0; i < sizeof ORIGINS / sizeof *ORIGINS; i++)
        if (access_allow_origins(&access, ORIGINS[i], &err) != ERR_BAD_PARAMETER)
            fail_msg("origin list '%s' was taken", ORIGINS[i]);
    access_fini(&access);
}

TEST(access_origins)
{
    struct access access;
    struct err err;
    access_init(&access);
    assert_null(access_cors_origin(&access, "https://editor.example"));
    assert_false(access_is_vary(&access));
    assert_int_equal(
        access_allow_origins(&access, "https://Editor.example, http://localhost:5173,http://[::1]:80", &err), 0);
    assert_true(access_is_vary(&access));
    assert_string_equal(access_cors_origin(&access, "https://editor.example"), "https://editor.example");
    assert_string_equal(access_cors_origin(&access, "http://localhost:5173"), "http://localhost:5173");
    assert_string_equal(access_cors_origin(&access, "http://[::1]:80"), "http://[::1]:80");
    static const char *const STRANGE[] = {"http://editor.example", "https://editor.example.evil.example", "null",
                                          "http://localhost",      "https://editor.example:443",          ""};
    for (size_t i = 0; i < sizeof STRANGE / sizeof *STRANGE; i++)
        assert_null(access_cors_origin(&access, STRANGE[i]));
    assert_null(access_cors_origin(&access, NULL));
    struct http_request request = {.method = "OPTIONS", .target = "/v1/pose", .origin = "https://editor.example"};
    assert_false(access_is_preflight(&access, &request)); /* it does not ask for a method */
    request.has_preflight_method = true;
    assert_true(access_is_preflight(&access, &request));
    request.origin = "https://evil.example";
    assert_false(access_is_preflight(&access, &request));
    assert_int_equal(access_allow_origins(&access, "*", &err), 0);
    assert_string_equal(access_cors_origin(&access, "https://evil.example"), "*");
    access_fini(&access);
}

TEST(access_pages_that_edit)
{
    struct access access;
    struct err err;
    access_init(&access);
    const struct asked own = {.method = "PUT", .host = "localhost:7878", .origin = "http://localhost:7878"};
    const struct asked foreign = {.method = "DELETE", .host = "localhost:7878", .origin = "https://evil.example"};
    const struct asked other_port = {.method = "PUT", .host = "localhost:7878", .origin = "http://localhost:1"};
    assert_int_equal(check(&access, own), 0);
    assert_int_equal(check(&access, foreign), ERR_ORIGIN_NOT_ALLOWED);
    assert_int_equal(check(&access, other_port), ERR_ORIGIN_NOT_ALLOWED);
    assert_int_equal(check(&access, (struct asked){.host = "localhost", .origin = "https://evil.example"}), 0);
    assert_int_equal(check(&access, (struct asked){.method = "PUT", .host = "a", .origin = "null"}),
                     ERR_ORIGIN_NOT_ALLOWED);
    assert_int_equal(access_allow_origins(&access, "https://evil.example", &err), 0);
    assert_int_equal(check(&access, foreign), 0);
    access_fini(&access);
}

TEST(access_tokens)
{
    struct access access;
    struct err err;
    access_init(&access);
    char file[256];
    snprintf(file, sizeof file, "# of the build farm\r\n%s\r\n\n%s", TOKEN, OTHER);
    assert_int_equal(access_add_tokens(&access, file, strlen(file), &err), 0);
    const char *const good[] = {"Bearer 0123456789abcdef-one", "bearer  0123456789abcdef-two"};
    const char *const bad[] = {NULL,
                               "",
                               "Bearer",
                               "Bearer ",
                               "Bearer 0123456789abcdef-on",
                               "Bearer 0123456789abcdef-onee",
                               "Basic 0123456789abcdef-one",
                               "Bearer0123456789abcdef-one",
                               "0123456789abcdef-one",
                               "Bearer 0123456789abcdef-one, Bearer 0123456789abcdef-one",
                               "Bearer # of the build farm"};
    for (int scope = ACCESS_TOKEN_NONE; scope <= ACCESS_TOKEN_ALL; scope++) {
        access.scope = (enum access_scope)scope;
        for (size_t i = 0; i < 2; i++)
            for (int edits = 0; edits < 2; edits++)
                assert_int_equal(
                    check(&access, (struct asked){.method = edits ? "PUT" : "GET", .authorization = good[i]}), 0);
        for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
            assert_int_equal(check(&access, (struct asked){.method = "DELETE", .authorization = bad[i]}),
                             scope == ACCESS_TOKEN_NONE ? 0 : ERR_UNAUTHORIZED);
            assert_int_equal(check(&access, (struct asked){.authorization = bad[i]}),
                             scope == ACCESS_TOKEN_ALL ? ERR_UNAUTHORIZED : 0);
            assert_int_equal(check(&access, (struct asked){.target = "/healthz", .authorization = bad[i]}), 0);
            assert_int_equal(check(&access, (struct asked){.target = "/", .authorization = bad[i]}), 0);
            assert_int_equal(check(&access, (struct asked){.target = "/m/a.glb?t=1", .authorization = bad[i]}), 0);
            assert_int_equal(check(&access, (struct asked){.target = "/page/x.js", .authorization = bad[i]}), 0);
            assert_int_equal(check(&access, (struct asked){.target = "/embedded", .authorization = bad[i]}),
                             scope == ACCESS_TOKEN_ALL ? ERR_UNAUTHORIZED : 0);
        }
    }
    access_fini(&access);
}

TEST(access_bad_tokens)
{
    static const char *const FILES[] = {"",
                                        "\n\n",
                                        "# only a comment\n",
                                        "short\n",
                                        "0123456789abcdef with a blank\n",
                                        "0123456789abcdef\n\x01"
                                        "23456789abcdefg\n",
                                        "\xc3\xbc"
                                        "0123456789abcdef\n"};
    for (size_t i = 0; i < sizeof FILES / sizeof *FILES; i++) {
        struct access access;
        struct err err;
        access_init(&access);
        assert_int_equal(access_add_tokens(&access, FILES[i], strlen(FILES[i]), &err), ERR_BAD_PARAMETER);
        access_fini(&access);
    }
    char line[ACCESS_TOKEN_MAX_BYTES + 1];
    memset(line, 'x', sizeof line);
    struct access access;
    struct err err;
    access_init(&access);
    assert_int_equal(access_add_tokens(&access, line, ACCESS_TOKEN_MAX_BYTES, &err), 0);
    assert_int_equal(access_add_tokens(&access, line, ACCESS_TOKEN_MAX_BYTES + 1, &err), ERR_BAD_PARAMETER);
    assert_string_equal(err.message, "line 1 is not a token of 16 to 256 visible characters");
    access_fini(&access);
}

static void add(struct access *access, const char *file)
{
    struct err err;
    access_init(access);
    assert_int_equal(access_add_tokens(access, file, strlen(file), &err), 0);
}

TEST(access_revokes_tokens_that_are_gone)
{
    struct access before, after, same;
    add(&before, "an-old-token-of-it\na-token-that-stays\n");
    add(&after, "a-token-that-stays\na-new-token-of-it\nanother-new-token\n");
    add(&same, "a-token-that-stays\n# but in another order\nan-old-token-of-it\n");
    assert_false(access_is_revoked(&after, "an-old-token-of-it"));
    assert_int_equal(access_compare_tokens(&after, &before), 2);
    assert_true(access_is_revoked(&after, "an-old-token-of-it"));
    assert_false(access_is_revoked(&after, "a-token-that-stays"));
    assert_false(access_is_revoked(&after, "an-old-token-of-i"));
    assert_false(access_is_revoked(&after, ""));
    assert_int_equal(access_compare_tokens(&same, &before), 0);
    assert_int_equal(same.revoked.size_bytes, 0);
    access_fini(&before);
    access_fini(&after);
    access_fini(&same);
}

TEST(access_bearer_token_of_a_header)
{
    assert_string_equal(access_bearer_token("Bearer abc"), "abc");
    assert_string_equal(access_bearer_token("bEARER   abc"), "abc");
    assert_null(access_bearer_token(NULL));
    assert_null(access_bearer_token("Bearer"));
    assert_null(access_bearer_token("Bearerabc"));
    assert_null(access_bearer_token("Basic abc"));
}

static int check_admin(bool is_any_host, const char *target, const char *host)
{
    struct access access;
    struct err err = {0};
    access_init(&access);
    access.is_any_admin_host = is_any_host;
    const int listed = access_allow_hosts(&access, "metrics.example", &err);
    const int tokened = access_add_tokens(&access, TOKEN, sizeof TOKEN - 1, &err);
    assert_int_equal(listed + tokened, 0);
    access.scope = ACCESS_TOKEN_ALL;
    const int rc =
        access_check_admin(&access, &(struct http_request){.method = "GET", .target = target, .host = host}, &err);
    access_fini(&access);
    return rc;
}

TEST(access_of_those_who_watch_has_a_few_paths_and_no_token)
{
    static const struct {
        const char *target;
        int on_loopback, elsewhere; /* under a name that nobody has allowed */
    } rows[] = {
        {"/healthz", 0, 0},
        {"/livez", 0, 0},
        {"/readyz?verbose", 0, 0},
        {"/metrics", ERR_HOST_NOT_ALLOWED, 0},
        {"/metrics?x=1", ERR_HOST_NOT_ALLOWED, 0},
        {"/metrics/", ERR_NOT_FOUND, ERR_NOT_FOUND},
        {"/metricsx", ERR_NOT_FOUND, ERR_NOT_FOUND},
        {"/", ERR_NOT_FOUND, ERR_NOT_FOUND},
        {"/v1/stats", ERR_NOT_FOUND, ERR_NOT_FOUND},
        {"/v1/models", ERR_NOT_FOUND, ERR_NOT_FOUND},
        {"/page/style.css", ERR_NOT_FOUND, ERR_NOT_FOUND},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        assert_int_equal(check_admin(false, rows[i].target, "10.0.0.1:9878"), rows[i].on_loopback);
        assert_int_equal(check_admin(true, rows[i].target, "10.0.0.1:9878"), rows[i].elsewhere);
    }
    assert_int_equal(check_admin(false, "/metrics", "localhost:9878"), 0);
    assert_int_equal(check_admin(false, "/metrics", "metrics.example"), 0);
    assert_int_equal(check_admin(false, "/metrics", NULL), 0);
}
