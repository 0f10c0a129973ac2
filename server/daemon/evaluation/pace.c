#include "daemon/evaluation/pace.h"

#include <math.h>

enum { WINDOW = 12 };

void pace_learn(struct pace *pace, double expected, double was)
{
    if (!(expected > 0) || !(was > 0) || !isfinite(expected) || !isfinite(was))
        return;
    pace->count += pace->count < WINDOW;
    /* the mean of the logarithms: one that took ten times as long counts as much as one that took a tenth */
    const double before = pace->count == 1 ? was / expected : pace->factor;
    pace->factor = before * pow(was / expected / before, 1.0 / pace->count);
}

double pace_apply(const struct pace *pace, double expected)
{
    return pace->count == 0 ? expected : expected * pace->factor;
}
