/* worker_probe.c - lets each worker program try the operations that its sandbox forbids, and reads its report. */
#include "daemon/process/worker_probe.h"

#include "daemon/process/child.h"
#include "daemon/process/fork_server.h"
#include "daemon/process/worker_command.h"
#include "daemon/support/fd.h"
#include "daemon/support/log.h"
#include "daemon/support/stats.h"
#include "worker/import_files.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

enum { SHORT_CPU_S = 1 };
/* A worker is the last to get a processor: on a busy machine a second of its time is a minute. */
enum { ATTEMPT_TIME_MS = 60000, PROCESSOR_TIME_MS = 600000 };

enum program { IMPORTER, RENDERER, PROGRAM_COUNT };
static const char *const PROGRAMS[] = {[IMPORTER] = "posed-import", [RENDERER] = "posed-render"};

static void make_command(const struct config *config, enum program program, struct worker_command *out)
{
    if (program == IMPORTER)
        worker_command_import(out, config);
    else
        worker_command_render(out, config, NULL);
}

static void ignore(struct child *child) { (void)child; }

/* An importer's first order lies in the socket that it is given. */
static int send_attempt(int socket, const char *name)
{
    struct import_order order = {.magic = IMPORT_FILES_MAGIC, .kind = IMPORT_ORDER_ATTEMPT};
    snprintf(order.text, sizeof order.text, "%s", name);
    return send(socket, &order, sizeof order, MSG_NOSIGNAL) == (ssize_t)sizeof order ? 0 : -errno;
}

static int fork_attempt(struct fork_server *server, const char *name, uint64_t time_ms, struct child *out)
{
    static const struct child_events EVENTS = {.ended = ignore, .closed = ignore};
    int sockets[2];
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, sockets) != 0)
        return -errno;
    const int result_fd = memfd_create("attempt", MFD_CLOEXEC);
    int rc = result_fd < 0 ? -errno : send_attempt(sockets[0], name);
    if (rc == 0)
        rc = fork_server_start_child(server, out, sockets[1], result_fd, &EVENTS);
    if (rc == 0)
        child_limit_time(out, time_ms);
    fd_close(result_fd);
    close(sockets[0]);
    close(sockets[1]);
    return rc;
}

/* In a process as an import has it: one that a fork server makes. Waits for its end. */
static void run_forked(struct worker_command *command, const char *name, uint64_t time_ms, struct child *out)
{
    uv_loop_t loop;
    memset(out, 0, sizeof *out);
    out->exit.output = out->output;
    int rc = uv_loop_init(&loop);
    if (rc == 0) {
        worker_command_add(command, "--fork-server");
        struct fork_server *server = fork_server_new(&loop, command);
        rc = fork_attempt(server, name, time_ms, out);
        while (rc == 0 && !child_has_ended(out) && uv_run(&loop, UV_RUN_ONCE) != 0)
            continue;
        fork_server_free(server);
        uv_run(&loop, UV_RUN_DEFAULT);
        uv_loop_close(&loop);
    }
    if (rc != 0)
        snprintf(out->output, sizeof out->output, "cannot start '%s': %s", command->args[0], uv_strerror(rc));
}

/* Runs the attempt in a process like a real worker, with a low limit on processor time for the attempt that has to
 * reach it. */
static void run_attempt(const struct config *config, enum program program, const char *name, struct child *out)
{
    struct worker_command command;
    const bool is_about_time = strcmp(name, ATTEMPT_PROCESSOR_TIME) == 0;
    const uint64_t time_ms = is_about_time ? PROCESSOR_TIME_MS : ATTEMPT_TIME_MS;
    make_command(config, program, &command);
    if (is_about_time) {
        char cpu_s[16];
        snprintf(cpu_s, sizeof cpu_s, "%d", SHORT_CPU_S);
        worker_command_add(&command, program == IMPORTER ? "--import-cpu" : "--cpu");
        worker_command_add(&command, cpu_s);
    }
    if (program == IMPORTER) {
        run_forked(&command, name, time_ms, out);
    } else {
        worker_command_add(&command, "--attempt");
        worker_command_add(&command, name);
        const int rc = child_run(command.args, command.env, time_ms, out);
        if (rc != 0)
            out->exit = (struct child_exit){.start_error = rc, .output = out->output};
    }
    worker_command_fini(&command);
}

static void list_attempts(const struct config *config, enum program program, struct child *out)
{
    struct worker_command command;
    make_command(config, program, &command);
    worker_command_add(&command, "--attempt");
    worker_command_add(&command, "list");
    child_run(command.args, command.env, ATTEMPT_TIME_MS, out);
    worker_command_fini(&command);
}

/* Describes a program that did not work as it should. */
#define WORDS(child) child_exit_words(&(child)->exit, (char[LAST_LINE_SIZE]){0})

/* The report's content, to its line's end, or NULL. */
static char *report_of(struct child *child)
{
    char *report = strstr(child->output, SANDBOX_REPORT);
    if (report == NULL)
        return NULL;
    report += strlen(SANDBOX_REPORT);
    report[strcspn(report, "\n")] = '\0';
    return report;
}

static enum program program_count(const struct config *config)
{
    return config->render_workers > 0 ? PROGRAM_COUNT : RENDERER;
}

/* A program that does not start says nothing about the sandbox. Its failure is reported where it is needed, and the
 * other program reports the limits of the machine. Only "require" needs the report of each program. */
int worker_probe_sandbox(struct config *config, struct err *err)
{
    struct buf line;
    bool is_filtered = true, has_capabilities = false;
    int report_count = 0;
    buf_init(&line, 0);
    for (enum program p = IMPORTER; p < program_count(config); p++) {
        struct child child;
        run_attempt(config, p, "report", &child);
        const char *report = report_of(&child);
        report_count += report != NULL;
        is_filtered = is_filtered && (report == NULL || strstr(report, SANDBOX_FILTERED) != NULL);
        has_capabilities = has_capabilities || (report != NULL && strstr(report, SANDBOX_NO_CAPABILITIES) == NULL);
        buf_printf(&line, "%s%s: %s%s", p > 0 ? "; " : "", PROGRAMS[p], report != NULL ? "" : "not known, ",
                   report != NULL ? report : WORDS(&child));
    }
    buf_put_char(&line, '\0');
    if (report_count == 0)
        snprintf(config->sandbox_lack, sizeof config->sandbox_lack,
                 "no worker starts, so that nothing is known of it; %.180s", line.data);
    else if (!is_filtered || has_capabilities)
        snprintf(config->sandbox_lack, sizeof config->sandbox_lack, "workers %s here; %.180s",
                 is_filtered ? "cannot give up all capabilities" : "have no filter on system calls", line.data);
    stats_set(STAT_SANDBOX_ACTIVE, report_count > 0 && is_filtered && !has_capabilities);
    int rc = 0;
    if (config->sandbox == SANDBOX_REQUIRE && has_capabilities)
        rc = err_set(err, ERR_UNAVAILABLE, "--sandbox require, but workers cannot give up all capabilities here; %s",
                     line.data);
    else if (config->sandbox == SANDBOX_REQUIRE && is_filtered && report_count > 0 &&
             report_count < (int)program_count(config))
        rc = err_set(err, ERR_UNAVAILABLE, "--sandbox require, but a worker does not start; %s", line.data);
    else if (config->sandbox == SANDBOX_REQUIRE && (!is_filtered || report_count == 0))
        rc = err_set(err, ERR_UNAVAILABLE, "--sandbox require, but workers have no filter on system calls here; %s",
                     line.data);
    else if (report_count == 0)
        log_warn("sandbox: no worker starts, so that nothing is known of it; %s", line.data);
    else if (!is_filtered)
        log_warn("sandbox: without a filter on system calls, a model file that subverts a worker can do what this user "
                 "can; %s",
                 line.data);
    else if (has_capabilities)
        log_warn("sandbox: workers cannot give up all capabilities here; %s", line.data);
    else if (report_count < (int)program_count(config))
        log_info("sandbox: %s", line.data);
    else
        log_info("sandbox: workers are confined; posed --self-test-sandbox shows how");
    buf_fini(&line);
    return rc;
}

/* --------- the self-test --------- */

static void put_row(struct buf *out, const char *name, const char *what, const char *outcome)
{
    const int width = outcome[0] != '\0' ? 44 : 0;
    buf_printf(out, "  %-20s %-*s %s\n", name, width, what, outcome);
}

/* Tries one call. Returns false when it was possible or its outcome is unknown. */
static bool test_one(const struct config *config, enum program program, const char *name, const char *what,
                     struct buf *out)
{
    struct child child;
    char call[DENIED_SYSCALL_SIZE], outcome[256];
    run_attempt(config, program, name, &child);
    const char *failed = strstr(child.output, SANDBOX_FAILED);
    bool is_refused = true;
    if (child.exit.term_signal == SIGSYS)
        snprintf(outcome, sizeof outcome, "refused: killed for %s", child_exit_denied_syscall(child.output, call));
    else if (failed != NULL)
        snprintf(outcome, sizeof outcome, "refused: %s", failed + strlen(SANDBOX_FAILED));
    else if (child.exit.term_signal == SIGXCPU)
        snprintf(outcome, sizeof outcome, "refused: killed after %d s", SHORT_CPU_S);
    else
        is_refused = false, snprintf(outcome, sizeof outcome, "POSSIBLE (%.200s)", WORDS(&child));
    outcome[strcspn(outcome, "\n")] = '\0';
    put_row(out, name, what, outcome);
    return is_refused;
}

static void put_report(struct buf *out, enum program program, char *report)
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

static bool test_program(const struct config *config, enum program program, struct buf *out)
{
    struct child list, child;
    run_attempt(config, program, "report", &child);
    char *report = report_of(&child);
    if (report == NULL) {
        buf_printf(out, "%s does not work: %s\n", PROGRAMS[program], WORDS(&child));
        return false;
    }
    bool is_good = strstr(report, SANDBOX_FILTERED) != NULL && strstr(report, SANDBOX_NO_CAPABILITIES) != NULL;
    put_report(out, program, report);
    list_attempts(config, program, &list);
    char *rest = NULL;
    for (char *name = strtok_r(list.output, "\n", &rest); name != NULL; name = strtok_r(NULL, "\n", &rest)) {
        char *what = strchr(name, '\t');
        if (what == NULL)
            continue;
        *what++ = '\0';
        is_good = test_one(config, program, name, what, out) && is_good;
    }
    return is_good;
}

bool worker_probe_self_test(const struct config *config, struct buf *out)
{
    bool is_good = true;
    for (enum program p = IMPORTER; p < program_count(config); p++)
        is_good = test_program(config, p, out) && is_good;
    buf_put_text(out, is_good ? "nothing was possible that should not be\n"
                              : "NOT CONFINED: something above is missing or was possible\n");
    return is_good;
}
