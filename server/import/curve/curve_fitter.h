/* curve_fitter.h - the state of one fit, for the files that make it (curve_fit.h). Private to import/curve. */
#pragma once

#include "import/curve/curve_fit.h"

#include "anim/model/mat.h"

#include <math.h>
#include <string.h>

enum { FIT_SAMPLES = 4 };

struct fitter {
    const struct curve_fit *fit;
    struct track *track;
    double *space; /* FIT_SAMPLES points of a segment, two to compare, two slopes, one known */
    size_t capacity;
    double tolerance;
    double line[2][4], doubt; /* of a piece's judgement */
    bool has_line;
    double known_s; /* the motion is known there: it is *known; NaN: nowhere */
    double *known;
    const double *extrema_s; /* [extremum_count], when has_extrema */
    uint32_t extremum_count;
    bool has_extrema;
    struct {
        double from_s, to_s, value; /* the latest fit->sixth() */
    } sixth;
    bool is_near;
    int rc; /* 0, an ERR_ code, or NOT_STRAIGHT */
};

/* A candidate segment: linear between samples 0 and 3, or cubic with slopes. */
struct piece {
    double from_s, to_s;
    const double *slopes; /* of a cubic */
};

/* Whether a segment is within the bound at these fractions of it and at its extrema. The motion at its ends is sample 0
 * and 3. */
bool fit_is_good(struct fitter *fitter, const struct piece *piece, const double *parts, size_t part_count);
/* The bound of the sixth derivative between two times. Not finite where it is unknown. */
double fit_sixth(struct fitter *fitter, double from_s, double to_s);

static inline double *fit_sample(const struct fitter *fitter, int index)
{
    return fitter->space + (size_t)index * fitter->fit->components;
}

/* Gives a quaternion the sign that brings it nearer to `reference`. */
static inline void fit_align(const struct fitter *fitter, const double *reference, double *value)
{
    if (fitter->fit->is_rotation && dot4(reference, value) < 0)
        for (uint32_t c = 0; c < 4; c++)
            value[c] = -value[c];
}

static inline void fit_evaluate(const struct fitter *fitter, double time_s, const double *reference, double *out)
{
    if (time_s == fitter->known_s)
        memcpy(out, fitter->known, fitter->fit->components * sizeof *out);
    else
        fitter->fit->at(fitter->fit->user, time_s, out);
    if (reference != NULL)
        fit_align(fitter, reference, out);
}

static inline double fit_distance(const struct fitter *fitter, const double *a, const double *b)
{
    double worst = 0;
    for (uint32_t c = 0; c < fitter->fit->components; c++)
        worst = fabs(a[c] - b[c]) > worst ? fabs(a[c] - b[c]) : worst; /* a NaN does not count, as with fmax() */
    return worst;
}
