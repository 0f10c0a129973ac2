/* trig.h - sine, cosine and arc tangent with the same bits on every machine. Pure; any thread.
 *
 * The C library's differ in the last bit from version to version and from processor to processor: glibc chooses at
 * start whether its own use fused multiply-adds. What a pose is evaluated by must not. These are sums and products of
 * doubles in a fixed order (-ffp-contract=off, Makefile) and sqrt() and floor(), which IEEE 754 defines to the bit.
 *
 * Error: sine and cosine less than a unit in the last place where they are not within 1e-12 of 0, there less than
 * 1e-27; the arc less than two and a half units (tests/unit/anim/test_trig.c). */
#pragma once

/* Radians, |angle| <= TRIG_MAX; NaN beyond. */
#define TRIG_MAX 100.0
double trig_sin(double angle);
double trig_cos(double angle);

/* atan2(y, x) for x >= 0: -pi/2..pi/2; 0 where both are 0. Finite arguments. */
double trig_atan(double y, double x);
