/* render_outcome.h - explains how a posed-render process ended: the error of the picture it was drawing, and a
 * sentence. No loop, no globals; any thread. */
#pragma once

#include "daemon/process/child.h"

#include <stdbool.h>

enum { RENDER_WHY_SIZE = 416 };

struct render_exit {
    struct child_exit child;
    const char *breach; /* what it did against the contract, for which posed killed it ("sent ..."); NULL: nothing */
    bool is_killed;     /* by posed, for that or another reason than its time */
};

/* Returns ERR_RENDER_FAILED, ERR_RENDER_MEMORY or ERR_RENDER_SYSCALL. why: "was killed by signal 11 (Segmentation
 * fault)" and the last line of its words, for a sentence that starts with the program's name. */
int render_outcome(const struct render_exit *end, char why[RENDER_WHY_SIZE]);
