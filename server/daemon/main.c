/* main.c - posed, the daemon: reads options, opens ports, starts the service, prints a ready line, runs and ends
 * cleanly. SIGTERM and SIGINT drain: the daemon takes no new connections, sends current answers, and exits with 0.
 * SIGHUP reloads (signals.h). SIGPIPE is ignored. It works as process 1 of a container. */
#include "daemon/config/config_warnings.h"
#include "daemon/threads/thread_priority.h"
#include "daemon/threads/work.h"
#include "daemon/support/budget.h"
#include "daemon/support/file_limit.h"
#include "daemon/support/log.h"
#include "daemon/listen/loops.h"
#include "daemon/listen/reload.h"
#include "daemon/listen/signals.h"
#include "daemon/listen/watchdog.h"
#include "daemon/support/notify.h"
#include "daemon/listen/health.h"
#include "daemon/config/options.h"
#include "daemon/config/socket_activation.h"
#include "daemon/disk/disk_cache.h"
#include "daemon/process/worker_probe.h"
#include "daemon/service/service.h"
#include "daemon/support/standard_streams.h"
#include "daemon/upload/upload_folder.h"

#include "anim/kernel/kernel.h"
#include "base/version.h"

#include <malloc.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

enum {
    IMPORT_THREADS_MAX = 64, /* that open files for importers: one for each up to this */
    EXIT_BAD_CONFIG = 2,
    END_TIME_S = 10, /* for work threads and workers to end, after --drain-timeout */
};

struct daemon {
    uv_loop_t loop;
    const struct config *config;
    bool has_terminal;
    uv_timer_t delay; /* between a signal and the drain */
    struct budget budget;
    struct loops *loops;
    struct service *service;
    struct reload *reload;
    struct watchdog *watchdog; /* or NULL */
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

static void drain(uv_timer_t *delay)
{
    struct daemon *daemon = delay->data;
    reload_stop(daemon->reload);
    service_drain(daemon->service);
    loops_drain(daemon->loops, on_drained, daemon);
}

static void on_stop(void *user, int number)
{
    struct daemon *daemon = user;
    const uint64_t delay_ms = daemon->config->drain_delay_ms;
    log_info("stopping on SIG%s, %u calls under way", sigabbrev_np(number), service_pending(daemon->service));
    notify_state("STOPPING=1");
    service_leave(daemon->service);
    if (delay_ms == 0) {
        drain(&daemon->delay);
        return;
    }
    log_info("/readyz is 503; connections are taken for %.1f s more", (double)delay_ms / 1000);
    uv_update_time(&daemon->loop);
    uv_timer_start(&daemon->delay, drain, delay_ms, 0);
}

static void on_reload(void *user) { reload_start(((struct daemon *)user)->reload); }

/* The start may wait for seconds; on_stop() and on_reload() run once the loop runs. */
static void start_handles(struct daemon *daemon)
{
    static const struct signal_events EVENTS = {.stop = on_stop, .reload = on_reload};
    const uint64_t stop_ms = daemon->config->limits.value[LIMIT_DRAIN_TIME_MS] + daemon->config->drain_delay_ms;
    signals_start(&daemon->loop, daemon->has_terminal, stop_ms / 1000 + 1 + END_TIME_S, &EVENTS, daemon);
    uv_timer_init(&daemon->loop, &daemon->delay);
    uv_unref((uv_handle_t *)&daemon->delay);
    daemon->delay.data = daemon;
}

static void stop_handles(struct daemon *daemon)
{
    signals_stop();
    watchdog_free(daemon->watchdog);
    uv_close((uv_handle_t *)&daemon->delay, NULL);
}

/* After a failed start: signals end the process as usual, and the loop has no handle left. */
static void drop_handles(struct daemon *daemon)
{
    signals_drop();
    uv_close((uv_handle_t *)&daemon->delay, NULL);
    uv_run(&daemon->loop, UV_RUN_NOWAIT);
}

static void log_warning(const char *sentence) { log_warn("%s", sentence); }

static void announce(const struct daemon *daemon, const struct config *config)
{
    struct buf ports;
    buf_init(&ports, 0);
    loops_put_addresses(daemon->loops, &ports);
    buf_put_char(&ports, '\0');
    log_info("posed %s serves %s on%s", posed_version(), config->root, ports.data);
    config_warnings(config, environ, log_warning);
    printf("posed ready%s\n", ports.data);
    fflush(stdout);
    buf_fini(&ports);
    notify_state("READY=1");
}

/* Each thread's heap reserves 64 MiB of addresses (mallopt(3)): if these are limited, all threads share one heap. */
static void save_addresses(void)
{
    struct rlimit addresses;
    if (getrlimit(RLIMIT_AS, &addresses) == 0 && addresses.rlim_cur != RLIM_INFINITY)
        mallopt(M_ARENA_MAX, 1);
}

/* Returns 0 if there is none, or if it is open. */
static int open_log(const struct config *config, struct err *err)
{
    log_open(config->log);
    const int fd = config->log_file == NULL ? 0 : log_file_open(config->log_file, err);
    if (fd > 0)
        log_use_file(fd);
    return fd < 0 ? fd : 0;
}

static void run(struct daemon *daemon)
{
    const uint64_t watchdog_us = notify_watchdog_us(getenv);
    daemon->reload = reload_new(&daemon->loop, daemon->config, daemon->loops);
    if (watchdog_us > 0)
        daemon->watchdog = watchdog_new(&daemon->loop, daemon->loops, watchdog_us);
    announce(daemon, daemon->config);
    thread_priority_prompt();
    uv_run(&daemon->loop, UV_RUN_DEFAULT);
    stop_handles(daemon);
    log_info("stopped");
}

static int serve(struct config *config, bool has_terminal)
{
    struct daemon daemon = {.config = config,
                            .has_terminal = has_terminal,
                            .budget = {.max_bytes = config->limits.value[LIMIT_CLIENT_MEMORY_BYTES]}};
    struct err err;
    if (open_log(config, &err) < 0)
        return complain(&err);
    signal(SIGPIPE, SIG_IGN);
    signal(SIGXFSZ, SIG_IGN); /* a file larger than the system allows is an error of that file */
    signal(SIGIO, SIG_IGN);   /* another process waits for a lease, which is returned anyway (revalidation.c) */
    struct file_limit files;
    if (file_limit_apply(config, &files, &err) < 0)
        return complain(&err);
    save_addresses();
    work_set_thread_count(WORK_COMPUTES, config->work_threads);
    work_set_thread_count(WORK_FILES, config->file_threads);
    work_set_thread_count(WORK_IMPORT_FILES,
                          config->import_workers < IMPORT_THREADS_MAX ? config->import_workers : IMPORT_THREADS_MAX);
    const int made = uv_loop_init(&daemon.loop);
    if (made < 0) {
        err_set(&err, ERR_BAD_PARAMETER, "cannot make the event loop: %s", uv_strerror(made));
        return complain(&err);
    }
    start_handles(&daemon); /* before sockets are made, which a signal without a handler would leave behind */
    int rc = loops_new(&daemon.loop, config, &daemon.budget, &daemon.loops, &err);
    if (rc == 0)
        rc = upload_folder_find(config, &err);
    if (rc == 0)
        rc = worker_probe_sandbox(config, &err);
    if (rc == 0)
        rc = service_new(&daemon.loop, config, &daemon.budget, &daemon.service, &err);
    if (rc == 0 && loops_serve(daemon.loops, daemon.service, &err) < 0)
        _exit(complain(&err)); /* threads are running that could not be ended in order */
    if (rc == 0) {
        file_limit_tell(&files, config);
        run(&daemon);
    } else {
        drop_handles(&daemon);
    }
    loops_free(daemon.loops);
    work_loop_close(&daemon.loop);
    uv_loop_close(&daemon.loop);
    reload_free(daemon.reload);
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

static void print_warning(const char *sentence) { fprintf(stderr, "posed: warning: %s\n", sentence); }

/* What the start would refuse, and what it only warns of. */
static int check(const struct config *config)
{
    struct err err;
    struct buf text;
    if (upload_folder_check(config, &err) < 0 || disk_cache_check(config, &err) < 0)
        return complain(&err);
    buf_init(&text, 0);
    options_print(&text, config);
    config_warnings(config, environ, print_warning);
    return print(&text);
}

int main(int argc, char **argv)
{
    struct system_limits machine;
    struct config config;
    struct err err;
    struct buf text;
    standard_streams_open();
    const bool has_terminal = standard_streams_hangup_ends();
    buf_init(&text, 0);
    system_limits_read("", &machine);
    const int action = options_parse(&config, argc, argv, getenv, &machine, &err);
    if (action < 0)
        return complain(&err);
    if (action == OPTIONS_HELP) {
        options_help(&text, &machine, standard_streams_columns());
        return print(&text);
    }
    if (action == OPTIONS_VERSION)
        return printf("posed %s (" POSED_BUILD " build, %s kernel)\n", posed_version(), kernel_best()->name) < 0;
    if (action == OPTIONS_HEALTH)
        return health_probe(&config);
    struct passed_sockets sockets;
    if (socket_activation_take(getenv, &sockets, &err) < 0)
        return complain(&err);
    socket_activation_apply(&sockets, &config);
    if (options_check(&config, &err) < 0)
        return complain(&err);
    if (action == OPTIONS_SELF_TEST)
        return self_test(&config);
    if (action == OPTIONS_CHECK)
        return check(&config);
    return serve(&config, has_terminal);
}
