/* glb.h - writes a glTF 2.0 binary container (specification, 3.6 and 4.4): it gathers arrays in the binary chunk,
 * describes them in JSON, and assembles the file.
 *
 * Pure; any thread with its own struct glb_writer. The caller adds its arrays, writes its JSON between glb_start() and
 * glb_finish(), and calls glb_put_arrays() within that JSON. */
#pragma once

#include "anim/model/model.h"
#include "base/buf.h"

#include <stdbool.h>
#include <stdint.h>

#define GLB_CONTENT_TYPE "model/gltf-binary"
#define GLB_NONE         UINT32_MAX       /* used in place of an index */
#define GLB_GROUPED      (UINT32_MAX - 1) /* in place of the view of an array whose group has none yet */

/* How arrays are stored. What is lost was lost before: arrays of floats keep their bits. */
enum glb_compression {
    GLB_PLAIN,
    GLB_MESHOPT, /* EXT_meshopt_compression, where it reduces the size */
    GLB_DRACO,   /* KHR_draco_mesh_compression for meshes ended by glb_end_mesh(), where it reduces the size */
};

struct glb_groups;
struct glb_writer {
    struct buf bin;                   /* content of the binary chunk */
    struct buf views;                 /* struct glb_buffer_view */
    struct buf packed;                /* scratch */
    struct buf accessors;             /* struct glb_accessor */
    enum glb_compression compression; /* for arrays added from now on; GLB_PLAIN after glb_clear() */
    uint64_t
        unpacked_bytes; /* size of the uncompressed buffer that packed views refer to; the file does not contain it */
    uint32_t first_accessor;   /* of the current mesh */
    struct glb_groups *groups; /* gathers arrays, or NULL; the caller's */
};

/* The use of an array, and its element type. */
enum glb_array {
    GLB_POSITION, /* struct vec3, like the next one */
    GLB_NORMAL,
    GLB_TANGENT,  /* struct vec4 */
    GLB_TEXCOORD, /* struct vec2, like the next one */
    GLB_SECOND_TEXCOORD,
    GLB_COLOR,        /* struct rgba8, or GLB_FINE_COLOR in its place */
    GLB_INDICES,      /* uint32_t; the last of the arrays that a primitive has at most once */
    GLB_JOINTS,       /* uint8_t[4] */
    GLB_LARGE_JOINTS, /* uint16_t[4] */
    GLB_WEIGHTS,      /* float[4] */
    GLB_DELTA,        /* struct vec3: position deltas of a morph target; with bounds */
    GLB_NORMAL_DELTA, /* struct vec3 */
    GLB_MATRIX,       /* struct mat4 */
    GLB_TIME,         /* float: key times; with bounds */
    GLB_SCALAR,       /* float, float[2], float[3], float[4]: key values */
    GLB_VEC2,
    GLB_VEC3,
    GLB_VEC4,
    GLB_FLAG,          /* uint8_t */
    GLB_OTHER_INDICES, /* like GLB_INDICES, but of lines and points */
    GLB_FINE_COLOR,    /* struct rgba16 */
    /* smaller forms (KHR_mesh_quantization; glTF 2.0, 3.11) */
    GLB_SHORT_POSITION, /* int16_t[4], the last one 0: x, y, z by 32767, of a grid */
    GLB_SHORT_DELTA,    /* int16_t[4]: likewise, of morph targets */
    GLB_BYTE_NORMAL,    /* int8_t[4], filtered: MESHOPT_OCTAHEDRAL, like the next one */
    GLB_BYTE_TANGENT,
    GLB_BYTE_NORMAL_DELTA, /* int8_t[4], the last one 0: x, y, z by 127 */
    GLB_SHORT_TEXCOORD,    /* uint16_t[2]: 0 to 1 by 65535, like the next one */
    GLB_SECOND_SHORT_TEXCOORD,
    GLB_SHORT_WEIGHTS, /* uint16_t[4]: by 65535 */
    GLB_SHORT_INDICES, /* uint16_t, of triangles; the next one: of lines and points */
    GLB_OTHER_SHORT_INDICES,
    GLB_ROTATION,        /* int16_t[4], filtered: MESHOPT_QUATERNION */
    GLB_FILTERED_SCALAR, /* uint32_t, [3] and [4], filtered: MESHOPT_EXPONENTIAL */
    GLB_FILTERED_VEC3,
    GLB_FILTERED_VEC4,
    GLB_ARRAY_COUNT
};

struct glb_buffer_view {
    uint64_t offset, size_bytes; /* in the binary chunk */
    uint32_t target;             /* OpenGL buffer target; 0 for an image */
    enum glb_array array;        /* this and the following fields describe a packed view */
    uint32_t count;              /* number of elements; 0: the view is not packed */
    uint64_t unpacked_offset;
    bool is_shared; /* by several arrays of a vertex */
    bool is_image;
};

struct glb_accessor {
    enum glb_array array;
    uint32_t view, count; /* view: GLB_NONE for an array in a mesh's Draco stream */
    struct vec3 min, max; /* of arrays with bounds; GLB_TIME uses only x */
    uint64_t offset;      /* in its view */
};

/* Begins a file. limit_bytes limits the binary chunk, and also its uncompressed size. */
void glb_clear(struct glb_writer *glb, size_t limit_bytes);

/* Adds an array of at least one element and returns its accessor. Elements are finite; NULL: zeros. Compression may
 * rotate the corners of each triangle of GLB_INDICES. */
uint32_t glb_add(struct glb_writer *glb, enum glb_array array, const void *elements, uint32_t count);
/* With glb->groups, arrays of one kind other than indices and flags have one view, and equal arrays one accessor.
 * glb_groups_new() returns NULL when out of memory. glb_end_groups() makes the views, after the last array.
 * glb_groups_merged() returns how many arrays equalled an earlier one, and their bytes. */
struct glb_groups *glb_groups_new(void);
void glb_groups_free(struct glb_groups *groups);
void glb_end_groups(struct glb_writer *glb);
uint32_t glb_groups_merged(const struct glb_groups *groups, uint64_t *size_bytes);
/* Adds colours as GLB_COLOR if these are the same to the eye, else as GLB_FINE_COLOR. */
uint32_t glb_add_colors(struct glb_writer *glb, const struct rgba16 *colors, uint32_t count);
/* Between these two calls the caller adds the arrays of a primitive's triangles, including the indices, in any order.
 * glb_end_mesh() returns the view of the Draco stream that replaces them, or GLB_NONE when they stay unchanged. In the
 * stream the id of an array is the number of arrays, other than indices, before it. */
void glb_start_mesh(struct glb_writer *glb);
uint32_t glb_end_mesh(struct glb_writer *glb);
/* Between these two calls the caller appends an image to glb->bin. glb_end_image() returns its view; with glb->groups,
 * that of an equal image. */
void glb_start_image(struct glb_writer *glb);
uint32_t glb_end_image(struct glb_writer *glb);
/* Returns the number of accessors so far. */
uint32_t glb_accessor_count(const struct glb_writer *glb);
/* True when a buffer overflowed its limit. */
bool glb_failed(const struct glb_writer *glb);

/* Reserves space for the file header in the empty buffer `out`. The JSON follows. */
void glb_start(struct buf *out);
/* Appends ,"accessors":[..],"bufferViews":[..],"buffers":[..] without the empty ones. */
void glb_put_arrays(const struct glb_writer *glb, struct buf *out);
/* Pads the JSON, appends the binary chunk unless it is empty, and fills in the file header. False when the file is too
 * long for a GLB, or `out` overflowed. */
bool glb_finish(const struct glb_writer *glb, struct buf *out);
