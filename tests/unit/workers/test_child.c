/* Child processes, through the shell. */
#include "tests/unit/support/check.h"
#include "tests/unit/support/run_loop.h"

#include "base/container_of.h"
#include "daemon/process/child.h"

#include <fcntl.h>
#include <linux/close_range.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

static char *env[] = {(char *)"PATH=/usr/bin:/bin", NULL};

struct watched {
    struct child child;
    int ended_count, closed_count;
};

static void on_ended(struct child *child)
{
    struct watched *watched = container_of(child, struct watched, child);
    assert_int_equal(watched->closed_count, 0);
    watched->ended_count++;
}

static void on_closed(struct child *child) { container_of(child, struct watched, child)->closed_count++; }

static const struct child_events EVENTS = {.ended = on_ended, .closed = on_closed};

static int start(struct watched *watched, uv_loop_t *loop, const char *script, struct child_command command)
{
    char *args[] = {(char *)"/bin/sh", (char *)"-c", (char *)(uintptr_t)script, NULL};
    memset(watched, 0, sizeof *watched);
    command.args = args;
    command.env = env;
    return child_start(&watched->child, loop, &command, &EVENTS);
}

TEST(child_says_how_it_ended_and_its_last_words)
{
    uv_loop_t loop = {0};
    struct watched one, other;
    assert_int_equal(uv_loop_init(&loop), 0);
    assert_int_equal(
        start(&one, &loop, "echo out; echo first >&2; printf 'last\\0' >&2; exit 7", (struct child_command){0}), 0);
    assert_int_equal(start(&other, &loop, "head -c 9000 /dev/zero | tr '\\0' x >&2; echo end >&2; kill -ABRT $$",
                           (struct child_command){0}),
                     0);
    assert_int_equal(one.ended_count + one.closed_count, 0);
    run_loop_fini(&loop);
    assert_true(one.ended_count == 1 && one.closed_count == 1 && other.closed_count == 1);
    assert_true(one.child.exit.status == 7 && one.child.exit.term_signal == 0 && !one.child.exit.is_timeout);
    assert_string_equal(one.child.exit.output, "first\nlast?");
    assert_int_equal(other.child.exit.term_signal, SIGABRT);
    assert_int_equal(strlen(other.child.exit.output), CHILD_OUTPUT_SIZE);
    assert_string_equal(other.child.exit.output + CHILD_OUTPUT_SIZE - 5, "xend\n");
    assert_int_equal(child_cpu_used_ms(&one.child), 0);
}

TEST(child_inherits_what_it_is_given)
{
    uv_loop_t loop = {0};
    struct watched watched;
    int fds[2];
    char got[16] = "";
    /* whoever started the tests may have left some open */
    (void)close_range(3, ~0U, CLOSE_RANGE_CLOEXEC);
    assert_int_equal(pipe2(fds, O_CLOEXEC), 0);
    assert_int_equal(uv_loop_init(&loop), 0);
    assert_int_equal(start(&watched, &loop, "echo four >&4; ls /proc/self/fd | wc -l >&2; env >&2",
                           (struct child_command){.fds = {fds[0], fds[1]}, .fd_count = 2}),
                     0);
    close(fds[1]);
    run_loop_fini(&loop);
    assert_int_equal(read(fds[0], got, sizeof got - 1), 5);
    assert_string_equal(got, "four\n");
    close(fds[0]);
    assert_null(strstr(watched.child.exit.output, "HOME"));
    assert_int_equal(watched.child.exit.output[0], '6'); /* 0 to 4, and that of ls */
}

TEST(child_has_a_time_that_can_change)
{
    uv_loop_t loop = {0};
    struct watched late, spared, stubborn;
    assert_int_equal(uv_loop_init(&loop), 0);
    assert_int_equal(start(&late, &loop, "sleep 60 & wait", (struct child_command){0}), 0);
    assert_int_equal(start(&spared, &loop, "sleep 0.3; exit 3", (struct child_command){0}), 0);
    assert_int_equal(
        start(&stubborn, &loop, "trap '' TERM; echo up >&2; while :; do sleep 0.01; done", (struct child_command){0}),
        0);
    child_limit_time(&late.child, 100);
    child_limit_time(&spared.child, 100);
    child_limit_time(&spared.child, 0);
    while (strstr(stubborn.child.output, "up") == NULL)
        run_loop_for(&loop, 10);
    child_kill(&stubborn.child, SIGTERM);
    child_limit_time(&stubborn.child, 100);
    run_loop_fini(&loop); /* the sleep of 60 s is gone with its group, or its pipe would be waited for */
    assert_true(late.child.exit.is_timeout && late.child.exit.term_signal == SIGKILL);
    assert_true(spared.child.exit.status == 3 && !spared.child.exit.is_timeout);
    assert_true(stubborn.child.exit.is_timeout && stubborn.child.exit.term_signal == SIGKILL);
    child_kill(&late.child, SIGKILL); /* what has ended is left alone */
}

TEST(child_that_does_not_start)
{
    uv_loop_t loop = {0};
    struct watched watched;
    memset(&watched, 0, sizeof watched);
    assert_int_equal(uv_loop_init(&loop), 0);
    char *args[] = {(char *)"/nowhere", NULL};
    const struct child_command command = {.args = args, .env = env};
    assert_int_equal(child_start(&watched.child, &loop, &command, &EVENTS), UV_ENOENT);
    assert_int_equal(watched.closed_count, 0);
    run_loop_fini(&loop);
    assert_true(watched.ended_count == 0 && watched.closed_count == 1);
}

TEST(child_run_waits)
{
    struct child child;
    char *args[] = {(char *)"/bin/sh", (char *)"-c", (char *)"echo out; echo err >&2; exit 2", NULL};
    assert_int_equal(child_run(args, env, 20000, &child), 0);
    assert_int_equal(child.exit.status, 2);
    assert_string_equal(child.output, "out\nerr\n");
    args[2] = (char *)"echo here; sleep 60";
    for (unsigned limit_ms = 100; limit_ms <= 25600; limit_ms *= 2) { /* a busy machine starts a shell late */
        assert_int_equal(child_run(args, env, limit_ms, &child), 0);
        assert_true(child.exit.is_timeout);
        if (*child.output != '\0')
            break;
    }
    assert_string_equal(child.output, "here\n");
    args[0] = (char *)"/nowhere";
    assert_int_equal(child_run(args, env, 100, &child), UV_ENOENT);
    assert_string_equal(child.output, "");
}

TEST(child_exit_words_are_never_empty)
{
    static const struct {
        struct child_exit exit;
        const char *words;
    } ENDS[] = {
        {{.status = 7, .output = "first\nlast\n\n"}, "last"},
        {{.status = 7, .output = " \n"}, "it ended with status 7"},
        {{.term_signal = SIGKILL, .output = ""}, "it was ended by signal 9 (Killed)"},
        {{.term_signal = SIGKILL, .is_timeout = true, .output = ""}, "it took too long"},
        {{.start_error = UV_ENOENT, .output = ""}, "it could not be started: no such file or directory"},
    };
    for (size_t i = 0; i < sizeof ENDS / sizeof *ENDS; i++) {
        char words[LAST_LINE_SIZE];
        assert_string_equal(child_exit_words(&ENDS[i].exit, words), ENDS[i].words);
    }
}
