"""Hits by numpy, from what the server tells of volumes, poses and meshes; shares no code with it.

A ray enters a convex solid where its depth, the distance to the solid's surface (below 0 inside), falls to 0. The depth is
convex along the ray: its least value is found by golden sections, the entry by halving. All in joint space, where the ray
is taken by the inverse of the joint's matrix."""
import math

import numpy as np

GOLDEN = (math.sqrt(5) - 1) / 2


def axes_of(rotation):
    x, y, z, w = np.array(rotation, float) / np.linalg.norm(rotation)
    return np.array([[1 - 2 * (y * y + z * z), 2 * (x * y + z * w), 2 * (x * z - y * w)],
                     [2 * (x * y - z * w), 1 - 2 * (x * x + z * z), 2 * (y * z + x * w)],
                     [2 * (x * z + y * w), 2 * (y * z - x * w), 1 - 2 * (x * x + y * y)]])


def depth(volume, point):
    """The distance of a point of joint space from the surface: above 0 outside."""
    if volume["kind"] == "box":
        return np.max(np.abs(axes_of(volume["rotation"]) @ (point - volume["center"])) - volume["half"])
    begin = np.array(volume["from"] if volume["kind"] == "capsule" else volume["center"])
    axis = np.array(volume["to"]) - begin if volume["kind"] == "capsule" else np.zeros(3)
    along = np.clip((point - begin) @ axis / (axis @ axis), 0, 1) if axis @ axis > 0 else 0
    return np.linalg.norm(point - begin - along * axis) - volume["radius"]


def depth_along(volume, origin, step):
    """depth() of origin + t * step as a function of t, in plain floats, because it is called hundreds of times a ray."""
    if volume["kind"] == "box":
        axes = axes_of(volume["rotation"])
        starts, steps = (axes @ (origin - volume["center"])).tolist(), (axes @ step).tolist()
        sides = list(zip(starts, steps, map(float, volume["half"])))
        return lambda t: max(abs(a + t * b) - half for a, b, half in sides)
    begin = np.array(volume["from"] if volume["kind"] == "capsule" else volume["center"])
    axis = np.array(volume["to"]) - begin if volume["kind"] == "capsule" else np.zeros(3)
    (x, y, z), (dx, dy, dz), (ax, ay, az) = (origin - begin).tolist(), step.tolist(), axis.tolist()
    square, radius = ax * ax + ay * ay + az * az, volume["radius"]

    def at(t):
        px, py, pz = x + t * dx, y + t * dy, z + t * dz
        along = min(max((px * ax + py * ay + pz * az) / square, 0.0), 1.0) if square > 0 else 0.0
        return math.sqrt((px - along * ax) ** 2 + (py - along * ay) ** 2 + (pz - along * az) ** 2) - radius

    return at


def enter(volume, world_from_joint, origin, direction, most=1000.0):
    """The distance along a unit direction at which the ray enters the volume, or None."""
    joint_from_world = np.linalg.inv(world_from_joint)
    at = depth_along(volume, (joint_from_world @ [*origin, 1])[:3], (joint_from_world @ [*direction, 0])[:3])
    if at(0.0) <= 0:
        return 0.0
    low, high = 0.0, most
    for _ in range(90):
        a, b = high - GOLDEN * (high - low), low + GOLDEN * (high - low)
        if at(a) < at(b):
            high = b
        else:
            low = a
    if at(high) > 0:
        return None
    low = 0.0
    for _ in range(70):
        middle = (low + high) / 2
        low, high = (low, middle) if at(middle) <= 0 else (middle, high)
    return high


def triangle(corners, origin, direction):
    """(distance, barycentric coordinates), or None; by Cramer's rule."""
    a, b, c = corners
    matrix = np.array([b - a, c - a, -np.asarray(direction)]).T
    if abs(np.linalg.det(matrix)) < 1e-12:
        return None
    v, w, t = np.linalg.solve(matrix, np.asarray(origin) - a)
    shares = np.array([1 - v - w, v, w])
    return (t, shares) if t >= 0 and (shares >= 0).all() else None
