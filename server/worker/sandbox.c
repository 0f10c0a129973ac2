#include "worker/sandbox.h"

#include "base/version.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

static const char YES[] = "yes";
/* Sanitizers open files, start threads and trace the process to find leaks. */
static const char *const OFF =
    POSED_SANITIZED ? "this build has sanitizers, which need what it takes away" : "switched off";

static void note(char out[96], const char *why_not) { snprintf(out, 96, "%s", why_not == NULL ? YES : why_not); }

bool sandbox_mode_read(const char *word, enum sandbox_mode *out)
{
    static const char *const words[] = SANDBOX_MODE_WORDS;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strcmp(words[i], word) == 0) {
            *out = (enum sandbox_mode)i;
            return true;
        }
    return false;
}

static int write_file(const char *path, const char *text)
{
    const int fd = open(path, O_WRONLY | O_CLOEXEC);
    if (fd < 0)
        return -1;
    const ssize_t length = (ssize_t)strlen(text);
    const int rc = write(fd, text, (size_t)length) == length ? 0 : -1;
    close(fd);
    return rc;
}

/* The user keeps its number inside: the driver finds its shader cache by it. user_namespaces(7) has the order. */
static int map_user(uid_t user, gid_t group)
{
    char line[48];
    snprintf(line, sizeof line, "%u %u 1\n", user, user);
    if (write_file("/proc/self/uid_map", line) != 0 || write_file("/proc/self/setgroups", "deny\n") != 0)
        return -1;
    snprintf(line, sizeof line, "%u %u 1\n", group, group);
    return write_file("/proc/self/gid_map", line);
}

/* Root needs no user namespace for the others, and could not become nobody in one of its own. */
static const char *enter_namespaces(bool is_leaving_root)
{
    const uid_t user = geteuid();
    const gid_t group = getegid();
    if (unshare(CLONE_NEWNET | CLONE_NEWIPC | (is_leaving_root ? 0 : CLONE_NEWUSER)) != 0)
        return strerror(errno);
    if (!is_leaving_root && map_user(user, group) != 0)
        return "half made: the driver may not find its shader cache";
    return NULL;
}

void sandbox_isolate(struct sandbox *sandbox)
{
    const bool is_off = sandbox->mode == SANDBOX_OFF || POSED_SANITIZED;
    privileges_prepare(&sandbox->privileges, is_off);
    if (is_off)
        note(sandbox->namespaces, OFF);
    else if (sandbox->program == SANDBOX_IMPORT)
        note(sandbox->namespaces, "not used"); /* half a millisecond, and there is no socket() anyway */
    else
        note(sandbox->namespaces, enter_namespaces(sandbox->privileges.is_leaving_root));
    privileges_drop();
}

/* Threads are processes to this limit. It does not bind root, and the filter stands before it. */
static void make_no_more_processes(void)
{
    const struct rlimit none = {0, 0};
    setrlimit(RLIMIT_NPROC, &none);
}

int sandbox_enter(struct sandbox *sandbox, struct err *err)
{
    int abi = 0;
    const bool is_off = sandbox->mode == SANDBOX_OFF || POSED_SANITIZED;
    privileges_leave_root(&sandbox->privileges);
    const bool has_none = privileges_read(&sandbox->privileges);
    if (!is_off)
        make_no_more_processes();
    const char *why_not = is_off ? OFF : sandbox_landlock(&abi);
    note(sandbox->landlock, why_not);
    if (why_not == NULL)
        snprintf(sandbox->landlock, sizeof sandbox->landlock, "ABI %d", abi);
    why_not = is_off ? OFF : sandbox_filter(sandbox->program);
    note(sandbox->filter, why_not);
    if (sandbox->mode == SANDBOX_REQUIRE && why_not != NULL)
        return err_set(err, ERR_UNAVAILABLE, "no filter on system calls: %s; --sandbox try works without", why_not);
    if (sandbox->mode == SANDBOX_REQUIRE && !has_none)
        return err_set(err, ERR_UNAVAILABLE, "capabilities are left: %s; --sandbox try works with them",
                       sandbox->privileges.capabilities);
    return 0;
}

void sandbox_report(const struct sandbox *sandbox, const char *limits)
{
    const bool is_filtered = strcmp(sandbox->filter, YES) == 0;
    fprintf(stderr, SANDBOX_REPORT "%s%s; Landlock=%s; namespaces=%s; capabilities=%s; user=%s; %s\n",
            is_filtered ? SANDBOX_FILTERED : "system calls=unfiltered, ", is_filtered ? "" : sandbox->filter,
            sandbox->landlock, sandbox->namespaces, sandbox->privileges.capabilities, sandbox->privileges.user, limits);
}
