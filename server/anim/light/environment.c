/* environment.c - projects light from all around to spherical harmonics, and filters it for each roughness. */
#include "anim/light/environment.h"
#include "anim/light/octahedron.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

static const double PI = 3.14159265358979323846;
static const double HALF_MOST = 65504;

enum {
    DETAIL_LEAST = 64,
    DETAIL_MOST = 8192,
    LOBE_SAMPLES =
        96 /* of a texel of the rough levels; they show no noise, because each is a mean of its surroundings */
};

static void look(environment_radiance *radiance, const void *context, const double d[3], double rgb[3])
{
    radiance(context, d, rgb);
    for (int c = 0; c < 3; c++)
        rgb[c] = rgb[c] > 0 ? fmin(rgb[c], HALF_MOST) : 0; /* 0 also for NaN */
}

static uint32_t steps_of(uint32_t detail)
{
    return detail < DETAIL_LEAST ? DETAIL_LEAST : detail < DETAIL_MOST ? detail : DETAIL_MOST;
}

/* --- harmonics --- */

/* Evaluates the polynomials of environment.h. */
static void harmonics(const double d[3], double y[ENVIRONMENT_HARMONICS])
{
    y[0] = 1;
    y[1] = d[1];
    y[2] = d[2];
    y[3] = d[0];
    y[4] = d[0] * d[1];
    y[5] = d[1] * d[2];
    y[6] = 3 * d[2] * d[2] - 1;
    y[7] = d[0] * d[2];
    y[8] = d[0] * d[0] - d[1] * d[1];
}

/* The coefficient of polynomial p is the mean over the sphere of radiance times p, divided by the mean of p^2, times
 * the share of its band that the cosine keeps: 1, 2/3, 1/4. */
void environment_project(environment_radiance *radiance, const void *context, uint32_t detail,
                         struct environment_harmonics *out)
{
    static const double PER_SQUARE[ENVIRONMENT_HARMONICS] = {1, 3, 3, 3, 15, 15, 1.25, 15, 3.75};
    const uint32_t bands = steps_of(detail), steps = 2 * bands;
    double sum[ENVIRONMENT_HARMONICS][3] = {{0}}, area = 0;
    for (uint32_t b = 0; b < bands; b++) {
        const double polar = PI * (b + 0.5) / bands, y = cos(polar), across = sin(polar);
        area += across * steps;
        for (uint32_t s = 0; s < steps; s++) {
            const double angle = 2 * PI * (s + 0.5) / steps;
            const double d[3] = {across * sin(angle), y, across * cos(angle)};
            double rgb[3], p[ENVIRONMENT_HARMONICS];
            look(radiance, context, d, rgb);
            harmonics(d, p);
            for (int i = 0; i < ENVIRONMENT_HARMONICS; i++)
                for (int c = 0; c < 3; c++)
                    sum[i][c] += across * rgb[c] * p[i];
        }
    }
    for (int i = 0; i < ENVIRONMENT_HARMONICS; i++)
        for (int c = 0; c < 3; c++)
            out->c[i][c] = (float)(sum[i][c] * PER_SQUARE[i] * (i == 0 ? 1 : i < 4 ? 2.0 / 3 : 0.25) / area);
}

/* --- the map --- */

/* Level 0 and its smaller levels, averaged from pixels, for the lobes to sample: [texel][RGB]. */
struct source {
    float (*texels)[3];
};

/* Fills level 0: each texel is the mean of enough samples to miss no detail. */
static bool fill_first(environment_radiance *radiance, const void *context, uint32_t detail, struct source *source,
                       int (*is_stopped)(const void *), const void *stop)
{
    const uint32_t places = (2 * steps_of(detail) + ENVIRONMENT_SIDE - 1) / ENVIRONMENT_SIDE;
    for (uint32_t y = 0; y < ENVIRONMENT_SIDE; y++) {
        if (is_stopped != NULL && is_stopped(stop))
            return false;
        for (uint32_t x = 0; x < ENVIRONMENT_SIDE; x++) {
            double sum[3] = {0};
            for (uint32_t i = 0; i < places * places; i++) {
                const double at[2] = {(x + (i % places + 0.5) / places) / ENVIRONMENT_SIDE,
                                      (y + (i / places + 0.5) / places) / ENVIRONMENT_SIDE};
                double d[3], rgb[3];
                octahedron_direction(at, d);
                look(radiance, context, d, rgb);
                for (int c = 0; c < 3; c++)
                    sum[c] += rgb[c];
            }
            for (int c = 0; c < 3; c++)
                source->texels[y * ENVIRONMENT_SIDE + x][c] = (float)(sum[c] / (places * places));
        }
    }
    return true;
}

/* Fills the other levels: each texel is the mean of four of the level before. */
static void fill_rest(struct source *source)
{
    float(*from)[3] = source->texels;
    for (uint32_t side = ENVIRONMENT_SIDE / 2; side >= ENVIRONMENT_SIDE >> (ENVIRONMENT_LEVELS - 1); side /= 2) {
        float(*to)[3] = from + 4 * side * side;
        for (uint32_t y = 0; y < side; y++)
            for (uint32_t x = 0; x < side; x++)
                for (int c = 0; c < 3; c++) {
                    const float *first = from[2 * y * 2 * side + 2 * x] + c;
                    to[y * side + x][c] = (first[0] + first[3] + first[6 * side] + first[6 * side + 3]) / 4;
                }
        from = to;
    }
}

/* Returns the level's texel nearest to the direction; other samples of the lobe reach its neighbours. */
static const float *read_source(const struct source *source, const double d[3], double level)
{
    const int l = level <= 0 ? 0 : level >= ENVIRONMENT_LEVELS - 1 ? ENVIRONMENT_LEVELS - 1 : (int)(level + 0.5);
    const float(*texels)[3] = (const float(*)[3])source->texels;
    uint32_t side = ENVIRONMENT_SIDE;
    for (int i = 0; i < l; i++, side /= 2)
        texels += side * side;
    double at[2];
    octahedron_place(d, at);
    return texels[(uint32_t)(at[1] * side) * side + (uint32_t)(at[0] * side)];
}

/* A sample of the lobe around the z axis: its direction, its weight, and the level of the source whose texels have the
 * size of the solid angle that the sample represents (Krivanek and Colbert 2008, Real-time Shading with Filtered
 * Importance Sampling). */
struct lobe_sample {
    double d[3], weight, level;
};

/* Uses Hammersley points and half-way vectors of the Trowbridge-Reitz distribution, with the eye in the direction of
 * the normal. Leaves out samples below the surface. Returns the number of samples. */
static uint32_t make_lobe(double roughness, uint32_t sample_count, struct lobe_sample *samples)
{
    const double alpha2 = pow(roughness, 4);
    const double inside = 1 - 2 * ENVIRONMENT_MARGIN;
    const double texel = 4 * PI / (ENVIRONMENT_SIDE * ENVIRONMENT_SIDE * inside * inside); /* steradians */
    uint32_t count = 0;
    for (uint32_t i = 0; i < sample_count; i++) {
        double radical = 0, digit = 0.5;
        for (uint32_t bits = i; bits != 0; bits /= 2, digit /= 2)
            radical += (bits % 2) * digit;
        const double share = (i + 0.5) / sample_count, angle = 2 * PI * radical;
        const double n_half = sqrt((1 - share) / (1 + (alpha2 - 1) * share));
        const double n_light = 2 * n_half * n_half - 1, across = sqrt(fmax(0, 1 - n_light * n_light));
        if (n_light <= 0)
            continue;
        const double spread = n_half * n_half * (alpha2 - 1) + 1;
        const double density = alpha2 / (PI * spread * spread) / 4; /* in directions */
        samples[count++] = (struct lobe_sample){.d = {across * cos(angle), across * sin(angle), n_light},
                                                .weight = n_light,
                                                .level = 0.5 * log2(1 / (sample_count * density) / texel)};
    }
    return count;
}

static void filter(const struct source *source, const struct lobe_sample *samples, uint32_t count, const double n[3],
                   double rgb[3])
{
    /* any two axes perpendicular to n */
    const double helper[3] = {fabs(n[2]) >= 0.8, 0, fabs(n[2]) < 0.8};
    double x[3] = {helper[1] * n[2] - helper[2] * n[1], helper[2] * n[0] - helper[0] * n[2],
                   helper[0] * n[1] - helper[1] * n[0]};
    const double length = sqrt(x[0] * x[0] + x[1] * x[1] + x[2] * x[2]);
    for (int i = 0; i < 3; i++)
        x[i] /= length;
    const double y[3] = {n[1] * x[2] - n[2] * x[1], n[2] * x[0] - n[0] * x[2], n[0] * x[1] - n[1] * x[0]};
    double weight = 0;
    rgb[0] = rgb[1] = rgb[2] = 0;
    for (uint32_t s = 0; s < count; s++) {
        const double *l = samples[s].d;
        double d[3];
        for (int i = 0; i < 3; i++)
            d[i] = x[i] * l[0] + y[i] * l[1] + n[i] * l[2];
        const float *seen = read_source(source, d, samples[s].level);
        for (int c = 0; c < 3; c++)
            rgb[c] += samples[s].weight * (double)seen[c];
        weight += samples[s].weight;
    }
    for (int c = 0; c < 3; c++)
        rgb[c] /= weight;
}

/* Rounds a number from 0 to HALF_MOST to the nearest half float. */
static uint16_t half_of(double x)
{
    int exponent;
    if (x < ldexp(1, -25))
        return 0;
    frexp(x, &exponent);
    exponent = exponent < -13 ? -13 : exponent; /* subnormals have the exponent of the smallest normal number */
    return (uint16_t)((uint32_t)(exponent + 13) * 1024 + (uint32_t)lrint(ldexp(x, 11 - exponent)));
}

static void put_texel(uint16_t texel[4], const double rgb[3])
{
    for (int c = 0; c < 3; c++)
        texel[c] = half_of(rgb[c]);
    texel[3] = half_of(1);
}

/* Makes each level from the source. samples: has room for those of the last level. */
static void put_levels(const struct source *source, struct lobe_sample *samples, uint16_t (*texel)[4])
{
    for (uint32_t l = 0; l < ENVIRONMENT_LEVELS; l++) {
        const uint32_t side = (uint32_t)ENVIRONMENT_SIDE >> l;
        const uint32_t count =
            l == 0 ? 0 : make_lobe((l * l + 2 * l) / 15.0, (uint32_t)LOBE_SAMPLES << (l - 1), samples);
        for (uint32_t t = 0; t < side * side; t++) {
            const double at[2] = {(t % side + 0.5) / side, (t / side + 0.5) / side};
            double d[3], rgb[3];
            octahedron_direction(at, d);
            for (int c = 0; c < 3 && l == 0; c++)
                rgb[c] = (double)source->texels[t][c];
            if (l > 0)
                filter(source, samples, count, d, rgb);
            put_texel(*texel++, rgb);
        }
    }
}

int environment_make(environment_radiance *radiance, const void *context, uint32_t detail,
                     int (*is_stopped)(const void *stop), const void *stop, struct environment *out)
{
    struct source source = {malloc(ENVIRONMENT_TEXELS * sizeof *source.texels)};
    struct lobe_sample *samples = malloc(((size_t)LOBE_SAMPLES << (ENVIRONMENT_LEVELS - 2)) * sizeof *samples);
    const bool is_good =
        source.texels != NULL && samples != NULL && fill_first(radiance, context, detail, &source, is_stopped, stop);
    if (is_good) {
        fill_rest(&source);
        put_levels(&source, samples, out->map);
        environment_project(radiance, context, detail, &out->harmonics);
    }
    free(source.texels);
    free(samples);
    return is_good ? 0 : -1;
}
