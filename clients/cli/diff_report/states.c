/* Names and counts the states of pairs. */
#include "clients/cli/diff_report/diff_report.h"

#include <string.h>

const char *diff_state_name(enum diff_state state)
{
    static const char *const NAMES[] = {[DIFF_EQUAL] = "equal",
                                        [DIFF_DIFFERENT] = "different",
                                        [DIFF_ADDED] = "added",
                                        [DIFF_REMOVED] = "removed",
                                        [DIFF_FAILED] = "failed"};
    return NAMES[state];
}

void diff_count(const struct diff *diff, size_t counts[DIFF_STATES], size_t *skipped)
{
    memset(counts, 0, DIFF_STATES * sizeof *counts);
    *skipped = 0;
    for (size_t i = 0; i < diff->count; i++) {
        if (diff->pairs[i].is_done)
            counts[diff->pairs[i].state]++;
        else
            ++*skipped;
    }
}
