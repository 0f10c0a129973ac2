/* notes.h - what the server notes about pairs and counts as no difference, grouped over models. One thread. */
#pragma once

#include "clients/cli/diff_report/changes.h"

struct note_group {
    const char *kind, *message; /* borrowed from an answer */
    struct change_group models; /* without a change */
};

struct notes {
    struct note_group *groups; /* [count] */
    size_t count;
};

/* The notes borrow from the answers of the pairs. The caller calls notes_free(). */
void notes_find(const struct diff *diff, struct notes *out);
void notes_free(struct notes *notes);
/* Puts "a.glb and b.glb: 15 joints are bound in another pose", not escaped; without models if the report is about one.
 */
void notes_put(struct text *out, const struct diff *diff, const struct note_group *group);
