/* main.c - posed, the daemon: options, port, service, one ready line, the loop, a clean end.
 *
 * SIGTERM and SIGINT drain: no new connections, answers under way are sent, exit 0. A second one exits at once with
 * 128 + its number. SIGPIPE is ignored. Works as process 1 of a container. */
#include "access_policy.h"
#include "background.h"
#include "budget.h"
#include "file_limit.h"
#include "log.h"
#include "loops.h"
#include "notify.h"
#include "health.h"
#include "options.h"
#include "sandbox_check.h"
#include "service.h"

#include "../anim/kernel.h"
#include "../base/version.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { EXIT_BAD_CONFIG = 2 };

static const int STOP_SIGNALS[2] = {SIGTERM, SIGINT};

struct daemon {
    uv_loop_t loop;
    uv_signal_t signals[2];
    uv_prepare_t before_wait;
    struct budget budget;
    struct loops *loops;
    struct service *service;
    bool is_draining;
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

static void on_signal(uv_signal_t *handle, int number)
{
    struct daemon *daemon = handle->data;
    if (daemon->is_draining) {
        log_warn("second signal: exiting at once");
        _exit(128 + number);
    }
    daemon->is_draining = true;
    log_info("stopping on SIG%s, %u calls under way", number == SIGTERM ? "TERM" : "INT",
             service_pending(daemon->service));
    notify_state("STOPPING=1");
    service_drain(daemon->service);
    loops_drain(daemon->loops, on_drained, daemon);
}

static void on_before_wait(uv_prepare_t *handle)
{
    (void)handle;
    log_flush();
}

/* Not counted by the loop, which ends without them: a second signal must work until the very end. */
static void start_handles(struct daemon *daemon)
{
    for (int i = 0; i < 2; i++) {
        daemon->signals[i].data = daemon;
        uv_signal_init(&daemon->loop, &daemon->signals[i]);
        uv_signal_start(&daemon->signals[i], on_signal, STOP_SIGNALS[i]);
        uv_unref((uv_handle_t *)&daemon->signals[i]);
    }
    uv_prepare_init(&daemon->loop, &daemon->before_wait);
    uv_prepare_start(&daemon->before_wait, on_before_wait);
    uv_unref((uv_handle_t *)&daemon->before_wait);
}

static void on_late_signal(int number) { _exit(128 + number); }

/* libuv gives a signal its default action back when its last handle closes: a second one would then end the process
 * otherwise than a moment before. None comes between the two, they are blocked. */
static void stop_handles(struct daemon *daemon)
{
    sigset_t stops;
    sigset_t before;
    sigemptyset(&stops);
    for (int i = 0; i < 2; i++)
        sigaddset(&stops, STOP_SIGNALS[i]);
    pthread_sigmask(SIG_BLOCK, &stops, &before);
    for (int i = 0; i < 2; i++) {
        uv_close((uv_handle_t *)&daemon->signals[i], NULL);
        signal(STOP_SIGNALS[i], on_late_signal);
    }
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    uv_close((uv_handle_t *)&daemon->before_wait, NULL);
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

/* libuv has four work threads unless told: answers, listings, stores and looks at slow disks must not wait for each
 * other, nor for uploads, each of which may wait for its disk. */
static void set_thread_count(const struct config *config)
{
    enum { THREADS = 12, THREADS_PER_LOOP = 2 /* conn_body.c */, UPLOAD_THREADS_MAX = 64 };
    const uint64_t uploads = config->uploads != NULL ? config->limits.value[LIMIT_UPLOADS] : 0;
    char count[16];
    snprintf(count, sizeof count, "%u",
             THREADS + THREADS_PER_LOOP * (config->loops - 1) +
                 (unsigned)(uploads < UPLOAD_THREADS_MAX ? uploads : UPLOAD_THREADS_MAX));
    setenv("UV_THREADPOOL_SIZE", count, 0);
}

static int serve(struct config *config)
{
    struct daemon daemon = {.budget = {.max_bytes = config->limits.value[LIMIT_CLIENT_MEMORY_BYTES]}};
    struct err err;
    log_open(config->log);
    signal(SIGPIPE, SIG_IGN);
    signal(SIGXFSZ, SIG_IGN); /* a file larger than the system allows is an error of that file */
    signal(SIGIO, SIG_IGN);   /* somebody waits for a lease that is given back anyway (look.c) */
    set_thread_count(config);
    const struct file_limit files = file_limit_apply(config);
    uv_loop_init(&daemon.loop);
    int rc = loops_new(&daemon.loop, config, &daemon.budget, &daemon.loops, &err);
    if (rc == 0)
        rc = sandbox_announce(config, &err);
    if (rc == 0)
        rc = service_new(&daemon.loop, config, &daemon.budget, &daemon.service, &err);
    if (rc == 0 && loops_serve(daemon.loops, daemon.service, &err) < 0)
        _exit(complain(&err)); /* with threads that nothing could end in order */
    if (rc == 0) {
        start_handles(&daemon);
        file_limit_tell(&files, config);
        announce(&daemon, config);
        prompt_thread();
        uv_run(&daemon.loop, UV_RUN_DEFAULT);
        stop_handles(&daemon);
        log_info("stopped");
    }
    loops_free(daemon.loops);
    uv_loop_close(&daemon.loop);
    log_finish();
    return rc < 0 ? complain(&err) : EXIT_SUCCESS;
}

static int self_test(const struct config *config)
{
    struct buf text;
    buf_init(&text, 0);
    const bool is_good = sandbox_self_test(config, &text);
    fwrite(text.data, 1, text.size_bytes, stdout);
    buf_fini(&text);
    return is_good ? EXIT_SUCCESS : EXIT_FAILURE;
}

static int print(struct buf *text)
{
    fwrite(text->data, 1, text->size_bytes, stdout);
    buf_fini(text);
    return EXIT_SUCCESS;
}

int main(int argc, char **argv)
{
    struct machine machine;
    struct config config;
    struct err err;
    struct buf text;
    buf_init(&text, 0);
    machine_read("", &machine);
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
