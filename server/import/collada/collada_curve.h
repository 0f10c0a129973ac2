/* collada_curve.h - a COLLADA sampler: keys of one or more components and what is between them. Pure; any thread.
 *
 * COLLADA 1.4.1 specification, chapter 4, "Curve interpolation": LINEAR; STEP holds a key's value until the next key;
 * BEZIER with control points given by OUT_TANGENT of the key before and IN_TANGENT of the key behind; HERMITE, whose
 * tangents T make the control points P + T/3 and P - T/3. Both are curves in the plane of time and value: the time is
 * solved for the parameter first. Before the first key and behind the last the nearest value holds. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

enum curve_kind { CURVE_LINEAR, CURVE_STEP, CURVE_BEZIER };

/* The two control points of a piece between two keys. */
struct curve_control {
    double x0, y0, x1, y1;
};

struct collada_sampler {
    double *times;                  /* [key_count], not falling, finite; at least 1 */
    double *values;                 /* [key_count * width] */
    uint8_t *kinds;                 /* [key_count] CURVE_ of the piece behind the key */
    struct curve_control *controls; /* [key_count * width] of the piece behind the key; NULL where none is curved */
    uint32_t key_count, width;
};

void sampler_fini(struct collada_sampler *sampler);

/* Makes sure that the curve is a function of time: control points that would turn it back, which the specification
 * forbids, are moved between the keys. Returns how many pieces that changes. */
uint32_t sampler_repair(struct collada_sampler *sampler);

/* Component `component` at a time. */
double sampler_at(const struct collada_sampler *sampler, uint32_t component, double time_s);
/* Index of the last key that is not after the time; 0 when all are. */
uint32_t sampler_key(const struct collada_sampler *sampler, double time_s);
