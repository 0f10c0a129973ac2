/* bisected.h - a curve in the plane of time and value, solved by halving: another way than the reader's. */
#pragma once

/* The value where the time is the part u of the piece. weight: of both tangents. */
static inline double bisected(double u, double weight, const double values[2], const double slopes[2], double span_s)
{
    double low = 0, high = 1;
    for (int i = 0; i < 60; i++) {
        const double s = (low + high) / 2, r = 1 - s;
        if (3 * r * r * s * weight + 3 * r * s * s * (1 - weight) + s * s * s < u)
            low = s;
        else
            high = s;
    }
    const double s = low, r = 1 - s, rise = weight * span_s;
    return r * r * r * values[0] + 3 * r * r * s * (values[0] + rise * slopes[0]) +
           3 * r * s * s * (values[1] - rise * slopes[1]) + s * s * s * values[1];
}
