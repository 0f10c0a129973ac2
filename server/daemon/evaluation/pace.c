#include "daemon/evaluation/pace.h"

#include <math.h>

enum { WINDOW = 12 };

void pace_learn(struct pace *pace, double expected, double was)
{
    if (!(expected > 0) || !(was > 0) || !isfinite(expected) || !isfinite(was))
        return;
    pace->count += pace->count < WINDOW;
    /* Averages logarithms: a measurement ten times too long and one ten times too short cancel out. */
    const double before = pace->count == 1 ? was / expected : pace->factor;
    pace->factor = before * pow(was / expected / before, 1.0 / pace->count);
}

double pace_apply(const struct pace *pace, double expected)
{
    return pace->count == 0 ? expected : expected * pace->factor;
}
