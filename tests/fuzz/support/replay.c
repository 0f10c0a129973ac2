/* replay [--list] [-j N] [NAME[=PATH]...] - runs fuzz targets over stored inputs, without a fuzzer: each input is a
 * regression test on every build. No name: every target. The inputs are the files of the folder
 * tests/fuzz/corpus/NAME, or PATH: a file, or a folder of them.
 *
 * N targets run side by side (default: the number of processors), each in a process of its own. An input that ends its
 * process is a failure, and the inputs behind it run in another process. A line for each target, "replay NAME: N
 * inputs in S s", counts those that passed; before it there is a line for each failure. Exit status 1 when anything
 * failed or a target had no input, 2 when the arguments are wrong. */
#include <dirent.h>
#include <getopt.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

struct target {
    const char *name;
    int (*run)(const uint8_t *data, size_t size);
};

/* The Makefile lists tests/fuzz/fuzz_NAME.c, and renames LLVMFuzzerTestOneInput() of each to fuzz_NAME(). */
#define FUZZ_TARGET(name) int fuzz_##name(const uint8_t *data, size_t size);
#include "fuzz_targets.def"
#undef FUZZ_TARGET
static const struct target TARGETS[] = {
#define FUZZ_TARGET(name) {#name, fuzz_##name},
#include "fuzz_targets.def"
#undef FUZZ_TARGET
};
enum { TARGET_COUNT = sizeof TARGETS / sizeof *TARGETS };

/* A target and its inputs. */
struct replay {
    const struct target *target;
    char **inputs; /* paths */
    unsigned input_count;
    unsigned failed_count;
    pid_t pid;
    double start_s;
    /* Shared with the process: the input that it is at, input_count after the last one. */
    _Atomic unsigned *at;
};

static void *checked(void *memory)
{
    if (memory == NULL || memory == MAP_FAILED) {
        perror("replay");
        exit(1);
    }
    return memory;
}

static double now_s(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* --- in the process of a target --------------------------------------------------------------------------------- */

static void run_input(const struct target *target, const char *path)
{
    enum { PIECE = 1 << 16 };
    FILE *file = fopen(path, "rb");
    uint8_t *bytes = NULL;
    size_t size = 0, n = file != NULL;
    while (n > 0) {
        bytes = checked(realloc(bytes, size + PIECE));
        n = fread(bytes + size, 1, PIECE, file);
        size += n;
    }
    if (file == NULL || ferror(file)) {
        perror(path);
        exit(1);
    }
    fclose(file);
    /* A heap block of exactly the input's size, so that AddressSanitizer sees a read past its end. */
    bytes = checked(realloc(bytes, size == 0 ? 1 : size));
    target->run(bytes, size);
    free(bytes);
}

/* Ends by exit(), at which LeakSanitizer looks. */
static _Noreturn void run_inputs(const struct replay *replay)
{
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    for (; *replay->at < replay->input_count; ++*replay->at)
        run_input(replay->target, replay->inputs[*replay->at]);
    exit(0);
}

/* --- in the first process -------------------------------------------------------------------------------------- */

static void begin_process(struct replay *replay)
{
    fflush(NULL); /* or both write what waits in buffers */
    replay->pid = fork();
    if (replay->pid == 0)
        run_inputs(replay);
    if (replay->pid < 0) {
        perror("replay: fork");
        exit(1);
    }
}

static void add_input(struct replay *replay, const char *folder, const char *name)
{
    char *path;
    if (asprintf(&path, name != NULL ? "%s/%s" : "%s", folder, name) < 0)
        checked(NULL);
    replay->inputs = checked(realloc(replay->inputs, (replay->input_count + 1) * sizeof *replay->inputs));
    replay->inputs[replay->input_count++] = path;
}

static int is_visible(const struct dirent *entry) { return entry->d_name[0] != '.'; }

/* A folder without files, and a path where nothing is, become an input that cannot be read: a failure. */
static void list_inputs(struct replay *replay, const char *path)
{
    struct dirent **entries = NULL;
    const int count = scandir(path, &entries, is_visible, alphasort);
    for (int i = 0; i < count; i++) {
        add_input(replay, path, entries[i]->d_name);
        free(entries[i]);
    }
    free(entries);
    if (replay->input_count == 0)
        add_input(replay, path, NULL);
}

/* NAME or NAME=PATH. Exit status 2 when there is no such target. */
static void make_replay(struct replay *replay, const char *argument)
{
    char folder[4096];
    const size_t length = strcspn(argument, "=");
    for (size_t i = 0; i < TARGET_COUNT && replay->target == NULL; i++)
        if (strlen(TARGETS[i].name) == length && memcmp(TARGETS[i].name, argument, length) == 0)
            replay->target = &TARGETS[i];
    if (replay->target == NULL) {
        fprintf(stderr, "replay: no target '%s'; --list lists them\n", argument);
        exit(2);
    }
    snprintf(folder, sizeof folder, "tests/fuzz/corpus/%s", replay->target->name);
    list_inputs(replay, argument[length] == '=' ? argument + length + 1 : folder);
}

/* Tells a failure, if it is one. False when there are inputs left to run. */
static bool end_process(struct replay *replay, int status)
{
    char how[100];
    const bool is_through = *replay->at == replay->input_count;
    const char *where = is_through ? "the end of its process" : replay->inputs[*replay->at];
    if (WIFSIGNALED(status))
        snprintf(how, sizeof how, "signal %d (%s)", WTERMSIG(status), strsignal(WTERMSIG(status)));
    else
        snprintf(how, sizeof how, "exit status %d", WEXITSTATUS(status));
    replay->pid = 0;
    if (!is_through || status != 0) {
        replay->failed_count++;
        printf("replay %s: failed at %s: %s\n", replay->target->name, where, how);
    }
    *replay->at += !is_through;
    return *replay->at == replay->input_count;
}

/* Runs all, `job_count` at once. */
static void run(struct replay *replays, size_t count, size_t job_count)
{
    for (size_t begun = 0, running = 0; begun < count || running > 0;) {
        if (begun < count && running < job_count) {
            replays[begun].start_s = now_s();
            begin_process(&replays[begun++]);
            running++;
            continue;
        }
        int status;
        const pid_t pid = wait(&status);
        struct replay *replay = replays;
        while (replay->pid != pid)
            replay++;
        if (!end_process(replay, status)) {
            begin_process(replay);
            continue;
        }
        printf("replay %s: %u inputs in %.2f s\n", replay->target->name, replay->input_count - replay->failed_count,
               now_s() - replay->start_s);
        fflush(stdout);
        running--;
    }
}

static void print_targets(void)
{
    for (size_t i = 0; i < TARGET_COUNT; i++)
        puts(TARGETS[i].name);
}

/* The number of jobs. What is behind the options is at optind. */
static size_t read_options(int argc, char **argv)
{
    static const struct option OPTIONS[] = {{"list", no_argument, NULL, 'l'}, {0}};
    long job_count = sysconf(_SC_NPROCESSORS_ONLN);
    for (int c; (c = getopt_long(argc, argv, "j:", OPTIONS, NULL)) != -1;) {
        char *end = NULL;
        if (c == 'l') {
            print_targets();
            exit(0);
        }
        if (c == 'j')
            job_count = strtol(optarg, &end, 10);
        if (end == NULL || *end != '\0' || job_count < 1) {
            fputs("usage: replay [--list] [-j N] [NAME[=PATH]...]\n", stderr);
            exit(2);
        }
    }
    return job_count > 0 ? (size_t)job_count : 1;
}

int main(int argc, char **argv)
{
    const size_t job_count = read_options(argc, argv), named = (size_t)(argc - optind);
    const size_t count = named > 0 ? named : TARGET_COUNT;
    struct replay *replays = checked(calloc(count, sizeof *replays));
    _Atomic unsigned *places =
        checked(mmap(NULL, count * sizeof *places, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0));
    for (size_t i = 0; i < count; i++) {
        replays[i].at = &places[i];
        make_replay(&replays[i], named > 0 ? argv[optind + (int)i] : TARGETS[i].name);
    }
    run(replays, count, job_count);
    unsigned failed_count = 0;
    for (size_t i = 0; i < count; i++) {
        failed_count += replays[i].failed_count;
        for (unsigned k = 0; k < replays[i].input_count; k++)
            free(replays[i].inputs[k]);
        free(replays[i].inputs);
    }
    free(replays);
    return failed_count > 0;
}
