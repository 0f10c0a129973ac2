/* stand_in.h - the test program acts as a worker. Under the name posed-import (as a fork server) or posed-render it
 * does what the job says instead of running tests. */
#pragma once

#include "tests/unit/support/temp_tree.h"

/* A process of the posed-import stand-in adds the model's path to the file `log`, and obeys the word at its beginning:
 *   good    hands over the model in the file `result`
 *   wait    does the same as soon as there is a file `go`
 *   refuse  exits with 1 and without a result
 *   hang    stays
 *   crash   ends by SIGSEGV
 *   family  has a child, whose process id it writes into the file `child`, and stays
 * The fork server adds a line to the file `servers` when it starts. If there is a file `deaf`, it answers nothing. If
 * there is a file `asleep`, `stopped` or `dying`, it removes the file, and answers nothing, stops itself or ends at the
 * next request. If there is a file `poor`, it answers that there are too many processes.
 *
 * A process of the posed-render stand-in adds the width of the picture to `log`, too, and obeys it: */
enum stand_in_width {
    STAND_IN_DRAW = 8,
    STAND_IN_WAIT,  /* draws as soon as there is a file `go` */
    STAND_IN_EMPTY, /* ERR_NOTHING_TO_DRAW */
    STAND_IN_WRONG, /* draws another size */
    STAND_IN_DIE,   /* by SIGABRT, after "last words" */
    STAND_IN_HANG,
    STAND_IN_HANG_ONCE, /* draws if there is a file `hung`; else makes it and hangs */
    STAND_IN_COMPUTE,   /* computes forever */
    STAND_IN_LEAVE,     /* closes its socket and stays */
};
/* If there is a file `broken`, a renderer exits with 7 instead of becoming ready. */

/* Puts both programs and a small model as `result` into the tree, which then serves as a --worker-dir. */
void stand_in_install(const struct temp_tree *tree);
