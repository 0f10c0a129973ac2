#include "sandbox.h"

#include <errno.h>
#include <linux/capability.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

static void note(char out[96], const char *why_not) { snprintf(out, 96, "%s", why_not == NULL ? "yes" : why_not); }

bool sandbox_mode_read(const char *word, enum sandbox_mode *out)
{
    static const char *const words[] = {[SANDBOX_REQUIRE] = "require", [SANDBOX_TRY] = "try", [SANDBOX_OFF] = "off"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strcmp(words[i], word) == 0) {
            *out = (enum sandbox_mode)i;
            return true;
        }
    return false;
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
    if (sandbox->mode == SANDBOX_OFF)
        note(sandbox->namespaces, "switched off");
    else if (unshare(CLONE_NEWUSER | CLONE_NEWNET | CLONE_NEWIPC) != 0 || drop_capabilities() != 0)
        note(sandbox->namespaces, strerror(errno));
    else
        note(sandbox->namespaces, NULL);
}

int sandbox_enter(struct sandbox *sandbox, struct err *err)
{
    int abi = 0;
    if (sandbox->namespaces[0] == '\0')
        note(sandbox->namespaces, "not used"); /* they take longer than most imports, and there is no socket() */
    if (sandbox->mode == SANDBOX_OFF) {
        note(sandbox->filter, "switched off");
        note(sandbox->landlock, "switched off");
        return 0;
    }
    const char *why_not = sandbox_landlock(&abi);
    note(sandbox->landlock, why_not);
    if (why_not == NULL)
        snprintf(sandbox->landlock, sizeof sandbox->landlock, "ABI %d", abi);
    why_not = sandbox_filter(sandbox->program);
    note(sandbox->filter, why_not);
    if (why_not != NULL && sandbox->mode == SANDBOX_REQUIRE)
        return err_set(err, ERR_UNAVAILABLE, "no filter on system calls: %s; --sandbox try works without", why_not);
    return 0;
}

void sandbox_report(const struct sandbox *sandbox)
{
    fprintf(stderr, SANDBOX_REPORT "system call filter=%s; Landlock=%s; namespaces=%s\n", sandbox->filter,
            sandbox->landlock, sandbox->namespaces);
}
