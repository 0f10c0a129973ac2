/* main.c - posed-render: draws the pictures that posed requests on file descriptor 3, until it is closed. */
#include "base/buf.h"
#include "base/mem.h"
#include "worker/attempt.h"
#include "worker/resource_limits.h"
#include "worker/sandbox.h"
#include "render/job/job_channel.h"
#include "render/renderer.h"

#include <errno.h>
#include <getopt.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { EXIT_WRONG_ARGUMENTS = 2, CACHE_SHARE = 4, OPEN_FILES_MAX = 128 };
/* Only the driver's shader cache is ever written to a file. */
static const uint64_t FILE_BYTES_MAX = 256 << 20;

static const char USAGE[] =
    "usage: posed-render [--gl auto|osmesa|egl] [--memory BYTES] [--cpu SECONDS]\n"
    "                    [--sandbox " SANDBOX_MODES "]\n"
    "Draws pictures for posed, which starts it with a socket as file descriptor 3.\n"
    "  --gl KIND       what to draw with; auto (the default) is OSMesa where installed, else EGL\n"
    "  --memory BYTES  address space it may use, 0 (the default) for no limit\n"
    "  --cpu SECONDS   processor time after which the kernel ends it, 0 (the default) for no limit; between two "
    "pictures\n"
    "                  it makes way for a fresh one when half of that is used\n"
    "  --sandbox MODE  what to do where the machine refuses the sandbox (default try)\n"
    "  --attempt NAME  instead of drawing: enter the sandbox, try the forbidden call NAME, say how it went;\n"
    "                  'list' names them all, 'report' says what the sandbox consists of\n"
    "  --help          this text\n";

struct options {
    const char *gl;
    uint64_t memory_bytes, cpu_s;
    enum sandbox_mode sandbox;
    const char *attempt; /* or NULL */
};

static bool parse_number(const char *text, uint64_t *out)
{
    char *end = NULL;
    errno = 0;
    const unsigned long long value = strtoull(text, &end, 10);
    *out = value;
    return text[0] >= '0' && text[0] <= '9' && *end == '\0' && errno == 0;
}

/* Fills *out; exits after --help and wrong arguments. */
static void parse_options(int argc, char **argv, struct options *out)
{
    static const struct option names[] = {{"gl", required_argument, NULL, 'g'},
                                          {"memory", required_argument, NULL, 'm'},
                                          {"cpu", required_argument, NULL, 'c'},
                                          {"sandbox", required_argument, NULL, 's'},
                                          {"attempt", required_argument, NULL, 'a'},
                                          {"help", no_argument, NULL, 'h'},
                                          {0}};
    bool is_good = true;
    *out = (struct options){.gl = "auto", .sandbox = SANDBOX_TRY};
    for (int c; (c = getopt_long(argc, argv, "", names, NULL)) != -1;) {
        if (c == 'g')
            out->gl = optarg;
        else if (c == 'm')
            is_good = is_good && parse_number(optarg, &out->memory_bytes);
        else if (c == 'c')
            is_good = is_good && parse_number(optarg, &out->cpu_s);
        else if (c == 's')
            is_good = is_good && sandbox_mode_read(optarg, &out->sandbox);
        else if (c == 'a')
            out->attempt = optarg;
        else if (c == 'h')
            exit(fputs(USAGE, stdout) < 0);
        else
            is_good = false;
    }
    if (is_good && optind == argc)
        return;
    fputs(USAGE, stderr);
    exit(EXIT_WRONG_ARGUMENTS);
}

/* After an error of the driver its state is unreliable (OpenGL 3.3, 2.5: undefined once memory ran out), and memory may
 * be fragmented. Another process must draw the next picture. */
static int check_fit(const struct err *outcome, struct err *err)
{
    if (outcome->code != ERR_RENDER_FAILED && outcome->code != ERR_NO_MEMORY)
        return 0;
    return err_set(err, ERR_RENDER_FAILED, "makes way for a fresh one: %.200s", outcome->message);
}

/* True once the worker should end by itself, because the kernel would end it in the middle of a picture. */
static bool has_done_its_share(uint64_t cpu_s)
{
    struct timespec used;
    if (cpu_s == 0 || clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used) != 0 ||
        (uint64_t)used.tv_sec * 1000 + (uint64_t)used.tv_nsec / 1000000 < cpu_s * 1000 / 2)
        return false;
    fprintf(stderr, "posed-render: makes way for a fresh one after %lld s of processor time\n", (long long)used.tv_sec);
    return true;
}

/* Serves jobs until none are left for it. */
static int serve(struct renderer *renderer, uint64_t cpu_s, struct err *err)
{
    struct render_work *work = mem_zalloc(1, sizeof *work);
    struct buf png, unmatched;
    buf_init(&png, SIZE_MAX);
    buf_init(&unmatched, 0);
    int rc = job_answer(RENDER_SOCKET_FD, 0, NULL, NULL, NULL, renderer_name(renderer), err);
    while (rc == 0) {
        struct err outcome = {0};
        struct job_fds fds;
        rc = job_receive(RENDER_SOCKET_FD, work, &fds, err);
        if (rc <= 0)
            break;
        buf_clear(&png);
        buf_clear(&unmatched);
        struct render_notes notes = {.shown = {0}};
        renderer_draw(renderer, work, fds.model, fds.sources, &png, &unmatched, &outcome);
        job_fds_close(&fds);
        notes.shown = *renderer_shown(renderer);
        notes.range = renderer_pass_range(renderer);
        if (unmatched.size_bytes > 0 && unmatched.size_bytes < sizeof notes.unmatched)
            memcpy(notes.unmatched, unmatched.data, unmatched.size_bytes);
        rc = job_answer(RENDER_SOCKET_FD, work->job.job_id, &outcome, &png, &notes, NULL, err);
        if (rc == 0)
            rc = check_fit(&outcome, err);
        if (rc == 0 && has_done_its_share(cpu_s))
            break;
    }
    buf_fini(&png);
    buf_fini(&unmatched);
    free(work);
    return rc;
}

static int limit_self(const struct options *options, struct sandbox *sandbox, struct err *err)
{
    const struct resource_limits limits = {.cpu_s = options->cpu_s,
                                           .memory_bytes = options->memory_bytes,
                                           .file_bytes = FILE_BYTES_MAX,
                                           .open_files = OPEN_FILES_MAX};
    *sandbox = (struct sandbox){.program = SANDBOX_RENDER, .mode = options->sandbox};
    if (resource_limits_settle(RENDER_SOCKET_FD, err) < 0 || resource_limits_set(&limits, err) < 0)
        return err->code;
    sandbox_isolate(sandbox);
    return 0;
}

static int try_forbidden(const struct options *options, struct sandbox *sandbox, struct err *err)
{
    char limits[RESOURCE_LIMITS_TEXT_SIZE];
    resource_limits_text(limits);
    if (sandbox_enter(sandbox, err) < 0)
        return err->code;
    sandbox_report(sandbox, limits);
    return attempt(options->attempt) ? 0
                                     : err_set(err, ERR_BAD_PARAMETER, "no attempt is named '%s'", options->attempt);
}

/* Gives way to others. The worker is almost ready, and all threads of the driver exist. */
static int yield(struct err *err)
{
    resource_limits_yield_session();
    return resource_limits_yield(getpgrp() == getpid(), err);
}

/* The driver loads its parts and compiles what every picture needs before the first byte from outside arrives. */
static int work(const struct options *options, struct sandbox *sandbox, struct err *err)
{
    struct renderer *renderer = NULL;
    const uint64_t cache_bytes = options->memory_bytes == 0 ? UINT64_C(1) << 30 : options->memory_bytes / CACHE_SHARE;
    if (renderer_new(options->gl, cache_bytes, &renderer, err) < 0 || yield(err) < 0 || sandbox_enter(sandbox, err) < 0)
        return err->code;
    return serve(renderer, options->cpu_s, err);
}

int main(int argc, char **argv)
{
    struct options options;
    struct sandbox sandbox;
    struct err err = {0};
    parse_options(argc, argv, &options);
    if (options.attempt != NULL && strcmp(options.attempt, "list") == 0) {
        attempt_list();
        return EXIT_SUCCESS;
    }
    int rc = limit_self(&options, &sandbox, &err);
    if (rc == 0)
        rc = options.attempt != NULL ? try_forbidden(&options, &sandbox, &err) : work(&options, &sandbox, &err);
    if (rc < 0)
        fprintf(stderr, "posed-render: %s\n", err.message);
    /* The driver's own threads may still run, and its exit handlers cannot cope with that. */
    fflush(stderr);
    _exit(rc < 0 ? EXIT_FAILURE : EXIT_SUCCESS);
}
