/* sandbox.c - namespaces, Landlock and the order of all steps; the filter on system calls is in sandbox_filter.c. */
#include "worker/sandbox.h"

#include "base/version.h"
#include "worker/resource_limits.h"

#include <errno.h>
#include <linux/landlock.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

static const char YES[] = "yes";
/* Sanitizers open files, start threads and trace the process to find leaks. */
static const char *const OFF =
    POSED_SANITIZED ? "this build has sanitizers, which need what it takes away" : "switched off";

static bool is_off(const struct sandbox *sandbox) { return sandbox->mode == SANDBOX_OFF || POSED_SANITIZED; }

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

/* The user keeps its id inside, because the driver finds its shader cache by it. user_namespaces(7) has the order. */
static int map_user(uid_t user, gid_t group)
{
    char line[48];
    snprintf(line, sizeof line, "%u %u 1\n", user, user);
    if (!proc_write("/proc/self/uid_map", line) || !proc_write("/proc/self/setgroups", "deny\n"))
        return -1;
    snprintf(line, sizeof line, "%u %u 1\n", group, group);
    return proc_write("/proc/self/gid_map", line) ? 0 : -1;
}

/* Root needs no user namespace to make the others, and could not become nobody in one of its own. */
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
    privileges_prepare(&sandbox->privileges, is_off(sandbox));
    if (is_off(sandbox))
        note(sandbox->namespaces, OFF);
    else if (sandbox->program == SANDBOX_IMPORT)
        note(sandbox->namespaces, "not used"); /* it takes half a millisecond, and there is no socket() anyway */
    else
        note(sandbox->namespaces, enter_namespaces(sandbox->privileges.is_leaving_root));
    privileges_drop();
}

/* This limit counts threads as processes. It does not bind root, but the filter comes first. */
static void make_no_more_processes(void)
{
    const struct rlimit none = {0, 0};
    setrlimit(RLIMIT_NPROC, &none);
}

/* --- Landlock by its system calls: Debian 12's C library has no functions for them, and its kernel headers lack some
 * rights. The numbers come from Documentation/userspace-api/landlock.rst and include/uapi/linux/landlock.h of Linux
 * 6.12. --- */

enum { ABI_NET = 4, ABI_SCOPE = 6 };

/* The struct of the current linux/landlock.h. A kernel gets as much of it as it knows. */
struct ruleset {
    uint64_t handled_fs, handled_net, scoped;
};

/* Handles every right of an ABI. As there are no rules, nothing is allowed afterwards. */
static struct ruleset everything(int abi, size_t *size_bytes)
{
    static const int fs_rights[] = {0, 13, 14, 15, 15, 16}; /* by ABI; the last one applies to later ABIs */
    const int count = abi < 5 ? fs_rights[abi] : fs_rights[5];
    struct ruleset ruleset = {.handled_fs = (UINT64_C(1) << count) - 1};
    *size_bytes = sizeof ruleset.handled_fs;
    if (abi >= ABI_NET) {
        ruleset.handled_net = 3; /* TCP bind and connect */
        *size_bytes += sizeof ruleset.handled_net;
    }
    if (abi >= ABI_SCOPE) {
        ruleset.scoped = 3; /* abstract sockets and signals */
        *size_bytes += sizeof ruleset.scoped;
    }
    return ruleset;
}

/* Returns NULL, or why it failed. */
static const char *enter_landlock(int *abi)
{
    const long found = syscall(SYS_landlock_create_ruleset, NULL, 0, LANDLOCK_CREATE_RULESET_VERSION);
    *abi = (int)found;
    if (found < 1) {
        *abi = 0;
        return errno == ENOSYS ? "not in this kernel" : errno == EOPNOTSUPP ? "not switched on" : strerror(errno);
    }
    size_t size_bytes;
    const struct ruleset ruleset = everything(*abi, &size_bytes);
    const int fd = (int)syscall(SYS_landlock_create_ruleset, &ruleset, size_bytes, 0);
    if (fd < 0)
        return strerror(errno);
    const long rc = syscall(SYS_landlock_restrict_self, fd, 0);
    const int error = errno;
    close(fd);
    return rc == 0 ? NULL : strerror(error);
}

/* Drops rights and files before child processes inherit them. */
static void give_up_rights_and_files(struct sandbox *sandbox)
{
    int abi = 0;
    privileges_leave_root(&sandbox->privileges);
    sandbox->has_no_capability = privileges_read(&sandbox->privileges);
    const char *why_not = is_off(sandbox) ? OFF : enter_landlock(&abi);
    note(sandbox->landlock, why_not);
    if (why_not == NULL)
        snprintf(sandbox->landlock, sizeof sandbox->landlock, "ABI %d", abi);
}

void sandbox_settle(struct sandbox *sandbox)
{
    give_up_rights_and_files(sandbox);
    sandbox->is_settled = true;
    if (!is_off(sandbox))
        sandbox_filter(SANDBOX_FORKS); /* where the machine refuses it, sandbox_enter() finds and reports it */
}

int sandbox_enter(struct sandbox *sandbox, struct err *err)
{
    if (!sandbox->is_settled)
        give_up_rights_and_files(sandbox);
    if (!is_off(sandbox))
        make_no_more_processes();
    const char *why_not = is_off(sandbox) ? OFF : sandbox_filter(sandbox->program);
    note(sandbox->filter, why_not);
    if (sandbox->mode == SANDBOX_REQUIRE && why_not != NULL)
        return err_set(err, ERR_UNAVAILABLE, "no filter on system calls: %s; --sandbox try works without", why_not);
    if (sandbox->mode == SANDBOX_REQUIRE && !sandbox->has_no_capability)
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
