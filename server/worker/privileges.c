/* privileges.c - drops capabilities and leaves root. */
#include "worker/privileges.h"

#include <errno.h>
#include <grp.h>
#include <inttypes.h>
#include <linux/capability.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { NOBODY = 65534 }; /* in a user namespace without it, setresuid() fails */

#define BIT(capability) (UINT64_C(1) << (capability))

static uint64_t both_halves(uint32_t low, uint32_t high) { return low | (uint64_t)high << 32; }

/* *effective may be NULL. Returns the capabilities that the thread can use on its own. */
static uint64_t read_held(uint64_t *effective)
{
    struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3};
    struct __user_cap_data_struct data[_LINUX_CAPABILITY_U32S_3] = {{0}, {0}};
    if (effective != NULL)
        *effective = 0;
    if (syscall(SYS_capget, &header, data) != 0)
        return UINT64_MAX; /* unknown */
    if (effective != NULL)
        *effective = both_halves(data[0].effective, data[1].effective);
    return both_halves(data[0].effective | data[0].permitted | data[0].inheritable,
                       data[1].effective | data[1].permitted | data[1].inheritable);
}

/* Ambient capabilities are inheritable as well. prctl() refuses the first number that the kernel does not know. */
static uint64_t read_bounding(void)
{
    uint64_t set = 0;
    for (unsigned c = 0; c < 64; c++) {
        const int is_in = prctl(PR_CAPBSET_READ, c, 0, 0, 0);
        if (is_in < 0)
            break;
        set |= is_in > 0 ? BIT(c) : 0;
    }
    return set;
}

static int save_nobody(void)
{
    static const uint64_t needed = BIT(CAP_SETUID) | BIT(CAP_SETGID) | BIT(CAP_KILL);
    uint64_t effective;
    read_held(&effective);
    if ((effective & needed) != needed)
        return EPERM;
    const uid_t same_user = (uid_t)-1;
    const gid_t same_group = (gid_t)-1;
    if (setresuid(same_user, same_user, NOBODY) != 0)
        return errno;
    return setresgid(same_group, same_group, NOBODY) != 0 || setgroups(0, NULL) != 0 ? errno : 0;
}

void privileges_prepare(struct privileges *privileges, bool has_to_stay)
{
    *privileges = (struct privileges){.parent = getppid(), .own = geteuid()};
    if (privileges->own != 0 || has_to_stay)
        return;
    privileges->user_error = save_nobody();
    privileges->is_leaving_root = privileges->user_error == 0;
}

void privileges_drop(void)
{
    struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3};
    const struct __user_cap_data_struct none[_LINUX_CAPABILITY_U32S_3] = {{0}, {0}};
    prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0);
    for (unsigned c = 0; prctl(PR_CAPBSET_DROP, c, 0, 0, 0) == 0; c++)
        continue;
    syscall(SYS_capset, &header, none);
}

/* The kernel clears the parent-death signal when the user changes (prctl(2)). */
static void die_with(pid_t parent)
{
    prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
    if (getppid() != parent)
        _exit(1);
}

void privileges_leave_root(struct privileges *privileges)
{
    if (!privileges->is_leaving_root)
        return;
    if (setresgid(NOBODY, NOBODY, NOBODY) != 0 || setresuid(NOBODY, NOBODY, NOBODY) != 0)
        privileges->user_error = errno;
    die_with(privileges->parent);
}

bool privileges_read(struct privileges *privileges)
{
    char *const text = privileges->capabilities;
    const size_t size = sizeof privileges->capabilities;
    const uint64_t held = read_held(NULL), bounding = read_bounding();
    /* without privileges a process cannot reduce the bounding set, but cannot use what is in it either */
    const bool can_get_more = bounding != 0 && prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) != 1;
    if (held != 0 || can_get_more)
        snprintf(text, size, "%016" PRIx64 " and a bounding set of %016" PRIx64, held, bounding);
    else
        snprintf(text, size, "none%s", bounding != 0 ? ", and no way to what the bounding set has" : "");
    const int user_error = privileges->user_error;
    const bool has_left = privileges->is_leaving_root && user_error == 0;
    snprintf(privileges->user, sizeof privileges->user, "%u%s%s%s", has_left ? geteuid() : privileges->own,
             user_error != 0 ? " (" : "", user_error != 0 ? strerror(user_error) : "", user_error != 0 ? ")" : "");
    return held == 0 && !can_get_more;
}
