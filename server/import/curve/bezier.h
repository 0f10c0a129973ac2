/* bezier.h - curves in the plane of time and value. Pure; any thread. */
#pragma once

/* The parameter in 0..1 at which the cubic Bezier curve with the control values 0, a, b, 1 reaches u, 0..1: where a
 * curve in the plane is at a time. It rises where a and b are in 0..1. */
double bezier_parameter(double a, double b, double u);
