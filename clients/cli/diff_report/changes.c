/* Groups differences. */
#include "clients/cli/diff_report/changes.h"

#include "clients/cli/diff_report/sentences.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MODELS_SHOWN = 5 };

double change_share(const struct change *change)
{
    const double share = member_number(change->worst[0], "share");
    return isfinite(share) ? share : -1;
}

const char *change_kind(const struct change *change) { return member_text(change->worst[0], "kind"); }

/* --- over joints --- */

/* Returns whether both are in the same clip, or both at rest. */
static bool is_of_clip(const struct change *change, const cJSON *difference)
{
    const cJSON *clips[] = {json_get(json_get(change->worst[0], "subject"), "clips"),
                            json_get(json_get(difference, "subject"), "clips")};
    return sentence_is_shift(change->worst[0]) && change->area == area_of(difference) &&
           change->rank == area_rank(member_text(difference, "kind")) &&
           (clips[0] == clips[1] || cJSON_Compare(clips[0], clips[1], true));
}

/* --- over things of one kind --- */

/* Returns whether many differences of the kind in a model are told as one. */
static bool is_listed(const char *kind)
{
    static const char *const LISTED[] = {"joint_added", "joint_removed", "joint_renamed", "joint_reparented",
                                         "weights",     "clip_added",    "clip_removed",  "clip_renamed",
                                         "clip_length", "clip_range"};
    bool is_found = false;
    for (size_t i = 0; i < sizeof LISTED / sizeof *LISTED; i++)
        is_found = is_found || strcmp(kind, LISTED[i]) == 0;
    return is_found;
}

static size_t count_kind(const cJSON *differences, const char *kind)
{
    const cJSON *difference;
    size_t count = 0;
    cJSON_ArrayForEach(difference, differences) count += strcmp(member_text(difference, "kind"), kind) == 0;
    return count;
}

/* Returns whether a difference belongs to a change. is_long: there are more of its kind than a change shows. */
static bool belongs_to(const struct change *change, const cJSON *difference, bool is_long)
{
    if (sentence_is_shift(difference))
        return is_of_clip(change, difference);
    return is_long && change->area == area_of(difference) &&
           strcmp(change_kind(change), member_text(difference, "kind")) == 0;
}

/* Returns whether a pair has a change that says the same, as of another primitive of a mesh. */
static bool is_said(const struct changes *changes, size_t pair, const cJSON *difference)
{
    bool is_found = false;
    for (size_t i = changes->pair_firsts[pair]; i < changes->count && !is_found; i++) {
        const cJSON *first = changes->items[i].worst[0];
        is_found = strcmp(member_text(first, "kind"), member_text(difference, "kind")) == 0 &&
                   strcmp(member_text(first, "message"), member_text(difference, "message")) == 0;
    }
    return is_found;
}

/* Adds a difference to the change of its clip or kind, or begins a change. */
static void add(struct changes *changes, size_t pair, const cJSON *differences, const cJSON *difference)
{
    const char *kind = member_text(difference, "kind");
    const bool is_long = is_listed(kind) && count_kind(differences, kind) > CHANGE_WORST;
    if (!sentence_is_shift(difference) && is_said(changes, pair, difference))
        return;
    for (size_t i = changes->pair_firsts[pair]; i < changes->count; i++) {
        struct change *change = &changes->items[i];
        if (!belongs_to(change, difference, is_long))
            continue;
        if (change->count < CHANGE_WORST)
            change->worst[change->count] = difference;
        change->count++;
        return;
    }
    changes->items = must_grow(changes->items, (changes->count + 1) * sizeof *changes->items);
    changes->items[changes->count++] = (struct change){.area = area_of(difference),
                                                       .rank = area_rank(member_text(difference, "kind")),
                                                       .pair = pair,
                                                       .count = 1,
                                                       .worst = {difference}};
}

static char *text_of(const struct diff *diff, const struct change *change)
{
    const cJSON *answer = diff->pairs[change->pair].answer;
    struct text text = {0};
    text_put(&text, "");
    if (!sentence_is_shift(change->worst[0])) {
        for (size_t i = 0; i < change->count && i < CHANGE_WORST; i++) {
            text_put(&text, i == 0 ? "" : "; ");
            text_put(&text, member_text(change->worst[i], "message"));
        }
        if (change->count > CHANGE_WORST)
            text_printf(&text, "; and %zu more", change->count - CHANGE_WORST);
        return text.at;
    }
    if (json_get(json_get(change->worst[0], "subject"), "clips") != NULL) {
        sentence_put_where(&text, answer, change->worst[0]);
        text_put(&text, ": ");
    }
    sentence_put_shift(&text, answer, change->worst[0]);
    for (size_t i = 1; i < change->count && i < CHANGE_WORST; i++) {
        text_put(&text, ", ");
        sentence_put_short_shift(&text, answer, change->worst[i]);
    }
    if (change->count > CHANGE_WORST)
        text_printf(&text, ", and %zu more joint%s", change->count - CHANGE_WORST,
                    change->count == CHANGE_WORST + 1 ? "" : "s");
    return text.at;
}

/* --- over models --- */

static int by_text(const void *a, const void *b)
{
    const struct change *x = *(const struct change *const *)a, *y = *(const struct change *const *)b;
    const int kind = x->rank - y->rank, text = strcmp(x->text, y->text);
    return kind != 0 ? kind : text != 0 ? text : x < y ? -1 : x > y;
}

static int by_order(const void *a, const void *b)
{
    const struct change_group *x = a, *y = b;
    const double shares[] = {change_share(x->change), change_share(y->change)};
    if (x->change->area != y->change->area)
        return x->change->area < y->change->area ? -1 : 1;
    if (x->change->rank != y->change->rank)
        return x->change->rank - y->change->rank;
    if (shares[0] != shares[1])
        return shares[0] > shares[1] ? -1 : 1;
    if (x->pair_count != y->pair_count)
        return x->pair_count > y->pair_count ? -1 : 1;
    return x->change < y->change ? -1 : x->change > y->change;
}

static bool is_equal(const struct change *a, const struct change *b)
{
    return a->rank == b->rank && strcmp(a->text, b->text) == 0;
}

static void group(struct changes *changes)
{
    struct change **sorted = must_alloc((changes->count + 1) * sizeof(struct change *));
    for (size_t i = 0; i < changes->count; i++)
        sorted[i] = &changes->items[i];
    qsort(sorted, changes->count, sizeof(struct change *), by_text);
    changes->groups = must_alloc((changes->count + 1) * sizeof *changes->groups);
    for (size_t i = 0, end; i < changes->count; i = end) {
        struct change_group *made = &changes->groups[changes->group_count++];
        made->change = sorted[i];
        for (end = i; end < changes->count && is_equal(sorted[end], sorted[i]); end++)
            ;
        made->pairs = must_alloc((end - i) * sizeof *made->pairs);
        for (size_t k = i; k < end; k++)
            if (made->pair_count == 0 || made->pairs[made->pair_count - 1] != sorted[k]->pair)
                made->pairs[made->pair_count++] = sorted[k]->pair;
    }
    free(sorted);
    qsort(changes->groups, changes->group_count, sizeof *changes->groups, by_order);
}

/* Notes the group of each change: pairs that share a group have the same text in it. */
static void number_groups(struct changes *changes)
{
    for (size_t g = 0; g < changes->group_count; g++) {
        const struct change_group *made = &changes->groups[g];
        for (size_t p = 0; p < made->pair_count; p++)
            for (size_t i = changes->pair_firsts[made->pairs[p]]; i < changes->pair_firsts[made->pairs[p] + 1]; i++)
                if (is_equal(&changes->items[i], made->change))
                    changes->items[i].group = g;
    }
}

void changes_find(const struct diff *diff, struct changes *out)
{
    const cJSON *difference;
    *out = (struct changes){.pair_firsts = must_alloc((diff->count + 1) * sizeof *out->pair_firsts)};
    for (size_t i = 0; i < diff->count; i++) {
        out->pair_firsts[i] = out->count;
        if (diff->pairs[i].is_done && diff->pairs[i].state == DIFF_DIFFERENT)
            cJSON_ArrayForEach(difference, json_get(diff->pairs[i].answer, "differences"))
                add(out, i, json_get(diff->pairs[i].answer, "differences"), difference);
    }
    out->pair_firsts[diff->count] = out->count;
    for (size_t i = 0; i < out->count; i++)
        out->items[i].text = text_of(diff, &out->items[i]);
    group(out);
    number_groups(out);
}

void changes_free(struct changes *changes)
{
    for (size_t i = 0; i < changes->count; i++)
        free(changes->items[i].text);
    for (size_t i = 0; i < changes->group_count; i++)
        free(changes->groups[i].pairs);
    free(changes->items);
    free(changes->groups);
    free(changes->pair_firsts);
    *changes = (struct changes){0};
}

void changes_put_models(struct text *out, const struct diff *diff, const struct change_group *group)
{
    /* One more name takes no more place than "and 1 more". */
    const size_t shown = group->pair_count > MODELS_SHOWN + 1 ? MODELS_SHOWN : group->pair_count;
    for (size_t i = 0; i < shown; i++) {
        const bool is_last = i + 1 == group->pair_count;
        text_put(out, i == 0 ? "" : is_last ? " and " : ", ");
        text_put(out, diff->pairs[group->pairs[i]].name);
    }
    if (shown < group->pair_count)
        text_printf(out, " and %zu more", group->pair_count - shown);
}
