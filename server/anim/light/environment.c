/* environment.c - projects light from all around to spherical harmonics. */
#include "anim/light/environment.h"

#include <math.h>

static const double PI = 3.14159265358979323846;

/* Bands of equal height in z have equal areas; within them steps in angle. */
enum { BANDS = 64, STEPS = 128 };

/* The polynomials of environment.h. */
static void harmonics(const double d[3], double y[ENVIRONMENT_HARMONICS])
{
    const double all[ENVIRONMENT_HARMONICS] = {
        1, d[1], d[2], d[0], d[0] * d[1], d[1] * d[2], 3 * d[2] * d[2] - 1, d[0] * d[2], d[0] * d[0] - d[1] * d[1]};
    for (int i = 0; i < ENVIRONMENT_HARMONICS; i++)
        y[i] = all[i];
}

/* The coefficient of polynomial p is the mean over the sphere of radiance times p, over the mean of p^2, times how much
 * of the band a cosine leaves: 1, 2/3, 1/4. */
void environment_project(environment_radiance *radiance, const void *context, struct environment_harmonics *out)
{
    static const double PER_SQUARE[ENVIRONMENT_HARMONICS] = {1, 3, 3, 3, 15, 15, 1.25, 15, 3.75};
    double sum[ENVIRONMENT_HARMONICS][3] = {{0}};
    for (int b = 0; b < BANDS; b++) {
        const double z = (2 * b + 1) / (double)BANDS - 1, across = sqrt(1 - z * z);
        for (int s = 0; s < STEPS; s++) {
            const double angle = 2 * PI * (s + 0.5) / STEPS;
            const double d[3] = {across * cos(angle), across * sin(angle), z};
            double rgb[3], y[ENVIRONMENT_HARMONICS];
            radiance(context, d, rgb);
            harmonics(d, y);
            for (int i = 0; i < ENVIRONMENT_HARMONICS; i++)
                for (int c = 0; c < 3; c++)
                    sum[i][c] += rgb[c] * y[i];
        }
    }
    for (int i = 0; i < ENVIRONMENT_HARMONICS; i++)
        for (int c = 0; c < 3; c++)
            out->c[i][c] = (float)(sum[i][c] * PER_SQUARE[i] * (i == 0 ? 1 : i < 4 ? 2.0 / 3 : 0.25) / (BANDS * STEPS));
}
