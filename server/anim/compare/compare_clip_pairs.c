/* compare_clip_pairs.c - finds the clip of the other model for each clip: by name, by the name without what tools write
 * beside it, then by motion. */
#include "anim/compare/compare_internal.h"
#include "base/mem.h"

#include <stdlib.h>
#include <string.h>

enum { MOMENTS = 9, FITS_MOST = 16384 };
#define SAME_MOTION 0.5 /* greatest difference of a changed motion, of the motion itself: root mean squares */

static void match_names(const struct compare *compare, int32_t *const partners[COMPARE_SIDES])
{
    static const enum name_level LEVELS[] = {NAME_EXACT, NAME_REWRITTEN, NAME_ACTION};
    const struct model *models[COMPARE_SIDES] = {compare->sides[COMPARE_OLD].model, compare->sides[COMPARE_NEW].model};
    struct name_entry *entries =
        mem_alloc(((size_t)models[COMPARE_OLD]->clip_count + models[COMPARE_NEW]->clip_count + 1) * sizeof *entries);
    for (size_t i = 0; i < sizeof LEVELS / sizeof *LEVELS; i++) {
        size_t count = 0;
        for (uint32_t s = 0; s < COMPARE_SIDES; s++)
            for (uint32_t c = 0; c < models[s]->clip_count; c++) {
                const uint64_t key = name_key(models[s], models[s]->clips[c].name, LEVELS[i]);
                if (partners[s][c] < 0 && key != 0)
                    entries[count++] = (struct name_entry){.key = key, .index = c, .side = s};
            }
        names_match(entries, count, partners);
    }
    free(entries);
}

void clips_match_names(const struct compare *compare, int32_t *partners[COMPARE_SIDES])
{
    for (int s = 0; s < COMPARE_SIDES; s++) {
        const uint32_t count = compare->sides[s].model->clip_count;
        partners[s] = mem_alloc(((size_t)count + 1) * sizeof *partners[s]);
        for (uint32_t c = 0; c < count; c++)
            partners[s][c] = -1;
    }
    match_names(compare, partners);
    if (compare->sides[COMPARE_OLD].model->clip_count == 1 && compare->sides[COMPARE_NEW].model->clip_count == 1)
        partners[COMPARE_OLD][0] = partners[COMPARE_NEW][0] = 0;
}

/* --- motion --- */

/* A clip of each model without a partner, and how well they fit. */
struct clip_fit {
    uint32_t clips[COMPARE_SIDES];
    double cost; /* below 1: the same poses; below 2: the same motion, changed; else one has no name */
};

struct clip_search {
    struct compare *compare;
    struct pair_error *errors; /* [pair_count] */
    struct dmat4 *firsts;      /* [pair_count]: what the old joints do at the first moment */
    uint8_t *is_moved;         /* [pair_count + 1], the last for what has no pair */
    struct clip_fit *fits;
    uint32_t fit_count;
};

/* Half of the steps are reserved for the clips that both files have. */
static bool has_time(const struct compare *compare)
{
    return compare->steps_left > compare->options->steps / 2 && !compare_is_stopped(compare);
}

static bool is_unnamed(const struct model *model, uint32_t clip)
{
    return name_key(model, model->clips[clip].name, NAME_EXACT) == 0;
}

/* True when both clips move one of the joints, or neither moves any. */
static bool move_the_same(const struct clip_search *search, const uint32_t clips[COMPARE_SIDES])
{
    const struct compare *compare = search->compare;
    bool has_both = false, has_any = false;
    memset(search->is_moved, 0, (size_t)compare->pair_count + 1);
    for (int s = 0; s < COMPARE_SIDES; s++) {
        const struct model *model = compare->sides[s].model;
        const struct clip *clip = &model->clips[clips[s]];
        for (uint32_t c = clip->channel_first; c < clip->channel_first + clip->channel_count; c++) {
            const int32_t pair = compare->sides[s].pairs[model->channels[c].node];
            uint8_t *is_moved = &search->is_moved[pair < 0 ? compare->pair_count : (uint32_t)pair];
            has_both = has_both || (s == COMPARE_NEW && *is_moved != 0);
            has_any = true;
            *is_moved |= s == COMPARE_OLD;
        }
        compare_charge(search->compare, clip->channel_count);
    }
    return has_both || !has_any;
}

/* Returns the cost of a pair of clips, or HUGE_VAL. Both are compared at the same shares of their lengths. */
static double cost_of(const struct clip_search *search, const uint32_t clips[COMPARE_SIDES])
{
    struct compare *compare = search->compare;
    const struct clip *both[COMPARE_SIDES];
    const int32_t indices[COMPARE_SIDES] = {(int32_t)clips[COMPARE_OLD], (int32_t)clips[COMPARE_NEW]};
    double most = 0, apart = 0, motion = 0;
    bool is_named = true;
    for (int s = 0; s < COMPARE_SIDES; s++) {
        both[s] = &compare->sides[s].model->clips[clips[s]];
        is_named = is_named && !is_unnamed(compare->sides[s].model, clips[s]);
    }
    if (!move_the_same(search, clips))
        return HUGE_VAL;
    morphs_begin(compare, MAPPING_PHASE);
    for (int i = 0; i < MOMENTS; i++) {
        double times_s[COMPARE_SIDES];
        for (int s = 0; s < COMPARE_SIDES; s++)
            times_s[s] = both[s]->start_s + (both[s]->duration_s - both[s]->start_s) * i / (MOMENTS - 1);
        poses_measure(compare, indices, times_s, search->errors);
        morphs_measure(compare, MAPPING_PHASE, times_s[COMPARE_NEW]);
        for (uint32_t p = 0; p < compare->pair_count; p++) {
            const struct joint_pair *pair = &compare->pairs[p];
            if (i == 0)
                search->firsts[p] = pair->common_from_ref[COMPARE_OLD];
            const double way = pair_distance(pair, &search->firsts[p], &pair->common_from_ref[COMPARE_OLD]);
            most = fmax(most, search->errors[p].distance / (compare->size * compare->tolerance));
            apart += search->errors[p].distance * search->errors[p].distance;
            motion += way * way;
        }
    }
    most = fmax(most, morphs_worst(compare, MAPPING_PHASE));
    if (most <= 1 && fabs(both[COMPARE_OLD]->duration_s - both[COMPARE_NEW]->duration_s) <= CLIP_FRAME_S)
        return 0.9 * most;
    const double share = sqrt(apart / motion); /* not a number where nothing moves */
    if (share <= SAME_MOTION)
        return 1 + share;
    return is_named ? HUGE_VAL : 2 + fmin(isfinite(share) ? share : HUGE_VAL, 1e9);
}

static int by_cost(const void *left, const void *right)
{
    const struct clip_fit *a = left, *b = right;
    if (a->cost != b->cost)
        return a->cost < b->cost ? -1 : 1;
    for (int s = 0; s < COMPARE_SIDES; s++)
        if (a->clips[s] != b->clips[s])
            return a->clips[s] < b->clips[s] ? -1 : 1;
    return 0;
}

static void pair_clips(int32_t *const partners[COMPARE_SIDES], uint32_t old, uint32_t new)
{
    partners[COMPARE_OLD][old] = (int32_t) new;
    partners[COMPARE_NEW][new] = (int32_t)old;
}

/* Pairs the clips without names that are in the same order in both files and move the same. Where no steps are left to
 * find that out, the order alone counts: what differs is told when the clips are compared. */
static void match_in_order(const struct clip_search *search, int32_t *const partners[COMPARE_SIDES])
{
    const struct compare *compare = search->compare;
    const struct model *old = compare->sides[COMPARE_OLD].model, *new = compare->sides[COMPARE_NEW].model;
    uint32_t b = 0;
    for (uint32_t a = 0; a < old->clip_count; a++) {
        if (partners[COMPARE_OLD][a] >= 0 || !is_unnamed(old, a))
            continue;
        while (b < new->clip_count && (partners[COMPARE_NEW][b] >= 0 || !is_unnamed(new, b)))
            b++;
        if (b == new->clip_count)
            return;
        if (!has_time(compare) || cost_of(search, (const uint32_t[]){a, b}) <= 1)
            pair_clips(partners, a, b);
        b++;
    }
}

static void list_fits(struct clip_search *search, int32_t *const partners[COMPARE_SIDES])
{
    const struct compare *compare = search->compare;
    const struct model *old = compare->sides[COMPARE_OLD].model, *new = compare->sides[COMPARE_NEW].model;
    uint32_t tries = 0;
    for (uint32_t a = 0; a < old->clip_count && tries < FITS_MOST; a++)
        for (uint32_t b = 0; b < new->clip_count &&tries < FITS_MOST &&partners[COMPARE_OLD][a] < 0; b++) {
            const uint32_t clips[COMPARE_SIDES] = {a, b};
            if (partners[COMPARE_NEW][b] >= 0)
                continue;
            const double cost = has_time(compare) ? cost_of(search, clips) : HUGE_VAL;
            tries++;
            if (cost < HUGE_VAL)
                search->fits[search->fit_count++] = (struct clip_fit){.clips = {a, b}, .cost = cost};
        }
}

void clips_match(struct compare *compare, int32_t *const partners[COMPARE_SIDES], struct pair_error *errors)
{
    const size_t pairs = (size_t)compare->pair_count + 1;
    struct clip_search search = {.compare = compare, .errors = errors};
    match_names(compare, partners);
    search.firsts = mem_alloc(pairs * sizeof *search.firsts);
    search.is_moved = mem_alloc(pairs);
    search.fits = mem_alloc(FITS_MOST * sizeof *search.fits);
    match_in_order(&search, partners);
    list_fits(&search, partners);
    if (search.fit_count > 1)
        qsort(search.fits, search.fit_count, sizeof *search.fits, by_cost);
    for (uint32_t i = 0; i < search.fit_count; i++) {
        const uint32_t a = search.fits[i].clips[COMPARE_OLD], b = search.fits[i].clips[COMPARE_NEW];
        if (partners[COMPARE_OLD][a] >= 0 || partners[COMPARE_NEW][b] >= 0)
            continue;
        pair_clips(partners, a, b);
    }
    free(search.firsts);
    free(search.is_moved);
    free(search.fits);
}
