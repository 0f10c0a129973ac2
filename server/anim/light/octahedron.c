/* octahedron.c - folds the sphere into a square: the front (+z) in its middle, the back in its corners (Cigolle et al.
 * 2014, A Survey of Efficient Representations for Independent Unit Vectors). */
#include "anim/light/octahedron.h"
#include "anim/light/environment.h"

#include <math.h>
#include <stdbool.h>

static const double INSIDE = 0.5 - ENVIRONMENT_MARGIN;

void octahedron_place(const double d[3], double at[2])
{
    const double sum = fabs(d[0]) + fabs(d[1]) + fabs(d[2]);
    double u = d[0] / sum, v = d[1] / sum;
    if (d[2] < 0) {
        const double folded = copysign(1 - fabs(v), u);
        v = copysign(1 - fabs(u), v);
        u = folded;
    }
    at[0] = 0.5 + INSIDE * u;
    at[1] = 0.5 + INSIDE * v;
}

void octahedron_direction(const double at[2], double d[3])
{
    double u = (at[0] - 0.5) / INSIDE, v = (at[1] - 0.5) / INSIDE;
    /* beyond an edge the map continues on the other half of the same edge */
    if (fabs(u) > 1) {
        u = copysign(2, u) - u;
        v = -v;
    }
    if (fabs(v) > 1) {
        v = copysign(2, v) - v;
        u = -u;
    }
    const double z = 1 - fabs(u) - fabs(v);
    const bool is_back = z < 0;
    const double x = is_back ? copysign(1 - fabs(v), u) : u, y = is_back ? copysign(1 - fabs(u), v) : v;
    const double length = sqrt(x * x + y * y + z * z);
    d[0] = x / length;
    d[1] = y / length;
    d[2] = z / length;
}
