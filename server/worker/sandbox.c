#include "sandbox.h"

#include "../base/version.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
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

/* A new user namespace comes with every capability inside it: none of them is wanted. */
static int drop_capabilities(void)
{
    struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3};
    const struct __user_cap_data_struct none[_LINUX_CAPABILITY_U32S_3] = {{0}, {0}};
    return (int)syscall(SYS_capset, &header, none);
}

void sandbox_isolate(struct sandbox *sandbox)
{
    const uid_t user = geteuid();
    const gid_t group = getegid();
    const char *why_not = NULL;
    if (sandbox->mode == SANDBOX_OFF || POSED_SANITIZED)
        why_not = OFF;
    else if (unshare(CLONE_NEWUSER | CLONE_NEWNET | CLONE_NEWIPC) != 0)
        why_not = strerror(errno);
    else if (map_user(user, group) != 0 || drop_capabilities() != 0)
        why_not = "half made: the driver may not find its shader cache";
    note(sandbox->namespaces, why_not);
}

int sandbox_enter(struct sandbox *sandbox, struct err *err)
{
    int abi = 0;
    if (sandbox->namespaces[0] == '\0')
        note(sandbox->namespaces, "not used"); /* half a millisecond, and there is no socket() anyway */
    const bool is_off = sandbox->mode == SANDBOX_OFF || POSED_SANITIZED;
    const char *why_not = is_off ? OFF : sandbox_landlock(&abi);
    note(sandbox->landlock, why_not);
    if (why_not == NULL)
        snprintf(sandbox->landlock, sizeof sandbox->landlock, "ABI %d", abi);
    why_not = is_off ? OFF : sandbox_filter(sandbox->program);
    note(sandbox->filter, why_not);
    if (why_not != NULL && sandbox->mode == SANDBOX_REQUIRE)
        return err_set(err, ERR_UNAVAILABLE, "no filter on system calls: %s; --sandbox try works without", why_not);
    return 0;
}

void sandbox_report(const struct sandbox *sandbox, const char *limits)
{
    const bool is_filtered = strcmp(sandbox->filter, YES) == 0;
    fprintf(stderr, SANDBOX_REPORT "%s%s; Landlock=%s; namespaces=%s; %s\n",
            is_filtered ? SANDBOX_FILTERED : "system calls=unfiltered, ", is_filtered ? "" : sandbox->filter,
            sandbox->landlock, sandbox->namespaces, limits);
}
