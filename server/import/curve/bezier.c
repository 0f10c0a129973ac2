/* bezier.c - Newton's method, kept in a shrinking bracket. */
#include "import/curve/bezier.h"

double bezier_parameter(double a, double b, double u)
{
    double low = 0, high = 1, s = u;
    for (int i = 0; i < 100; i++) {
        const double r = 1 - s;
        const double x = 3 * r * r * s * a + 3 * r * s * s * b + s * s * s;
        const double slope = 3 * (r * r * a + 2 * r * s * (b - a) + s * s * (1 - b));
        if (x == u)
            break;
        if (x < u)
            low = s;
        else
            high = s;
        double next = slope > 0 ? s - (x - u) / slope : low;
        if (!(next > low && next < high))
            next = (low + high) / 2;
        if (next == s || !(high > low))
            break;
        s = next;
    }
    return s;
}
