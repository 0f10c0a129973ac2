#include "daemon/renderer/render_outcome.h"

#include "base/err.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>

static void say_why(const struct render_exit *end, char out[RENDER_WHY_SIZE])
{
    char what[128], call[DENIED_SYSCALL_SIZE], line[LAST_LINE_SIZE];
    child_exit_last_line(end->child.output, line);
    if (end->breach != NULL)
        snprintf(what, sizeof what, "%s and was killed", end->breach);
    else if (end->child.is_timeout)
        snprintf(what, sizeof what, "took too long and was killed");
    else if (end->is_killed)
        snprintf(what, sizeof what, "was ended by the server");
    else if (end->child.term_signal == SIGXCPU)
        snprintf(what, sizeof what, "used up the processor time of its life");
    else if (end->child.term_signal == SIGSYS)
        snprintf(what, sizeof what, "was stopped at %s, which no renderer may do",
                 child_exit_denied_syscall(end->child.output, call));
    else if (end->child.term_signal != 0)
        snprintf(what, sizeof what, "was killed by signal %d (%s)", end->child.term_signal,
                 strsignal(end->child.term_signal));
    else
        snprintf(what, sizeof what, "ended with status %lld", (long long)end->child.status);
    snprintf(out, RENDER_WHY_SIZE, "%s%s%.280s", what, line[0] != '\0' ? ": " : "", line);
}

/* The driver's messages when memory runs out: C++'s exception or LLVM's own message. */
static bool is_out_of_memory(const char *words)
{
    return strstr(words, "std::bad_alloc") != NULL || strstr(words, "ut of memory") != NULL;
}

int render_outcome(const struct render_exit *end, char why[RENDER_WHY_SIZE])
{
    say_why(end, why);
    if (end->breach != NULL || end->is_killed || end->child.is_timeout)
        return ERR_RENDER_FAILED;
    switch (end->child.term_signal) {
    case SIGSYS:
        return ERR_RENDER_SYSCALL;
    case SIGKILL: /* by the kernel, most likely: workers are the first to go when memory ends */
        return ERR_RENDER_MEMORY;
    case SIGABRT:
        return is_out_of_memory(end->child.output) ? ERR_RENDER_MEMORY : ERR_RENDER_FAILED;
    default:
        return ERR_RENDER_FAILED;
    }
}
