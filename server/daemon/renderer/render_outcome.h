/* render_outcome.h - explains the end of a posed-render process: gives the error of its picture, and a sentence. No
 * loop, no globals; any thread. */
#pragma once

#include "daemon/process/child.h"

#include <stdbool.h>

enum { RENDER_WHY_SIZE = 416 };

struct render_exit {
    struct child_exit child;
    const char *breach; /* its breach of the contract, for which posed killed it ("sent ..."); NULL: none */
    bool is_killed;     /* by posed, for that or any other reason except its time */
};

/* Returns ERR_RENDER_FAILED, ERR_RENDER_MEMORY or ERR_RENDER_SYSCALL. why: "was killed by signal 11 (Segmentation
 * fault)" and the last line of its output, for a sentence that starts with the program's name. */
int render_outcome(const struct render_exit *end, char why[RENDER_WHY_SIZE]);
