/* given_rotation.h - rotations as requests write them. Pure; any thread. */
#pragma once

#include <stdbool.h>

/* The six orders of turns about the axes of a node, and their names: "xyz" turns about the node's x axis, then about
 * its new y axis, then about its new z axis, so that R = Rx * Ry * Rz. */
enum rotation_order { ORDER_XYZ, ORDER_XZY, ORDER_YXZ, ORDER_YZX, ORDER_ZXY, ORDER_ZYX, ORDER_COUNT };
extern const char *const ROTATION_ORDERS[ORDER_COUNT];

/* Converts degrees about x, y and z, finite, to a unit quaternion x, y, z, w. */
void rotation_from_degrees(const double degrees[3], enum rotation_order order, double out[4]);

/* Does what quat_repair() does to the rotations of files. A unit quaternion that was rounded to floats becomes a unit
 * quaternion that rounds to the same floats, so that an answer that is sent back comes again with the same bits. False
 * when the length is 0 or not finite. */
bool rotation_repair(double q[4]);
