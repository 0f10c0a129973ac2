/* gather.h - rasterizes meshes into visible samples: the normal, colour, texture coordinates and depth of the nearest
 * surface at each sample. The shader then lights each sample once, whatever the size of the triangles, while llvmpipe
 * shades blocks of 4 x 4 samples for each of them. Pure; one thread per struct gather. Memory is kept from picture to
 * picture.
 *
 * Samples are at the centres of their squares, rows go from the bottom to the top, as in OpenGL's windows. A sample on
 * an edge that two triangles share belongs to one of them. */
#pragma once

#include "anim/model/mat.h"
#include "anim/model/model.h"
#include "base/err.h"

#include <stdbool.h>
#include <stdint.h>

/* For larger pictures the memory is not worth the time that it saves. depth_order.h also stops sorting at this number
 * of triangles. */
enum { GATHER_SAMPLES_MAX = 1 << 20, GATHER_TRIANGLES_MAX = 1 << 19, GATHER_MESHES_MAX = 255 };

/* Four unsigned numbers, as shaders/gathered.glsl reads them. All are zero where nothing is drawn. */
struct gathered_sample {
    uint32_t normal; /* view space, on the visible side: octahedral (Meyer et al. 2010, On Floating-Point Normal
                        Vectors), 14 bits each; and the upper 4 bits of the footprint */
    uint32_t color;  /* of the vertices, 8 bits each for the square roots of red, green and blue, whose steps are as
                        even to the eye as those of the picture. A mesh with bumps has a tangent instead: 11 and 12
                        bits, and above those 1 where the bitangent is -cross(normal, tangent); all ones without one.
                        And the lower 8 bits of the footprint */
    float uv[2];
};
/* The footprint encodes the share s of the texture's longer side that a sample covers: 1 + 128 * (24 + log2 s). */

enum gather_cull { GATHER_BOTH_SIDES, GATHER_COUNTERCLOCKWISE, GATHER_CLOCKWISE };

/* A mesh to rasterize. The caller keeps the arrays from gather_add() to gather_finish(). */
struct gather_mesh {
    const struct vec3 *positions, *normals; /* [vertex_count], view space */
    const struct vec4 *tangents;  /* view space, w: side of the bitangent; or NULL: from texture coordinates */
    const struct vec2 *texcoords; /* or NULL */
    const struct rgba16 *colors;  /* or NULL: white */
    const uint32_t *indices;      /* [index_count]: triangles */
    uint32_t vertex_count, index_count;
    float uv_from_texcoord[6]; /* two rows */
    float texels[2];           /* width and height of the textures, divided by the larger one */
    bool has_bumps;            /* samples have tangents, and no colours */
    bool is_flat;              /* face normals instead of vertex normals */
    enum gather_cull seen;     /* the visible side of the triangles */
    uint64_t point_first;      /* set by gather_add() */
};

struct gather {
    uint32_t width, height;
    /* Results of gather_finish(): the rectangle that contains all samples, and arrays with its rows and columns. */
    uint32_t first_x, first_y, columns, rows;
    struct gathered_sample *samples;
    uint32_t *depth_stencils; /* 24 bits of depth above 8 bits of stencil: 1 + the number of the mesh, 0 for nothing */

    float *depths;     /* [height][width], 0 to 1 as in the depth buffer, of the nearest surface */
    uint32_t *nearest; /* index of the nearest triangle */
    struct gather_point *points;
    struct gather_triangle *triangles;
    struct gather_mesh meshes[GATHER_MESHES_MAX];
    uint32_t mesh_count, last_x, last_y; /* one past the rectangle */
    uint64_t point_count, triangle_count;
    uint64_t sample_capacity, stencil_capacity, depth_capacity, nearest_capacity, point_capacity, triangle_capacity;
};

/* Starts a picture of width x height samples, for these total numbers of vertices and triangles. Zero-initialise
 * *gather before the first call. Returns 0 or ERR_NO_MEMORY. */
int gather_begin(struct gather *gather, uint32_t width, uint32_t height, uint64_t vertex_count, uint64_t triangle_count,
                 struct err *err);
/* Adds a mesh. False, without a change, when it reaches too far out of the picture or beyond near and far, or when
 * there are too many meshes. */
bool gather_add(struct gather *gather, const struct gather_mesh *mesh, const struct mat4 *clip_from_view);
/* Computes the results. Returns 0 or ERR_NO_MEMORY. */
int gather_finish(struct gather *gather, struct err *err);
void gather_fini(struct gather *gather);
