#include "daemon/process/denied_syscall.h"

#include "worker/sandbox_contract.h"

#include <seccomp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CALL_MAX = 1 << 20 };

const char *denied_syscall(const char *words, char out[DENIED_SYSCALL_SIZE])
{
    const char *found = NULL;
    for (const char *at = words; (at = strstr(at, SANDBOX_REFUSED)) != NULL; at += strlen(SANDBOX_REFUSED))
        found = at + strlen(SANDBOX_REFUSED);
    const long number = found != NULL ? strtol(found, NULL, 10) : -1;
    if (number < 0 || number > CALL_MAX) {
        snprintf(out, DENIED_SYSCALL_SIZE, "a call of a foreign kind");
        return out;
    }
    char *name = seccomp_syscall_resolve_num_arch(SCMP_ARCH_NATIVE, (int)number);
    if (name != NULL)
        snprintf(out, DENIED_SYSCALL_SIZE, "%s()", name);
    else
        snprintf(out, DENIED_SYSCALL_SIZE, "system call %ld", number);
    free(name);
    return out;
}
