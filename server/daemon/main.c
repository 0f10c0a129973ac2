/* main.c - posed, the daemon: reads options, opens ports, starts the service, prints a ready line, runs and ends
 * cleanly.
 *
 * SIGTERM and SIGINT drain: no new connections, answers under way are sent, exit 0. A second one exits at once with
 * 128 + its number; an end that takes too long is cut off with exit 1. SIGHUP drains where a terminal that the daemon
 * was started from is closed, and does nothing else elsewhere. SIGPIPE is ignored. Works as process 1 of a container.
 */
#include "daemon/config/access_policy.h"
#include "daemon/support/thread_priority.h"
#include "daemon/support/budget.h"
#include "daemon/support/file_limit.h"
#include "daemon/support/log.h"
#include "daemon/listen/loops.h"
#include "daemon/support/notify.h"
#include "daemon/listen/health.h"
#include "daemon/config/options.h"
#include "daemon/process/worker_probe.h"
#include "daemon/service/service.h"
#include "daemon/support/standard_streams.h"
#include "daemon/upload/upload.h"

#include "anim/compiled/kernel.h"
#include "base/version.h"

#include <errno.h>
#include <limits.h>
#include <malloc.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

enum {
    EXIT_BAD_CONFIG = 2,
    END_TIME_S = 10, /* for work threads and workers to end, after --drain-timeout */
};

struct daemon {
    uv_loop_t loop;
    uv_async_t signal;
    struct budget budget;
    struct loops *loops;
    struct service *service;
    bool is_stopping;
};

static int complain(const struct err *err)
{
    log_finish();
    fprintf(stderr, "posed: %s\n", err->message);
    return EXIT_BAD_CONFIG;
}

static void on_drained(void *user)
{
    struct daemon *daemon = user;
    service_free(daemon->service);
}

/* The first signal that stops the server; 0: none came. */
static atomic_int stop_signal;
static atomic_bool has_hung_up;
static bool is_hangup_the_end; /* set before the handlers are */
static uv_async_t *signal_async;
static unsigned end_limit_s;

static void stop(struct daemon *daemon)
{
    daemon->is_stopping = true;
    log_info("stopping on SIG%s, %u calls under way", sigabbrev_np(stop_signal), service_pending(daemon->service));
    notify_state("STOPPING=1");
    service_drain(daemon->service);
    loops_drain(daemon->loops, on_drained, daemon);
}

static void on_async(uv_async_t *handle)
{
    struct daemon *daemon = handle->data;
    if (atomic_exchange(&has_hung_up, false))
        log_info("SIGHUP: there is nothing to do; SIGTERM ends the server");
    if (stop_signal != 0 && !daemon->is_stopping)
        stop(daemon);
}

/* Runs on any thread, also after the loop has ended. */
static void on_signal(int number)
{
    const int before = errno;
    const bool is_stop = number != SIGHUP || is_hangup_the_end;
    const bool is_first = is_stop && atomic_compare_exchange_strong(&stop_signal, &(int){0}, number);
    if (!is_stop)
        has_hung_up = true;
    else if (!is_first && number != SIGHUP) /* the system and the shell send one each */
        _exit(128 + number);
    if (is_first)
        alarm(end_limit_s); /* a loop that hangs, perhaps this one, must not delay the end */
    uv_async_send(signal_async);
    errno = before;
}

static void on_end_limit(int number __attribute__((unused)))
{
    static const char WORDS[] = "posed: something could not be ended in time\n";
    (void)!write(STDERR_FILENO, WORDS, sizeof WORDS - 1);
    _exit(EXIT_FAILURE);
}

/* Not uv_signal: when its last handle closes, a signal has its default action again, and a second signal at the very
 * end would end the process in another way than one a moment before. The loop does not count these handles. */
static void start_handles(struct daemon *daemon, const struct config *config)
{
    const uint64_t drain_s = config->limits.value[LIMIT_DRAIN_TIME_MS] / 1000 + 1;
    end_limit_s = drain_s < UINT_MAX - END_TIME_S ? (unsigned)drain_s + END_TIME_S : UINT_MAX;
    daemon->signal.data = daemon;
    uv_async_init(&daemon->loop, &daemon->signal, on_async);
    uv_unref((uv_handle_t *)&daemon->signal);
    signal_async = &daemon->signal;
    const struct sigaction action = {.sa_handler = on_signal, .sa_flags = SA_RESTART};
    sigaction(SIGTERM, &action, NULL);
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGHUP, &action, NULL);
    const struct sigaction last = {.sa_handler = on_end_limit};
    sigaction(SIGALRM, &last, NULL);
}

static void stop_handles(struct daemon *daemon) { uv_close((uv_handle_t *)&daemon->signal, NULL); }

/* After a start that failed: signals end the process as it is, and the loop has no handle left. */
static void drop_handles(struct daemon *daemon)
{
    signal(SIGTERM, SIG_DFL);
    signal(SIGINT, SIG_DFL);
    signal(SIGHUP, SIG_DFL);
    stop_handles(daemon);
    uv_run(&daemon->loop, UV_RUN_NOWAIT);
}

static void announce(const struct daemon *daemon, const struct config *config)
{
    struct buf ports;
    buf_init(&ports, 0);
    loops_put_addresses(daemon->loops, &ports);
    buf_put_char(&ports, '\0');
    log_info("posed %s serves %s on%s", POSED_VERSION, config->root, ports.data);
    if (access_policy_is_open(config))
        log_warn("everyone who reaches this server can read the models under the root: set --token-file, or listen on "
                 "127.0.0.1");
    printf("posed ready%s\n", ports.data);
    fflush(stdout);
    buf_fini(&ports);
    notify_state("READY=1");
}

/* libuv's default is four. */
static void set_thread_count(const struct config *config)
{
    char count[16];
    snprintf(count, sizeof count, "%u", config->work_threads);
    setenv("UV_THREADPOOL_SIZE", count, 0);
}

/* Each thread's heap reserves 64 MiB of addresses (mallopt(3)): if these are limited, all threads share one heap. */
static void save_addresses(void)
{
    struct rlimit addresses;
    if (getrlimit(RLIMIT_AS, &addresses) == 0 && addresses.rlim_cur != RLIM_INFINITY)
        mallopt(M_ARENA_MAX, 1);
}

static int serve(struct config *config)
{
    struct daemon daemon = {.budget = {.max_bytes = config->limits.value[LIMIT_CLIENT_MEMORY_BYTES]}};
    struct err err;
    log_open(config->log);
    signal(SIGPIPE, SIG_IGN);
    signal(SIGXFSZ, SIG_IGN); /* a file larger than the system allows is an error of that file */
    signal(SIGIO, SIG_IGN);   /* somebody waits for a lease that is given back anyway (revalidation.c) */
    struct file_limit files;
    if (file_limit_apply(config, &files, &err) < 0)
        return complain(&err);
    save_addresses();
    set_thread_count(config);
    const int made = uv_loop_init(&daemon.loop);
    if (made < 0) {
        err_set(&err, ERR_BAD_PARAMETER, "cannot make the event loop: %s", uv_strerror(made));
        return complain(&err);
    }
    start_handles(&daemon, config); /* before sockets are made, which a signal without a handler would leave behind */
    int rc = loops_new(&daemon.loop, config, &daemon.budget, &daemon.loops, &err);
    if (rc == 0)
        rc = uploads_find_folder(config, &err);
    if (rc == 0)
        rc = worker_probe_sandbox(config, &err);
    if (rc == 0)
        rc = service_new(&daemon.loop, config, &daemon.budget, &daemon.service, &err);
    if (rc == 0 && loops_serve(daemon.loops, daemon.service, &err) < 0)
        _exit(complain(&err)); /* threads are running that could not be ended in order */
    if (rc == 0) {
        file_limit_tell(&files, config);
        announce(&daemon, config);
        thread_priority_prompt();
        uv_run(&daemon.loop, UV_RUN_DEFAULT);
        stop_handles(&daemon);
        log_info("stopped");
    } else {
        drop_handles(&daemon);
    }
    loops_free(daemon.loops);
    uv_loop_close(&daemon.loop);
    log_finish();
    return rc < 0 ? complain(&err) : EXIT_SUCCESS;
}

static int print(struct buf *text)
{
    fwrite(text->data, 1, text->size_bytes, stdout);
    buf_fini(text);
    return EXIT_SUCCESS;
}

static int self_test(const struct config *config)
{
    struct buf text;
    buf_init(&text, 0);
    const bool is_good = worker_probe_self_test(config, &text);
    print(&text);
    return is_good ? EXIT_SUCCESS : EXIT_FAILURE;
}

int main(int argc, char **argv)
{
    struct system_limits machine;
    struct config config;
    struct err err;
    struct buf text;
    standard_streams_open();
    is_hangup_the_end = standard_streams_hangup_ends();
    buf_init(&text, 0);
    system_limits_read("", &machine);
    const int action = options_parse(&config, argc, argv, getenv, &machine, &err);
    if (action < 0)
        return complain(&err);
    if (action == OPTIONS_HELP) {
        options_help(&text, &machine);
        return print(&text);
    }
    if (action == OPTIONS_VERSION)
        return printf("posed " POSED_VERSION " (" POSED_BUILD " build, %s kernel)\n", kernel_best()->name) < 0;
    if (action == OPTIONS_HEALTH)
        return health_probe(&config);
    if (options_check(&config, &err) < 0)
        return complain(&err);
    if (action == OPTIONS_SELF_TEST)
        return self_test(&config);
    if (action == OPTIONS_CHECK) {
        options_print(&text, &config);
        return print(&text);
    }
    return serve(&config);
}
