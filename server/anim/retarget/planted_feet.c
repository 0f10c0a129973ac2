#include "anim/retarget/planted_feet.h"

#include "anim/model/mat.h"
#include "base/mem.h"

#include <stdlib.h>
#include <string.h>

static const double STILL = 0.01, LOW = 0.25; /* relative to the leg */
static const double LEAST_S = 0.08, FADE_S = 0.15;
enum { WINDOW_MAX = 1024 }; /* samples tried for one stand; a clip's keys may be arbitrarily dense */

static double distance3(const double a[3], const double b[3])
{
    const double d[3] = {a[0] - b[0], a[1] - b[1], a[2] - b[2]};
    return sqrt(dot3(d, d));
}

/* --- stands --- */

struct search {
    const struct feet *feet;
    double leg_length;
    const double *up;
    int foot, point;
};

static bool is_low(const struct search *search, uint32_t i)
{
    const struct feet *feet = &search->feet[i];
    const double left = dot3(feet->places[0][search->point], search->up);
    const double right = dot3(feet->places[1][search->point], search->up);
    return dot3(feet->places[search->foot][search->point], search->up) <= fmin(left, right) + LOW * search->leg_length;
}

/* Returns the last sample of a stand that begins at `first`. */
static uint32_t find_end(const struct planted_feet *planted, const struct search *search, uint32_t first)
{
    const double *place = search->feet[first].places[search->foot][search->point];
    uint32_t end = first;
    while (end + 1 < planted->count && is_low(search, end + 1) &&
           distance3(search->feet[end + 1].places[search->foot][search->point], place) <= STILL * search->leg_length &&
           (end - first < WINDOW_MAX || planted->times[end] - planted->times[first] >= LEAST_S))
        end++;
    return end;
}

static void find_stands(struct planted_feet *planted, const struct search *search)
{
    uint32_t *stands = planted->stands[search->foot][search->point];
    for (uint32_t i = 0; i < planted->count;) {
        const uint32_t end = is_low(search, i) ? find_end(planted, search, i) : i;
        const bool is_stand = planted->times[end] - planted->times[i] >= LEAST_S;
        planted->stand_count += is_stand;
        for (uint32_t k = i; is_stand && k <= end; k++)
            stands[k] = planted->stand_count;
        i = is_stand || end - i >= WINDOW_MAX ? end + 1 : i + 1;
    }
}

void planted_feet_init(struct planted_feet *planted, const double *times, const struct feet *feet, uint32_t count,
                       bool has_ball, double leg_length, const double up[3])
{
    *planted = (struct planted_feet){.count = count, .times = times, .has_ball = has_ball};
    for (int foot = 0; foot < FEET; foot++)
        for (int point = 0; point < FOOT_POINTS; point++) {
            const struct search search = {feet, leg_length, up, foot, point};
            planted->stands[foot][point] = mem_zalloc((size_t)count + 1, sizeof(uint32_t));
            if (point == FOOT_ANKLE || has_ball)
                find_stands(planted, &search);
        }
}

void planted_feet_fini(struct planted_feet *planted)
{
    for (int foot = 0; foot < FEET; foot++)
        for (int point = 0; point < FOOT_POINTS; point++)
            free(planted->stands[foot][point]);
    *planted = (struct planted_feet){0};
}

/* --- locks --- */

/* The stand that holds a foot, and where. */
struct hold {
    uint32_t stand; /* 0: none */
    int point;
    double place[3];
    double released_s, released[3]; /* when the last one ended, and the offset then */
};

/* Falls from 1 at the release to 0 at FADE_S; smooth at both ends. */
static double fade(double since_s)
{
    const double u = fmin(fmax(since_s / FADE_S, 0), 1);
    return 1 - u * u * (3 - 2 * u);
}

/* Chooses the stand at a sample: the one that already holds the foot, else the ankle's, else the ball's. */
static int choose(const struct planted_feet *planted, int foot, uint32_t i, const struct hold *hold)
{
    if (hold->stand > 0 && planted->stands[foot][hold->point][i] == hold->stand)
        return hold->point;
    return planted->stands[foot][FOOT_ANKLE][i] > 0  ? FOOT_ANKLE
           : planted->stands[foot][FOOT_BALL][i] > 0 ? FOOT_BALL
                                                     : -1;
}

/* Holds the point at its place with the current offset. A point that already stood, while another was held, keeps its
 * earlier place. */
static void hold_at(const struct planted_feet *planted, const struct feet *feet, int foot, uint32_t i,
                    const double offset[3], struct hold *hold)
{
    const bool stood = i > 0 && planted->stands[foot][hold->point][i - 1] == hold->stand;
    const double *place = feet[stood ? i - 1 : i].places[foot][hold->point];
    for (int c = 0; c < 3; c++)
        hold->place[c] = place[c] + offset[c];
}

static void lock_foot(const struct planted_feet *planted, const struct feet *feet, int foot, double (*offsets)[FEET][3])
{
    struct hold hold = {.released_s = -HUGE_VAL};
    double now[3] = {0, 0, 0};
    for (uint32_t i = 0; i < planted->count; i++) {
        const int point = choose(planted, foot, i, &hold);
        const uint32_t stand = point < 0 ? 0 : planted->stands[foot][point][i], before = hold.stand;
        if (before > 0 && stand == 0) {
            hold.released_s = planted->times[i - 1];
            memcpy(hold.released, now, sizeof now);
        }
        for (int c = 0; c < 3 && (before == 0 || stand == 0); c++)
            now[c] = hold.released[c] * fade(planted->times[i] - hold.released_s);
        hold.stand = stand;
        hold.point = point;
        if (stand > 0 && stand != before)
            hold_at(planted, feet, foot, i, now, &hold);
        for (int c = 0; c < 3 && stand > 0; c++)
            now[c] = hold.place[c] - feet[i].places[foot][point][c];
        memcpy(offsets[i][foot], now, sizeof now);
    }
}

void planted_feet_lock(const struct planted_feet *planted, const struct feet *feet, double (*offsets)[FEET][3])
{
    for (int foot = 0; foot < FEET; foot++)
        lock_foot(planted, feet, foot, offsets);
}

/* --- slide --- */

static double slide_of(const struct planted_feet *planted, int foot, int point, const struct feet *model,
                       double model_leg, const struct feet *source, double source_leg)
{
    const uint32_t *stands = planted->stands[foot][point];
    uint32_t first = 0;
    double most = 0;
    for (uint32_t i = 0; i < planted->count; i++) {
        if (stands[i] == 0)
            continue;
        if (i == 0 || stands[i] != stands[i - 1])
            first = i;
        const double moved = distance3(model[i].places[foot][point], model[first].places[foot][point]) / model_leg;
        const double own = distance3(source[i].places[foot][point], source[first].places[foot][point]) / source_leg;
        most = fmax(most, moved - own);
    }
    return most;
}

double planted_feet_slide(const struct planted_feet *planted, const struct feet *model, double model_leg,
                          const struct feet *source, double source_leg)
{
    double most = 0;
    for (int foot = 0; foot < FEET; foot++)
        for (int point = 0; point < FOOT_POINTS; point++)
            most = fmax(most, slide_of(planted, foot, point, model, model_leg, source, source_leg));
    return most;
}
