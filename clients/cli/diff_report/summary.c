/* Says in two sentences what changed. */
#include "clients/cli/diff_report/summary.h"

#include "clients/cli/diff_report/sentences.h"

#include <string.h>

void summary_count(const struct diff *diff, const struct changes *changes, size_t models[AREA_COUNT])
{
    memset(models, 0, AREA_COUNT * sizeof *models);
    for (size_t p = 0; p < diff->count; p++) {
        bool has[AREA_COUNT] = {false};
        for (size_t i = changes->pair_firsts[p]; i < changes->pair_firsts[p + 1]; i++)
            has[changes->items[i].area] = true;
        for (int area = 0; area < AREA_COUNT; area++)
            models[area] += has[area];
    }
}

/* Counts the differences of a kind in all models, with those that the server did not list. */
static double count_kind(const struct diff *diff, const char *kind)
{
    double count = 0;
    for (size_t i = 0; i < diff->count; i++) {
        const double left_out = member_number(json_get(diff->pairs[i].answer, "left_out"), kind);
        const cJSON *difference;
        count += left_out > 0 ? left_out : 0;
        cJSON_ArrayForEach(difference, json_get(diff->pairs[i].answer, "differences")) count +=
            strcmp(member_text(difference, "kind"), kind) == 0;
    }
    return count;
}

/* Puts " (2 clips gone, 1 new)": what is more than another motion or place. */
static void put_gone(struct text *out, const struct diff *diff, enum area area)
{
    static const struct {
        enum area area;
        const char *kind, *thing, *what;
    } GONE[] = {{AREA_MOTION, "clip_removed", "clip", "gone"},
                {AREA_MOTION, "clip_added", "clip", "new"},
                {AREA_MOTION, "clip_length", "clip", "of another length"},
                {AREA_SKELETON, "joint_removed", "joint", "gone"},
                {AREA_SKELETON, "joint_added", "joint", "new"}};
    int named = 0;
    for (size_t i = 0; i < sizeof GONE / sizeof *GONE; i++) {
        const double count = GONE[i].area == area ? count_kind(diff, GONE[i].kind) : 0;
        if (count == 0)
            continue;
        text_printf(out, "%s%.0f", named == 0 ? " (" : ", ", count);
        if (named++ == 0)
            text_printf(out, " %s%s", GONE[i].thing, count == 1 ? "" : "s");
        text_printf(out, " %s", GONE[i].what);
    }
    text_put(out, named > 0 ? ")" : "");
}

/* Puts ": motion in 3, materials in 2"; for a single model ": 15 differences in motion, 1 difference in materials". */
static void put_areas(struct text *out, const struct diff *diff, const struct changes *changes)
{
    size_t counts[AREA_COUNT], named = 0;
    summary_count(diff, changes, counts);
    if (diff->count == 1) {
        memset(counts, 0, sizeof counts);
        for (size_t i = 0; i < changes->count; i++)
            counts[changes->items[i].area] += changes->items[i].count;
    }
    for (int area = 0; area < AREA_COUNT; area++) {
        if (counts[area] == 0)
            continue;
        text_put(out, named++ == 0 ? ": " : ", ");
        if (diff->count == 1)
            text_printf(out, "%zu difference%s in %s", counts[area], counts[area] == 1 ? "" : "s",
                        area_name((enum area)area));
        else
            text_printf(out, "%s in %zu", area_name((enum area)area), counts[area]);
        put_gone(out, diff, (enum area)area);
    }
}

void summary_put_changed(struct text *out, const struct diff *diff, const struct changes *changes)
{
    static const char *const OTHERS[DIFF_STATES] = {
        [DIFF_ADDED] = "added", [DIFF_REMOVED] = "removed", [DIFF_FAILED] = "could not be compared"};
    size_t counts[DIFF_STATES], skipped, named = 0;
    diff_count(diff, counts, &skipped);
    const size_t changed = counts[DIFF_DIFFERENT];
    if (diff->count == 1 && changed == 1) {
        text_put(out, diff->pairs[0].name);
        text_put(out, " changed");
    } else if (changed == 0)
        text_printf(out, diff->count == 0 ? "No model changed" : "None of %zu model%s changed", diff->count,
                    diff->count == 1 ? "" : "s");
    else
        text_printf(out, "%zu of %zu models changed", changed, diff->count);
    put_areas(out, diff, changes);
    for (int state = DIFF_ADDED; state < DIFF_STATES; state++)
        if (counts[state] > 0)
            text_printf(out, "%s%zu %s", named++ == 0 ? "; " : ", ", counts[state], OTHERS[state]);
    if (skipped > 0)
        text_printf(out, "%s%zu not compared yet", named == 0 ? "; " : ", ", skipped);
}

/* Returns the change that moves something by the largest share of its model's size. NULL: none moves anything. */
static const struct change *find_worst(const struct changes *changes)
{
    const struct change *worst = NULL;
    for (size_t i = 0; i < changes->count; i++) {
        const struct change *change = &changes->items[i];
        if (change_share(change) >= 0 && (worst == NULL || change_share(change) > change_share(worst)))
            worst = change;
    }
    return worst;
}

static void put_model(struct text *out, const struct diff *diff, size_t pair)
{
    if (diff->count == 1)
        return;
    text_put(out, diff->pairs[pair].name);
    text_put(out, ": ");
}

void summary_put_worst(struct text *out, const struct diff *diff, const struct changes *changes)
{
    const struct change *worst = find_worst(changes);
    if (worst != NULL) {
        text_put(out, diff->count == 1 ? "The worst: " : "The worst is ");
        put_model(out, diff, worst->pair);
        sentence_put_worst(out, diff->pairs[worst->pair].answer, worst->worst[0]);
    } else if (changes->group_count > 0) {
        const struct change_group *first = &changes->groups[0];
        text_put(out, "No joint is elsewhere; the first change is ");
        put_model(out, diff, first->pairs[0]);
        sentence_put_worst(out, diff->pairs[first->pairs[0]].answer, first->change->worst[0]);
        if (first->change->count > 1)
            text_printf(out, " and %zu more", first->change->count - 1);
        if (first->pair_count > 1)
            text_printf(out, ", as in %zu more", first->pair_count - 1);
    } else
        return;
    text_put(out, ".");
}

void summary_put(struct text *out, const struct diff *diff, const struct changes *changes)
{
    struct text worst = {0};
    summary_put_changed(out, diff, changes);
    text_put(out, ".");
    summary_put_worst(&worst, diff, changes);
    text_put(out, worst.at == NULL ? "" : " ");
    text_put(out, worst.at == NULL ? "" : worst.at);
    text_free(&worst);
}
