/* changes.h - the differences of all pairs, grouped: over the joints of a clip, over many things of one
 * kind, and over models. One thread. */
#pragma once

#include "clients/cli/diff_report/diff_report.h"
#include "clients/cli/diff_report/areas.h"

enum { CHANGE_WORST = 3 };

/* Differences of one pair that are told as one: the joints of a clip, many of one kind, or a single difference. */
struct change {
    enum area area;
    int rank;                         /* area_rank() of its kind */
    size_t pair;                      /* index in diff->pairs */
    size_t group;                     /* index in changes.groups */
    size_t count;                     /* of differences */
    const cJSON *worst[CHANGE_WORST]; /* the first of them; borrowed from the pair's answer */
    char *text;                       /* for people, not escaped yet */
};

/* Pairs with the same change. */
struct change_group {
    const struct change *change; /* of its first pair */
    size_t *pairs;               /* [pair_count], indices in diff->pairs */
    size_t pair_count;
};

struct changes {
    struct change *items; /* [count], by pair and area */
    size_t count;
    size_t *pair_firsts;         /* [diff->count + 1]: the changes of pair i are items[pair_firsts[i]] and following */
    struct change_group *groups; /* [group_count], in the order of reports */
    size_t group_count;
};

/* The changes borrow from the answers of the pairs. The caller calls changes_free(). */
void changes_find(const struct diff *diff, struct changes *out);
void changes_free(struct changes *changes);
/* Returns the share of the model's size by which the change moves something; -1: it is no such change. */
double change_share(const struct change *change);
const char *change_kind(const struct change *change);
/* Puts "a.glb, b.glb, c.glb and 9 more". Not escaped. */
void changes_put_models(struct text *out, const struct diff *diff, const struct change_group *group);
