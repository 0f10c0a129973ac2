/* octahedron.h - directions and their places in the square map of an environment (environment.h). Pure. */
#pragma once

/* Where direction d lies, both coordinates from 0 to 1, the margin not reached. */
void octahedron_place(const double d[3], double at[2]);
/* The direction, a unit vector, of a place; also of those in the margin, which lie around the edge. */
void octahedron_direction(const double at[2], double d[3]);
