/* fixture.h - baked models for tests: built by hand, finished, encoded and decoded again. */
#pragma once

#include "anim/bake/bake.h"

#include <stddef.h>

/* A colour that bytes give exactly. */
static inline struct rgba16 fixture_color(unsigned r, unsigned g, unsigned b, unsigned a)
{
    return (struct rgba16){(uint16_t)(r * 257), (uint16_t)(g * 257), (uint16_t)(b * 257), (uint16_t)(a * 257)};
}

struct fixture {
    struct bake_builder builder;
    void *block; /* 64-byte aligned heap block of exactly size_bytes */
    size_t size_bytes;
    struct model model; /* the decoded view of block */
};

void fixture_init(struct fixture *fixture);
/* Adds a node with this transform and no mesh; rotation x, y, z, w. Returns its index. */
uint32_t fixture_node(struct fixture *fixture, int32_t parent, const float translation[3], const float rotation[4],
                      const float scale[3]);
void fixture_root(struct fixture *fixture, uint32_t node);
/* Adds a mesh of one primitive: `vertex_count` positions with normals +z and no influences; one point index
 * per vertex. Returns the mesh's index. */
uint32_t fixture_mesh(struct fixture *fixture, const struct vec3 *positions, uint32_t vertex_count);
/* Adds a mesh: a square with half side `half` at `middle`, facing +z. Its vertices follow joints 0 and 1 of a skin with
 * these weights [2]; NULL: no influences. Returns the mesh's index. */
uint32_t fixture_square(struct fixture *fixture, struct vec3 middle, float half, const float *weights);
/* Adds a node at the scene's root with this mesh and skin, or -1. Returns its index. */
uint32_t fixture_mesh_node(struct fixture *fixture, uint32_t mesh, int32_t skin);
/* Adds a skin of these nodes; inverse bind matrices are the identity. Returns its index. */
uint32_t fixture_skin(struct fixture *fixture, const uint32_t *nodes, uint32_t joint_count);
/* Adds a clip without channels, then channels to the clip added last. */
uint32_t fixture_clip(struct fixture *fixture);
void fixture_channel(struct fixture *fixture, uint32_t node, enum channel_path path, enum interpolation interpolation,
                     uint32_t component_count, const double *times, uint32_t key_count, const float *values);
/* Runs bake_finish, encode and decode; each must succeed. */
void fixture_finish(struct fixture *fixture);
void fixture_fini(struct fixture *fixture);

/* Makes a small model with something in every section, but constraints. */
void fixture_worked(struct fixture *fixture);
/* Makes nodes with constraints of all kinds, which depend on each other. */
void fixture_constrained(struct fixture *fixture);

/* Copies the bytes to a block at a multiple of 64 of exactly their size, so that ASan detects a read past its end. The
 * caller frees it. */
void *fixture_aligned_copy(const void *bytes, size_t size_bytes);

extern const float FIXTURE_ZERO[3], FIXTURE_ONE[3], FIXTURE_NO_TURN[4];
