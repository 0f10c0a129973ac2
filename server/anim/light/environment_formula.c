/* environment_formula.c - environments defined by formulas: a studio, a day outdoors, white all around. The numbers
 * were chosen by eye, so that the brightest parts of a matt surface nearly have its base colour. */
#include "anim/light/environment.h"

#include <math.h>

static double clamp(double x, double low, double high) { return fmin(fmax(x, low), high); }

static double smooth(double from, double to, double x)
{
    const double t = clamp((x - from) / (to - from), 0, 1);
    return t * t * (3 - 2 * t);
}

static double dot(const double a[3], const double b[3]) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }

/* A soft box: a rectangle with soft edges on a wall at distance 1 in direction `middle`. */
struct soft_box {
    double middle[3], along[3], across[3]; /* perpendicular unit vectors */
    double half_along, half_across, edge;  /* at distance 1 */
    double rgb[3];
};

static const struct soft_box BOXES[] = {
    /* key: above, to the left, in front of the model */
    {{-0.600, 0.500, 0.624}, {0.7209, 0.0, 0.6931}, {-0.3466, -0.8656, 0.3605}, 0.60, 0.45, 0.12, {2.56, 2.51, 2.44}},
    /* fill: to the right */
    {{0.882, 0.176, 0.437}, {-0.4439, 0.0, 0.8961}, {-0.1577, 0.9843, -0.0781}, 0.35, 0.70, 0.12, {0.45, 0.47, 0.50}},
    /* rim: a strip above and behind */
    {{0.276, 0.600, -0.751}, {0.9386, 0.0, 0.3449}, {-0.2070, 0.8000, 0.5631}, 0.65, 0.16, 0.08, {2.4, 2.4, 2.4}},
};

static void add_box(const struct soft_box *box, const double d[3], double rgb[3])
{
    const double depth = dot(box->middle, d);
    if (depth <= 0.05)
        return;
    const double along = fabs(dot(box->along, d)) / depth, across = fabs(dot(box->across, d)) / depth;
    const double inside = smooth(box->half_along + box->edge, box->half_along - box->edge, along) *
                          smooth(box->half_across + box->edge, box->half_across - box->edge, across);
    for (int c = 0; c < 3; c++)
        rgb[c] += inside * box->rgb[c];
}

void environment_studio(const void *context, const double d[3], double rgb[3])
{
    static const double FLOOR[3] = {0.44, 0.43, 0.42}, WALL[3] = {0.44, 0.44, 0.45}, CEILING[3] = {0.40, 0.41, 0.43};
    (void)context;
    const double above = smooth(-0.10, 0.06, d[1]), height = clamp(d[1], 0, 1);
    const double depth = smooth(0, -1, d[1]); /* the floor is darker below the model */
    for (int c = 0; c < 3; c++) {
        const double wall = WALL[c] + (CEILING[c] - WALL[c]) * height;
        rgb[c] = wall * above + FLOOR[c] * (1 - 0.45 * depth) * (1 - above);
    }
    for (size_t b = 0; b < sizeof BOXES / sizeof *BOXES; b++)
        add_box(&BOXES[b], d, rgb);
}

void environment_outdoor(const void *context, const double d[3], double rgb[3])
{
    static const double GROUND[3] = {0.30, 0.27, 0.22}, HORIZON[3] = {0.74, 0.79, 0.86}, ZENITH[3] = {0.24, 0.38, 0.70};
    static const double SUN[3] = {-0.5145, 0.5145, 0.6860}, SUN_COLOR[3] = {1.0, 0.93, 0.80};
    (void)context;
    const double above = smooth(-0.03, 0.02, d[1]), height = sqrt(clamp(d[1], 0, 1));
    /* a disc much wider than the real sun, about as small as maps and harmonics can show, and the glow around it */
    const double cosine = dot(SUN, d), disc = smooth(0.985, 0.992, cosine), glow = exp(12 * (cosine - 1));
    for (int c = 0; c < 3; c++) {
        const double sky = HORIZON[c] + (ZENITH[c] - HORIZON[c]) * height;
        rgb[c] = sky * above + GROUND[c] * (1 - above) + SUN_COLOR[c] * (26 * disc + 0.5 * glow * above);
    }
}

void environment_flat(const void *context, const double d[3], double rgb[3])
{
    (void)context;
    (void)d;
    rgb[0] = rgb[1] = rgb[2] = 1;
}
