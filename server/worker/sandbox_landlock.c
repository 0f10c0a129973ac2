/* Landlock by its system calls: Debian 12's C library has no functions for them, its kernel headers not all rights.
 * Source of the numbers: Documentation/userspace-api/landlock.rst and include/uapi/linux/landlock.h of Linux 6.12. */
#include "worker/sandbox.h"

#include <errno.h>
#include <linux/landlock.h>
#include <stdint.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

enum {
    ABI_NET = 4,
    ABI_SCOPE = 6,
};

/* As linux/landlock.h has it today; a kernel is given as much of it as it knows. */
struct ruleset {
    uint64_t handled_fs, handled_net, scoped;
};

/* Every right of an ABI: nothing is allowed afterwards, for there are no rules. */
static struct ruleset everything(int abi, size_t *size_bytes)
{
    static const int fs_rights[] = {0, 13, 14, 15, 15, 16}; /* by ABI; the last holds for later ones */
    const int count = abi < 5 ? fs_rights[abi] : fs_rights[5];
    struct ruleset ruleset = {.handled_fs = (UINT64_C(1) << count) - 1};
    *size_bytes = sizeof ruleset.handled_fs;
    if (abi >= ABI_NET) {
        ruleset.handled_net = 3; /* bind and connect of TCP */
        *size_bytes += sizeof ruleset.handled_net;
    }
    if (abi >= ABI_SCOPE) {
        ruleset.scoped = 3; /* abstract sockets and signals */
        *size_bytes += sizeof ruleset.scoped;
    }
    return ruleset;
}

const char *sandbox_landlock(int *abi)
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
