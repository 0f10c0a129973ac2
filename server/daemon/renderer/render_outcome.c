#include "daemon/renderer/render_outcome.h"

#include "base/err.h"
#include "base/utf8.h"
#include "daemon/process/denied_syscall.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>

/* The last line that is not empty, made printable. */
static const char *last_line(char *words)
{
    size_t end = strlen(words);
    while (end > 0 && (unsigned char)words[end - 1] <= ' ')
        end--;
    size_t start = end;
    while (start > 0 && words[start - 1] != '\n')
        start--;
    words[end] = '\0';
    for (size_t i = start; i < end; i++)
        if ((unsigned char)words[i] < ' ')
            words[i] = '?';
    utf8_repair(words + start, end - start);
    return words + start;
}

static void say_why(const struct render_exit *end, char out[RENDER_WHY_SIZE])
{
    const char *line = last_line(end->words);
    char what[128], call[DENIED_SYSCALL_SIZE];
    if (end->breach != NULL)
        snprintf(what, sizeof what, "%s and was killed", end->breach);
    else if (end->term_signal == SIGSYS)
        snprintf(what, sizeof what, "was stopped at %s, which no renderer may do", denied_syscall(line, call));
    else if (end->term_signal != 0)
        snprintf(what, sizeof what, "was killed by signal %d (%s)", end->term_signal, strsignal(end->term_signal));
    else
        snprintf(what, sizeof what, "ended with status %lld", (long long)end->exit_status);
    snprintf(out, RENDER_WHY_SIZE, "%s%s%.280s", what, line[0] != '\0' ? ": " : "", line);
}

/* What the driver says when there is no memory: C++'s exception or LLVM's own words. */
static bool is_out_of_memory(const char *words)
{
    return strstr(words, "std::bad_alloc") != NULL || strstr(words, "ut of memory") != NULL;
}

int render_outcome(const struct render_exit *end, char why[RENDER_WHY_SIZE])
{
    say_why(end, why);
    if (end->breach != NULL || end->is_killed)
        return ERR_RENDER_FAILED;
    switch (end->term_signal) {
    case SIGSYS:
        return ERR_RENDER_SYSCALL;
    case SIGKILL: /* by the kernel, most likely: workers are the first to go when memory ends */
        return ERR_RENDER_MEMORY;
    case SIGABRT:
        return is_out_of_memory(end->words) ? ERR_RENDER_MEMORY : ERR_RENDER_FAILED;
    default:
        return ERR_RENDER_FAILED;
    }
}
