/* octahedron.h - converts between directions and places in the square map of an environment (environment.h). Pure. */
#pragma once

/* Computes the place of direction d. Both coordinates are 0 to 1 without the margin. */
void octahedron_place(const double d[3], double at[2]);
/* Computes the direction, a unit vector, of a place. A place in the margin wraps around the edge. */
void octahedron_direction(const double at[2], double d[3]);
