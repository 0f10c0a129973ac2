/* chance_rig.h - random rigs for tests: rotated, unevenly scaled, off the origin. */
#pragma once

#include "tests/unit/support/fixture.h"

#include <math.h>

static uint64_t chance_state;

static double chance(void)
{
    chance_state ^= chance_state >> 12;
    chance_state ^= chance_state << 25;
    chance_state ^= chance_state >> 27;
    return (double)((chance_state * 0x2545F4914F6CDD1Du) >> 11) / 9007199254740992.0;
}

static float between(double low, double high) { return (float)(low + (high - low) * chance()); }

/* A random rotation within `way` of `base`, or anywhere. */
static void random_turn_near(const float *base, double way, float q[4])
{
    double square = 0;
    for (int i = 0; i < 4; i++) {
        q[i] = (base == NULL ? 0 : base[i]) + between(-way, way);
        square += (double)q[i] * (double)q[i];
    }
    for (int i = 0; i < 4; i++)
        q[i] = (float)((double)q[i] / sqrt(square));
}

static void random_turn(float q[4]) { random_turn_near(NULL, 1, q); }

enum { NODES_MAX = 60, KEYS = 7 };
static const double TIMES[KEYS] = {0.25, 0.5, 0.625, 1, 1.1, 1.75, 2};
static const double OTHER_TIMES[KEYS] = {0.1, 0.5, 0.75, 1, 1.2, 1.5, 1.875};

/* Adds a square around every joint as vertices of the skin, which gives the model its size. */
static void add_mesh(struct fixture *f, uint32_t skin)
{
    const struct vec3 corners[4] = {{-2, -2, 1}, {3, -2, 0}, {-2, 3, 5}, {4, 4, -3}};
    const uint32_t mesh = fixture_mesh(f, corners, 4);
    fixture_mesh_node(f, mesh, (int32_t)skin);
}

/* Adds `count` nodes. The last ones have random parents; node 0 is far from the origin. */
static void add_rig(struct fixture *f, uint32_t count)
{
    for (uint32_t n = 0; n < count; n++) {
        const float place[3] = {n == 0 ? 2 : between(-0.5, 0.5), n == 0 ? -3 : between(0, 1), between(-0.5, 0.5)};
        const float scale[3] = {between(0.9, 1.1), between(0.9, 1.1), n % 5 == 4 ? -1 : between(0.9, 1.1)};
        float turn[4];
        random_turn(turn);
        const uint32_t nearest = n > 12 ? n - 12 : 0;
        fixture_node(f, n == 0 ? -1 : (int32_t)(nearest + (uint32_t)(chance() * (n - nearest))), place, turn, scale);
    }
    fixture_root(f, 0);
}

static void add_skin(struct fixture *f, uint32_t first, uint32_t count, uint32_t step)
{
    uint32_t joints[NODES_MAX] = {0};
    const uint32_t base = f->builder.joint_count;
    for (uint32_t j = 0; j < count; j++)
        joints[j] = first + (count - 1 - j) * step;
    const uint32_t skin = fixture_skin(f, joints, count);
    for (uint32_t j = 0; j < count; j++)
        for (int e = 0; e < 12; e++)
            f->builder.joints[base + j].joint_from_bind.m[e / 3 * 4 + e % 3] =
                between(-0.3, 0.3) + (e % 4 == 0 && e < 9);
    add_mesh(f, skin);
}

/* Adds random keys that are not far from each other; `interpolation` may be CUBICSPLINE. */
static void add_channel(struct fixture *f, uint32_t node, enum channel_path path, enum interpolation interpolation,
                        const double *times, uint32_t keys)
{
    const uint32_t size = path == PATH_ROTATION ? 4 : 3, parts = interpolation == INTERPOLATION_CUBICSPLINE ? 3 : 1;
    float values[KEYS * 12], base[4];
    random_turn(base);
    for (uint32_t k = 0; k < keys; k++)
        for (uint32_t p = 0; p < parts; p++) {
            float *to = values + (k * parts + p) * size;
            if (path == PATH_ROTATION)
                random_turn_near(base, 0.4, to);
            for (uint32_t i = 0; i < size && path != PATH_ROTATION; i++)
                to[i] = path == PATH_SCALE ? between(0.8, 1.2) : between(-1, 1);
        }
    fixture_channel(f, node, path, interpolation, size, times, keys, values);
}
