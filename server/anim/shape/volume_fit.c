/* volume_fit.c - tries directions, and leaves out the outermost points along and across them. */
#include "anim/shape/volume_fit.h"

#include "anim/shape/eigen3.h"
#include "anim/model/mat3.h"
#include "base/mem.h"

#include <stdlib.h>
#include <string.h>

/* The state of one fit. */
struct fit {
    const double (*points)[3];
    uint32_t count, outside;    /* number of points that may lie outside */
    double *values, *distances; /* [count] each: scratch */
    double size;                /* of a box around the points */
    double axes[2][9];          /* directions to try: the principal axes and those of the space */
};

enum { FRAMES = 2, BALL_STEPS = 48 };

/* Volumes are enlarged by this share, so that points on their surface stay inside after rounding to float. */
static const double ROUNDING = 1e-6;

/* --- order statistics --- */

static void swap(double *a, double *b)
{
    const double kept = *a;
    *a = *b;
    *b = kept;
}

/* Returns the value that has `place` others before it, and reorders the values (C. A. R. Hoare, "Algorithm 65: Find",
 * 1961; with three parts for equal values). A fixed sequence of random numbers chooses the pivots. */
static double nth(double *values, uint32_t count, uint32_t place)
{
    uint32_t low = 0, high = count - 1, random = 0x9e3779b9u;
    while (low < high) {
        random = random * 1664525u + 1013904223u;
        const double pivot = values[low + (uint32_t)((uint64_t)random * (high - low + 1) >> 32)];
        uint32_t below = low, at = low, above = high + 1;
        while (at < above)
            if (values[at] < pivot)
                swap(&values[below++], &values[at++]);
            else if (values[at] > pivot)
                swap(&values[at], &values[--above]);
            else
                at++;
        if (place < below)
            high = below - 1;
        else if (place >= above)
            low = above;
        else
            return pivot;
    }
    return values[low];
}

/* --- directions --- */

static void find_axes(struct fit *fit)
{
    double mean[3] = {0, 0, 0}, spread[9] = {0};
    struct box all = BOX_EMPTY;
    for (uint32_t p = 0; p < fit->count; p++) {
        box_add(&all, fit->points[p]);
        for (int i = 0; i < 3; i++)
            mean[i] += fit->points[p][i] / fit->count;
    }
    fit->size = box_size(&all);
    const double scale = fit->size > 0 ? 1 / fit->size : 0;
    for (uint32_t p = 0; p < fit->count; p++) {
        double off[3];
        for (int i = 0; i < 3; i++)
            off[i] = (fit->points[p][i] - mean[i]) * scale;
        for (int i = 0; i < 9; i++)
            spread[i] += off[i / 3] * off[i % 3];
    }
    eigen3(spread, fit->axes[0]);
    memcpy(fit->axes[1], MAT3_IDENTITY.m, sizeof fit->axes[1]);
}

/* --- spheres, of as many dimensions as there are coordinates --- */

/* Moves the centre towards the farthest point in smaller and smaller steps (M. Badoiu, K. L. Clarkson, "Smaller
 * Core-Sets for Balls", 2003). Points are measured along `dimensions` axes. */
static void find_middle(const struct fit *fit, const double *axes, int dimensions, double middle[3])
{
    for (int step = 1; step <= BALL_STEPS; step++) {
        double most = -1, farthest[3] = {0, 0, 0};
        for (uint32_t p = 0; p < fit->count; p++) {
            double off[3], length2 = 0;
            for (int i = 0; i < dimensions; i++) {
                off[i] = dot3(fit->points[p], axes + 3 * i) - middle[i];
                length2 += off[i] * off[i];
            }
            if (length2 > most) {
                most = length2;
                memcpy(farthest, off, sizeof farthest);
            }
        }
        for (int i = 0; i < dimensions; i++)
            middle[i] += farthest[i] / (step + 1);
    }
}

/* Fills fit->distances with the distances of all points from a centre. Returns the radius of the sphere that leaves at
 * most `outside` points outside. */
static double measure(struct fit *fit, const double *axes, int dimensions, const double middle[3], uint32_t outside)
{
    for (uint32_t p = 0; p < fit->count; p++) {
        double length2 = 0;
        for (int i = 0; i < dimensions; i++) {
            const double off = dot3(fit->points[p], axes + 3 * i) - middle[i];
            length2 += off * off;
        }
        fit->distances[p] = sqrt(length2);
    }
    memcpy(fit->values, fit->distances, fit->count * sizeof *fit->values);
    return nth(fit->values, fit->count, fit->count - 1 - outside);
}

/* Finds the middle between the outermost points along each axis. */
static void box_middle(const struct fit *fit, const double *axes, int dimensions, double middle[3])
{
    for (int i = 0; i < dimensions; i++) {
        double low = HUGE_VAL, high = -HUGE_VAL;
        for (uint32_t p = 0; p < fit->count; p++) {
            const double at = dot3(fit->points[p], axes + 3 * i);
            low = fmin(low, at);
            high = fmax(high, at);
        }
        middle[i] = low + (high - low) / 2;
    }
}

static void fit_sphere(struct fit *fit, struct hit_volume *out)
{
    double middle[3];
    box_middle(fit, fit->axes[1], 3, middle);
    find_middle(fit, fit->axes[1], 3, middle);
    const double radius = measure(fit, fit->axes[1], 3, middle, fit->outside);
    for (int i = 0; i < 3; i++)
        out->center[i] = out->end[i] = (float)middle[i];
    out->radius = (float)(radius + ROUNDING * (fit->size + radius));
}

/* --- capsules --- */

struct capsule_try {
    double axes[9];                              /* across, across, along */
    double middle[3], low, high, radius, volume; /* middle: across, across */
};

/* Half of the points that may lie outside do so across the axis, the others beyond its ends. Each end is drawn in as
 * far as the half sphere around it still covers the remaining points. */
static void end_capsule(struct fit *fit, struct capsule_try *try)
{
    uint32_t kept = 0;
    try->radius = measure(fit, try->axes, 2, try->middle, fit->outside / 2);
    for (int side = 0; side < 2; side++) {
        kept = 0;
        for (uint32_t p = 0; p < fit->count; p++) {
            const double d = fit->distances[p], along = dot3(fit->points[p], try->axes + 6);
            if (d > try->radius)
                continue;
            const double reach = sqrt(fmax(try->radius * try->radius - d * d, 0));
            fit->values[kept++] = side == 0 ? along + reach : along - reach;
        }
        const uint32_t outside = fit->outside / 4 < kept ? fit->outside / 4 : kept - 1;
        const double end = nth(fit->values, kept, side == 0 ? outside : kept - 1 - outside);
        *(side == 0 ? &try->low : &try->high) = end;
    }
    if (try->low > try->high)
        try->low = try->high = try->low + (try->high - try->low) / 2;
    const double r = try->radius;
    try->volume = r * r * (try->high - try->low) + r * r * r * 4 / 3;
}

static void fit_capsule(struct fit *fit, struct hit_volume *out)
{
    struct capsule_try best = {.volume = HUGE_VAL};
    for (int way = 0; way < 3 * FRAMES; way++) {
        struct capsule_try try = {.volume = 0};
        for (int i = 0; i < 3; i++)
            memcpy(try.axes + 3 * i, fit->axes[way / 3] + 3 * ((way + 1 + i) % 3), 3 * sizeof *try.axes);
        box_middle(fit, try.axes, 2, try.middle);
        end_capsule(fit, &try);
        if (try.volume < best.volume)
            best = try;
    }
    struct capsule_try finer = best;
    find_middle(fit, finer.axes, 2, finer.middle);
    end_capsule(fit, &finer);
    if (finer.volume < best.volume)
        best = finer;
    for (int i = 0; i < 3; i++) {
        const double middle = best.middle[0] * best.axes[i] + best.middle[1] * best.axes[3 + i];
        out->center[i] = (float)(middle + best.low * best.axes[6 + i]);
        out->end[i] = (float)(middle + best.high * best.axes[6 + i]);
    }
    out->radius = (float)(best.radius + ROUNDING * (fit->size + best.radius));
}

/* --- boxes --- */

struct box_try {
    struct mat3 axes;
    double low[3], high[3], volume;
};

static void end_box(struct fit *fit, struct box_try *try)
{
    const double thin = 1e-3 * fit->size; /* so that flat boxes have a volume to compare */
    const uint32_t outside = fit->outside / 6;
    try->volume = 1;
    for (int i = 0; i < 3; i++) {
        for (uint32_t p = 0; p < fit->count; p++)
            fit->values[p] = dot3(fit->points[p], try->axes.m + 3 * i);
        try->low[i] = nth(fit->values, fit->count, outside);
        try->high[i] = nth(fit->values, fit->count, fit->count - 1 - outside);
        try->volume *= try->high[i] - try->low[i] + thin;
    }
}

/* Turns axes about one of them by a fraction of a right angle. */
static void turn(const double *axes, int about, double angle, struct mat3 *out)
{
    double *to = out->m;
    const double *x = axes + 3 * ((about + 1) % 3), *y = axes + 3 * ((about + 2) % 3);
    for (int i = 0; i < 3; i++) {
        to[i] = cos(angle) * x[i] + sin(angle) * y[i];
        to[3 + i] = cos(angle) * y[i] - sin(angle) * x[i];
    }
    cross3(to, to + 3, to + 6);
}

static void fit_box(struct fit *fit, struct hit_volume *out)
{
    enum { TURNS = 8 };
    struct box_try best = {.volume = HUGE_VAL};
    for (int way = 0; way < FRAMES * 3 * TURNS; way++) {
        struct box_try try = {0};
        turn(fit->axes[way / (3 * TURNS)], way / TURNS % 3, way % TURNS * acos(0) / TURNS, &try.axes);
        end_box(fit, &try);
        if (try.volume < best.volume * (1 - 1e-9))
            best = try;
    }
    double q[4];
    mat3_to_quat(&best.axes, q);
    quat_normalize(q);
    for (int i = 0; i < 4; i++)
        out->rotation[i] = (float)q[i];
    for (int i = 0; i < 3; i++) {
        double center = 0;
        for (int a = 0; a < 3; a++)
            center += (best.low[a] + best.high[a]) / 2 * best.axes.m[3 * a + i];
        out->center[i] = out->end[i] = (float)center;
        const double half = (best.high[i] - best.low[i]) / 2;
        out->half[i] = (float)(half + ROUNDING * (fit->size + half));
    }
}

void volume_fit(enum volume_kind kind, const double (*points)[3], uint32_t count, struct hit_volume *out)
{
    struct fit fit = {
        .points = points,
        .count = count,
        .outside = count / FIT_OUTSIDE_PART,
        .values = mem_alloc(count * sizeof *fit.values),
        .distances = mem_alloc(count * sizeof *fit.distances),
    };
    out->kind = (uint32_t)kind;
    memset(out->half, 0, sizeof out->half);
    memset(out->rotation, 0, sizeof out->rotation);
    out->rotation[3] = 1;
    out->radius = 0;
    find_axes(&fit);
    if (kind == VOLUME_CAPSULE)
        fit_capsule(&fit, out);
    else if (kind == VOLUME_BOX)
        fit_box(&fit, out);
    else
        fit_sphere(&fit, out);
    free(fit.values);
    free(fit.distances);
}
