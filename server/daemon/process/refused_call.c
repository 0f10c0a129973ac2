#include "daemon/process/refused_call.h"

#include "worker/sandbox_contract.h"

#include <seccomp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CALL_MAX = 1 << 20 };

const char *refused_call(const char *words, char out[REFUSED_CALL_SIZE])
{
    const char *found = NULL;
    for (const char *at = words; (at = strstr(at, SANDBOX_REFUSED)) != NULL; at += strlen(SANDBOX_REFUSED))
        found = at + strlen(SANDBOX_REFUSED);
    const long number = found != NULL ? strtol(found, NULL, 10) : -1;
    if (number < 0 || number > CALL_MAX) {
        snprintf(out, REFUSED_CALL_SIZE, "a call of a foreign kind");
        return out;
    }
    char *name = seccomp_syscall_resolve_num_arch(SCMP_ARCH_NATIVE, (int)number);
    if (name != NULL)
        snprintf(out, REFUSED_CALL_SIZE, "%s()", name);
    else
        snprintf(out, REFUSED_CALL_SIZE, "system call %ld", number);
    free(name);
    return out;
}
