/* collada_curve.h - a COLLADA sampler: keys of one or more components and the curves between them. Pure; any thread.
 *
 * COLLADA 1.4.1 specification, chapter 4, "Curve interpolation": LINEAR; STEP, which holds a key's value until the next
 * key; BEZIER, with control points from OUT_TANGENT of the key before and IN_TANGENT of the key after; HERMITE, whose
 * tangents T give the control points P + T/3 and P - T/3. BEZIER and HERMITE are curves in the plane of time and value,
 * so the evaluation first solves the time for the parameter. The nearest value holds before the first key and after the
 * last. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

enum curve_kind { CURVE_LINEAR, CURVE_STEP, CURVE_BEZIER };

/* The two control points of a curve segment between two keys. */
struct curve_control {
    double x0, y0, x1, y1;
};

struct collada_sampler {
    double *times;                  /* [key_count], non-decreasing and finite; at least 1 */
    double *values;                 /* [key_count * width] */
    uint8_t *kinds;                 /* [key_count]: CURVE_ of the segment after the key */
    struct curve_control *controls; /* [key_count * width] of the segment after the key; NULL if none is curved */
    uint32_t key_count, width;
};

void sampler_fini(struct collada_sampler *sampler);

/* Makes the curve a function of time. The specification forbids control points that make a curve run back in time; this
 * function moves them between the keys. Returns the number of changed segments. */
uint32_t sampler_repair(struct collada_sampler *sampler);

/* Evaluates component `component` at a time. */
double sampler_at(const struct collada_sampler *sampler, uint32_t component, double time_s);
/* Returns the index of the last key at or before the time; 0 if there is none. */
uint32_t sampler_key(const struct collada_sampler *sampler, double time_s);
