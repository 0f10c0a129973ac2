/* export_units.c - directions of vertices, of unit length. */
#include "anim/model/mat.h"
#include "wire/export/export_internal.h"

/* Other tools reject a direction further from unit length (their threshold is twice as large). */
static const double UNIT_TOLERANCE = 3e-3;

bool export_is_unit(const struct vec3 *v) { return fabs(sqrt(dot3(DOUBLE3(*v), DOUBLE3(*v))) - 1) < UNIT_TOLERANCE; }

/* Normalises a direction; a zero vector becomes up, towards the light. */
static struct vec3 made_unit(const struct vec3 *v)
{
    double unit[3] = {(double)v->x, (double)v->y, (double)v->z};
    return unit3(unit) > 0 ? (struct vec3){(float)unit[0], (float)unit[1], (float)unit[2]} : (struct vec3){0, 1, 0};
}

struct vec3 export_unit(const struct vec3 *v) { return export_is_unit(v) ? *v : made_unit(v); }
