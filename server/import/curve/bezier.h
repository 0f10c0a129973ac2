/* bezier.h - evaluates curves in the plane of time and value. Pure; any thread. */
#pragma once

/* Returns the parameter in 0..1 at which the cubic Bezier curve with the control values 0, a, b, 1 reaches u in 0..1.
 * This solves a curve's time for its parameter. The curve is monotonic if a and b are in 0..1. */
double bezier_parameter(double a, double b, double u);
