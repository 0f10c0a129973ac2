/* The purpose of passed sockets, and the other variables of a service manager. */
#include "tests/unit/support/check.h"

#include "daemon/config/socket_activation.h"
#include "daemon/support/notify.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* families: a letter a socket, u for Unix, i for IP. The kinds as letters; or "" and *err. */
static const char *kinds(const char *names, const char *families, struct err *err)
{
    static char text[PASSED_SOCKETS_MAX + 1];
    bool is_unix[PASSED_SOCKETS_MAX] = {false};
    enum port_kind out[PASSED_SOCKETS_MAX];
    const uint32_t count = (uint32_t)strlen(families);
    memset(text, 0, sizeof text);
    for (uint32_t i = 0; i < count; i++)
        is_unix[i] = families[i] == 'u';
    if (socket_activation_kinds(names, is_unix, count, out, err) < 0)
        return "";
    for (uint32_t i = 0; i < count; i++)
        text[i] = "htua"[out[i]];
    return text;
}

TEST(socket_activation_kinds_of_names)
{
    struct err err = {0};
    assert_string_equal(kinds("http", "i", &err), "h");
    assert_string_equal(kinds("tcp", "i", &err), "t");
    assert_string_equal(kinds("admin:http", "ii", &err), "ah");
    assert_string_equal(kinds("unix:tcp:http:http:unix:tcp", "uiiiui", &err), "uthhut");
    assert_string_equal(kinds(NULL, "i", &err), "h");
    assert_string_equal(kinds(NULL, "iui", &err), "hut");
    assert_string_equal(kinds("posed.socket:posed.socket:unknown", "uii", &err), "uht");
    assert_string_equal(kinds("::", "uii", &err), "uht");
    assert_string_equal(kinds("a:tcp:b", "iii", &err), "htt"); /* the second of those without a name is for packets */
    assert_string_equal(kinds("HTTP", "i", &err), "h");        /* a name that says nothing */
    assert_string_equal(kinds("uni", "u", &err), "u");
}

TEST(socket_activation_kinds_that_do_not_fit)
{
    static const struct {
        const char *names, *families, *words;
    } BAD[] = {{"http", "u", "'http' of LISTEN_FDS is a Unix socket"},
               {"tcp", "u", "'tcp' of LISTEN_FDS is a Unix socket"},
               {"http:unix", "ii", "'unix' of LISTEN_FDS is no Unix socket"},
               {"http", "ii", "1 names for 2 sockets"},
               {"http:tcp:", "ii", "3 names for 2 sockets"},
               {NULL, "iii", "socket 3 of LISTEN_FDS"},
               {"http:a:b:c", "iiii", "socket 4 of LISTEN_FDS"}};
    for (size_t i = 0; i < sizeof BAD / sizeof *BAD; i++) {
        struct err err = {0};
        assert_string_equal(kinds(BAD[i].names, BAD[i].families, &err), "");
        assert_int_equal(err.code, ERR_BAD_PARAMETER);
        if (strstr(err.message, BAD[i].words) == NULL)
            fail_msg("'%s' lacks '%s'", err.message, BAD[i].words);
    }
}

TEST(socket_activation_replaces_addresses)
{
    struct config config = {.http = "127.0.0.1:7878", .tcp = "127.0.0.1:7879", .unix_path = "/run/a"};
    struct passed_sockets none = {0};
    struct passed_sockets sockets = {.count = 3,
                                     .list = {{.kind = PORT_HTTP, .address = "127.0.0.1:80"},
                                              {.kind = PORT_HTTP, .address = "0.0.0.0:80"},
                                              {.kind = PORT_HTTP, .address = "[::1]:80"}}};
    socket_activation_apply(&none, &config);
    assert_null(config.passed);
    assert_string_equal(config.http, "127.0.0.1:7878");
    socket_activation_apply(&sockets, &config);
    assert_ptr_equal(config.passed, &sockets);
    assert_string_equal(config.http, "0.0.0.0:80"); /* whom it reaches decides who may ask */
    assert_string_equal(config.tcp, "none");
    assert_null(config.unix_path);
}

/* --- the watchdog --- */

static const char *watchdog_pid, *watchdog_usec;

static char *get(const char *name)
{
    return (char *)(strcmp(name, "WATCHDOG_PID") == 0    ? watchdog_pid
                    : strcmp(name, "WATCHDOG_USEC") == 0 ? watchdog_usec
                                                         : NULL);
}

TEST(notify_watchdog_is_that_of_this_process)
{
    char own[32];
    snprintf(own, sizeof own, "%d", (int)getpid());
    watchdog_pid = NULL, watchdog_usec = NULL;
    assert_int_equal(notify_watchdog_us(get), 0);
    watchdog_usec = "30000000";
    assert_int_equal(notify_watchdog_us(get), 30000000);
    watchdog_pid = own;
    assert_int_equal(notify_watchdog_us(get), 30000000);
    watchdog_pid = "1";
    assert_int_equal(notify_watchdog_us(get), 0);
    watchdog_pid = "";
    assert_int_equal(notify_watchdog_us(get), 0);
    watchdog_pid = NULL;
    static const char *const BAD[] = {"", "soon", "-1", "5s", "99999999999999999999999"};
    for (size_t i = 0; i < sizeof BAD / sizeof *BAD; i++) {
        watchdog_usec = BAD[i];
        assert_int_equal(notify_watchdog_us(get), 0);
    }
}
