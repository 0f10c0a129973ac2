#include "daemon/process/child_exit.h"

#include "base/utf8.h"
#include "worker/sandbox_contract.h"

#include <seccomp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SYSCALL_MAX = 1 << 20 };

const char *child_exit_last_line(const char *words, char out[LAST_LINE_SIZE])
{
    size_t end = strlen(words);
    while (end > 0 && (unsigned char)words[end - 1] <= ' ')
        end--;
    size_t start = end;
    while (start > 0 && words[start - 1] != '\n')
        start--;
    snprintf(out, LAST_LINE_SIZE, "%.*s", (int)(end - start), words + start);
    for (char *c = out; *c != '\0'; c++)
        if ((unsigned char)*c < ' ')
            *c = '?';
    utf8_repair(out, strlen(out));
    return out;
}

const char *child_exit_denied_syscall(const char *words, char out[DENIED_SYSCALL_SIZE])
{
    const char *found = NULL;
    for (const char *at = words; (at = strstr(at, SANDBOX_REFUSED)) != NULL; at += strlen(SANDBOX_REFUSED))
        found = at + strlen(SANDBOX_REFUSED);
    const long number = found != NULL ? strtol(found, NULL, 10) : -1;
    if (number < 0 || number > SYSCALL_MAX) {
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
