/* stand_in.h - this very test program in the place of a worker: started under the name posed-import, as a fork server,
 * or posed-render, it does what the job says instead of running tests. */
#pragma once

#include "tests/unit/support/temp_tree.h"

/* What a process that a stand-in of posed-import makes does for a path that begins with the word; it adds the path to
 * the file `log`: good    hands over the model in the file `result` wait    the same as soon as there is a file `go`
 *   refuse  exits with 1 and without a result
 *   hang    stays
 *   crash   ends by SIGSEGV
 *   family  has a child, whose number it writes into the file `child`, and stays
 * The fork server adds a line to the file `servers` when it starts. With a file `deaf` it answers nothing; with one
 * `asleep`, `stopped` or `dying`, which it takes away, it answers nothing, stops itself or ends when it is asked; with
 * one `poor` it says that there are too many processes,
 * and what one of posed-render does for a picture of this width, which it adds to the log too. */
enum stand_in_width {
    STAND_IN_DRAW = 8,
    STAND_IN_WAIT,  /* draws as soon as there is a file `go` */
    STAND_IN_EMPTY, /* ERR_NOTHING_TO_DRAW */
    STAND_IN_WRONG, /* draws another size */
    STAND_IN_DIE,   /* by SIGABRT, after "last words" */
    STAND_IN_HANG,
    STAND_IN_HANG_ONCE, /* draws where there is a file `hung`, which it makes */
    STAND_IN_COMPUTE,   /* for ever */
    STAND_IN_LEAVE,     /* closes its socket and stays */
};
/* With a file `broken` a renderer exits with 7 instead of being ready. */

/* Puts both programs and a small model as `result` into the tree, which is then a --worker-dir. */
void stand_in_install(const struct temp_tree *tree);
