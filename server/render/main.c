/* main.c - posed-render: draws the pictures that posed asks for on file descriptor 3, until that is closed. */
#include "../base/buf.h"
#include "../worker/limits.h"
#include "job_channel.h"
#include "renderer.h"

#include <errno.h>
#include <getopt.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { EXIT_WRONG_ARGUMENTS = 2, CACHE_SHARE = 4, OPEN_FILES_MAX = 128 };

static const char USAGE[] =
    "usage: posed-render [--gl auto|osmesa|egl] [--memory BYTES]\n"
    "Draws pictures for posed, which starts it with a socket as file descriptor 3.\n"
    "  --gl KIND       what to draw with; auto (the default) is OSMesa where installed, else EGL\n"
    "  --memory BYTES  address space it may use, 0 (the default) for no limit\n"
    "  --help          this text\n";

struct options {
    const char *gl;
    uint64_t memory_bytes;
};

static bool parse_bytes(const char *text, uint64_t *out)
{
    char *end = NULL;
    errno = 0;
    const unsigned long long value = strtoull(text, &end, 10);
    *out = value;
    return text[0] >= '0' && text[0] <= '9' && *end == '\0' && errno == 0;
}

/* Fills *out; ends the process after --help and wrong arguments. */
static void parse_options(int argc, char **argv, struct options *out)
{
    static const struct option names[] = {{"gl", required_argument, NULL, 'g'},
                                          {"memory", required_argument, NULL, 'm'},
                                          {"help", no_argument, NULL, 'h'},
                                          {0}};
    bool is_good = true;
    *out = (struct options){.gl = "auto"};
    for (int c; (c = getopt_long(argc, argv, "", names, NULL)) != -1;) {
        if (c == 'g')
            out->gl = optarg;
        else if (c == 'm')
            is_good = is_good && parse_bytes(optarg, &out->memory_bytes);
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

static int serve(struct renderer *renderer, struct err *err)
{
    struct buf png, unmatched;
    buf_init(&png, SIZE_MAX);
    buf_init(&unmatched, 0);
    int rc = job_answer(RENDER_SOCKET_FD, 0, NULL, NULL, NULL, renderer_name(renderer), err);
    while (rc == 0) {
        struct render_job job;
        struct err outcome = {0};
        struct job_fds fds;
        rc = job_receive(RENDER_SOCKET_FD, &job, &fds, err);
        if (rc <= 0)
            break;
        buf_clear(&png);
        buf_clear(&unmatched);
        renderer_draw(renderer, &job, fds.model, fds.sources, &png, &unmatched, &outcome);
        job_fds_close(&fds);
        rc = job_answer(RENDER_SOCKET_FD, job.job_id, &outcome, &png, &unmatched, NULL, err);
    }
    buf_fini(&png);
    buf_fini(&unmatched);
    return rc;
}

int main(int argc, char **argv)
{
    struct options options;
    struct renderer *renderer = NULL;
    struct err err = {0};
    parse_options(argc, argv, &options);
    const struct worker_limits limits = {.memory_bytes = options.memory_bytes, .open_files = OPEN_FILES_MAX};
    const uint64_t cache_bytes = options.memory_bytes == 0 ? UINT64_C(1) << 30 : options.memory_bytes / CACHE_SHARE;
    int rc = worker_limit(&limits, &err);
    if (rc == 0)
        rc = renderer_new(options.gl, cache_bytes, &renderer, &err);
    if (rc == 0)
        rc = serve(renderer, &err);
    if (rc < 0)
        fprintf(stderr, "posed-render: %s\n", err.message);
    /* The driver's own threads may still run: its exit handlers are not to be trusted with that. */
    fflush(stderr);
    _exit(rc < 0 ? EXIT_FAILURE : EXIT_SUCCESS);
}
