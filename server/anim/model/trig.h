/* trig.h - sine, cosine and arc tangent with the same bits on every machine. Pure; any thread.
 *
 * The C library's results differ in the last bit between versions and processors: glibc decides at start whether to use
 * fused multiply-adds. Poses must not differ. These functions only use sums and products of doubles in a fixed order
 * (-ffp-contract=off, Makefile), and sqrt() and floor(), which IEEE 754 defines to the bit.
 *
 * Error: sine and cosine are within one unit in the last place, or within 1e-27 where they are closer to 0 than 1e-12.
 * The arc tangent is within two and a half units (tests/unit/anim/test_trig.c). */
#pragma once

/* Takes radians, |angle| <= TRIG_MAX; returns NaN beyond. */
#define TRIG_MAX 100.0
double trig_sin(double angle);
double trig_cos(double angle);

/* Returns atan2(y, x) for x >= 0: -pi/2..pi/2, and 0 where both are 0. Arguments must be finite. */
double trig_atan(double y, double x);
