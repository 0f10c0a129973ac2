#include "daemon/process/sandbox_check.h"

#include "daemon/support/log.h"
#include "daemon/process/denied_syscall.h"
#include "daemon/renderer/render_worker.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { WORDS_SIZE = 4096, ARGUMENTS_MAX = 12, SHORT_CPU_S = 1 };
/* A worker is the last to get a processor: on a busy machine a second of its time is a minute. */
enum { PATIENCE_MS = 60000, PATIENCE_WITH_TIME_MS = 600000 };

static const char *const PROGRAMS[] = {"posed-import", "posed-render"};
enum { PROGRAM_COUNT = sizeof PROGRAMS / sizeof *PROGRAMS };

/* How a worker program ended. */
struct end {
    char words[WORDS_SIZE]; /* of stdout and stderr, the first */
    int status;             /* of waitpid(); -1: it did not start */
};

static int64_t now_ms(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

/* Until the end of the stream or of patience. */
static void read_words(int fd, int patience_ms, char words[WORDS_SIZE])
{
    const int64_t deadline_ms = now_ms() + patience_ms;
    size_t size_bytes = 0;
    while (size_bytes < WORDS_SIZE - 1) {
        struct pollfd readable = {.fd = fd, .events = POLLIN};
        const int64_t left_ms = deadline_ms - now_ms();
        if (left_ms <= 0 || poll(&readable, 1, (int)left_ms) <= 0)
            break;
        const ssize_t got = read(fd, words + size_bytes, WORDS_SIZE - 1 - size_bytes);
        if (got <= 0)
            break;
        size_bytes += (size_t)got;
    }
    words[size_bytes] = '\0';
}

static pid_t spawn(char **arguments, int words_fd)
{
    posix_spawn_file_actions_t actions;
    pid_t pid = -1;
    char *const none[] = {NULL};
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_adddup2(&actions, words_fd, STDOUT_FILENO);
    posix_spawn_file_actions_adddup2(&actions, words_fd, STDERR_FILENO);
    const int rc = posix_spawn(&pid, arguments[0], &actions, NULL, arguments, none);
    posix_spawn_file_actions_destroy(&actions);
    return rc == 0 ? pid : -1;
}

static void run(char **arguments, int patience_ms, struct end *out)
{
    int fds[2];
    *out = (struct end){.status = -1};
    if (pipe2(fds, O_CLOEXEC) != 0)
        return;
    const pid_t pid = spawn(arguments, fds[1]);
    close(fds[1]);
    if (pid > 0) {
        read_words(fds[0], patience_ms, out->words);
        kill(pid, SIGKILL); /* it has ended, or takes too long */
        waitpid(pid, &out->status, 0);
    }
    close(fds[0]);
}

/* Runs one program with the limits of the configuration; what is to reach the limit on time gets a short one. */
static void run_attempt(const struct config *config, int program, const char *name, struct end *out)
{
    static const char *const modes[] = SANDBOX_MODE_WORDS;
    const uint64_t *limits = config->limits.value;
    char path[4096], memory[32], cpu[32];
    snprintf(path, sizeof path, "%s/%s", config->worker_dir, PROGRAMS[program]);
    const bool is_about_time = strcmp(name, ATTEMPT_PROCESSOR_TIME) == 0;
    const uint64_t cpu_s = program == 0 ? limits[LIMIT_IMPORT_CPU_S] : render_worker_cpu_limit_s(&config->limits);
    snprintf(cpu, sizeof cpu, "%llu", (unsigned long long)(is_about_time ? SHORT_CPU_S : cpu_s));
    snprintf(memory, sizeof memory, "%llu",
             (unsigned long long)limits[program == 0 ? LIMIT_IMPORT_MEMORY_BYTES : LIMIT_RENDER_MEMORY_BYTES]);
    const char *const arguments[ARGUMENTS_MAX] = {path,
                                                  "--sandbox",
                                                  modes[config->sandbox],
                                                  "--attempt",
                                                  name,
                                                  program == 0 ? "--import-memory" : "--memory",
                                                  memory,
                                                  program == 0 ? "--import-cpu" : "--cpu",
                                                  cpu};
    run((char **)(uintptr_t)arguments, is_about_time ? PATIENCE_WITH_TIME_MS : PATIENCE_MS, out);
}

/* The report's content, to its line's end, or NULL. */
static const char *report_of(struct end *end)
{
    char *report = strstr(end->words, SANDBOX_REPORT);
    if (report == NULL)
        return NULL;
    report += strlen(SANDBOX_REPORT);
    report[strcspn(report, "\n")] = '\0';
    return report;
}

static const char *last_line(struct end *end)
{
    size_t size = strlen(end->words);
    while (size > 0 && end->words[size - 1] == '\n')
        end->words[--size] = '\0';
    const char *newline = strrchr(end->words, '\n');
    return newline != NULL ? newline + 1 : end->words;
}

static int program_count(const struct config *config) { return config->render_workers > 0 ? PROGRAM_COUNT : 1; }

int sandbox_check_log(const struct config *config, struct err *err)
{
    struct buf line;
    bool is_filtered = true, has_capabilities = false;
    buf_init(&line, 0);
    for (int p = 0; p < program_count(config); p++) {
        struct end end;
        run_attempt(config, p, "report", &end);
        const char *report = report_of(&end);
        is_filtered = is_filtered && report != NULL && strstr(report, SANDBOX_FILTERED) != NULL;
        has_capabilities = has_capabilities || (report != NULL && strstr(report, SANDBOX_NO_CAPABILITIES) == NULL);
        buf_printf(&line, "%s%s: %s", p > 0 ? "; " : "", PROGRAMS[p], report != NULL ? report : last_line(&end));
    }
    buf_put_char(&line, '\0');
    int rc = 0;
    if (config->sandbox == SANDBOX_REQUIRE && has_capabilities)
        rc = err_set(err, ERR_UNAVAILABLE, "--sandbox require, but workers cannot give up all capabilities here; %s",
                     line.data);
    else if (config->sandbox == SANDBOX_REQUIRE && !is_filtered)
        rc = err_set(err, ERR_UNAVAILABLE, "--sandbox require, but workers have no filter on system calls here; %s",
                     line.data);
    else if (!is_filtered)
        log_warn("sandbox: without a filter on system calls, a model file that subverts a worker can do what this user "
                 "can; %s",
                 line.data);
    else if (has_capabilities)
        log_warn("sandbox: workers cannot give up all capabilities here; %s", line.data);
    else
        log_info("sandbox: %s", line.data);
    buf_fini(&line);
    return rc;
}

/* --------- the self-test --------- */

static void put_row(struct buf *out, const char *name, const char *what, const char *outcome)
{
    const int width = outcome[0] != '\0' ? 44 : 0;
    buf_printf(out, "  %-20s %-*s %s\n", name, width, what, outcome);
}

/* Tries one call. Returns false when it was possible, or nobody knows. */
static bool test_one(const struct config *config, int program, const char *name, const char *what, struct buf *out)
{
    struct end end;
    char call[DENIED_SYSCALL_SIZE], outcome[256];
    run_attempt(config, program, name, &end);
    const char *failed = strstr(end.words, SANDBOX_FAILED);
    bool is_refused = true;
    if (end.status >= 0 && WIFSIGNALED(end.status) && WTERMSIG(end.status) == SIGSYS)
        snprintf(outcome, sizeof outcome, "refused: killed for %s", denied_syscall(end.words, call));
    else if (failed != NULL)
        snprintf(outcome, sizeof outcome, "refused: %s", failed + strlen(SANDBOX_FAILED));
    else if (end.status >= 0 && WIFSIGNALED(end.status) && WTERMSIG(end.status) == SIGXCPU)
        snprintf(outcome, sizeof outcome, "refused: killed after %d s", SHORT_CPU_S);
    else
        is_refused = false, snprintf(outcome, sizeof outcome, "POSSIBLE (%.200s)", last_line(&end));
    outcome[strcspn(outcome, "\n")] = '\0';
    put_row(out, name, what, outcome);
    return is_refused;
}

static void put_report(struct buf *out, int program, char *report)
{
    buf_printf(out, "%s\n", PROGRAMS[program]);
    char *rest = NULL;
    for (char *part = strtok_r(report, ";", &rest); part != NULL; part = strtok_r(NULL, ";", &rest)) {
        char *value = strchr(part, '=');
        if (value != NULL)
            *value++ = '\0';
        put_row(out, part + (part[0] == ' '), value != NULL ? value : "", "");
    }
}

static bool test_program(const struct config *config, int program, struct buf *out)
{
    struct end list, end;
    run_attempt(config, program, "report", &end);
    const char *report = report_of(&end);
    if (report == NULL) {
        buf_printf(out, "%s does not work: %s\n", PROGRAMS[program], last_line(&end));
        return false;
    }
    bool is_good = strstr(report, SANDBOX_FILTERED) != NULL && strstr(report, SANDBOX_NO_CAPABILITIES) != NULL;
    put_report(out, program, (char *)(uintptr_t)report);
    run_attempt(config, program, "list", &list);
    char *rest = NULL;
    for (char *name = strtok_r(list.words, "\n", &rest); name != NULL; name = strtok_r(NULL, "\n", &rest)) {
        char *what = strchr(name, '\t');
        if (what == NULL)
            continue;
        *what++ = '\0';
        is_good = test_one(config, program, name, what, out) && is_good;
    }
    return is_good;
}

bool sandbox_check_self_test(const struct config *config, struct buf *out)
{
    bool is_good = true;
    for (int p = 0; p < program_count(config); p++)
        is_good = test_program(config, p, out) && is_good;
    buf_put_text(out, is_good ? "nothing was possible that should not be\n"
                              : "NOT CONFINED: something above is missing or was possible\n");
    return is_good;
}
