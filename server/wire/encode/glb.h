/* glb.h - the container of an answer as glTF 2.0 binary (specification, 3.6 and 4.4): arrays gathered into the binary
 * chunk, the JSON that describes them, and the file around both.
 *
 * Pure; any thread with its own struct glb_writer. The writer of an answer adds its arrays, writes its JSON between
 * glb_start() and glb_finish() and calls glb_put_arrays() within it. */
#pragma once

#include "anim/model/model.h"
#include "base/buf.h"

#include <stdbool.h>
#include <stdint.h>

#define GLB_CONTENT_TYPE "model/gltf-binary"
#define GLB_NONE         UINT32_MAX /* instead of an index */

/* How arrays are in the file: without loss in any case. */
enum glb_compression {
    GLB_PLAIN,
    GLB_MESHOPT, /* EXT_meshopt_compression, where that makes them smaller */
    GLB_DRACO,   /* KHR_draco_mesh_compression of what glb_end_mesh() is called for, where that makes it smaller */
};

struct glb_writer {
    struct buf bin;                   /* content of the binary chunk */
    struct buf views;                 /* struct glb_buffer_view */
    struct buf packed;                /* scratch */
    struct buf accessors;             /* struct glb_accessor */
    enum glb_compression compression; /* of arrays that are added from now on; GLB_PLAIN after glb_clear() */
    uint64_t unpacked_bytes;          /* of the buffer that packed views stand for, which is not in the file */
    uint32_t first_accessor;          /* of the mesh under way */
};

/* What an array is for, and of which elements. */
enum glb_array {
    GLB_POSITION, /* struct vec3, like the next one */
    GLB_NORMAL,
    GLB_TANGENT,  /* struct vec4 */
    GLB_TEXCOORD, /* struct vec2, like the next one */
    GLB_SECOND_TEXCOORD,
    GLB_COLOR,        /* struct rgba8 */
    GLB_INDICES,      /* uint32_t; the last of those that a primitive has one of at most */
    GLB_JOINTS,       /* uint8_t[4] */
    GLB_LARGE_JOINTS, /* uint16_t[4] */
    GLB_WEIGHTS,      /* float[4] */
    GLB_DELTA,        /* struct vec3: of a morph target's positions, which have bounds */
    GLB_NORMAL_DELTA, /* struct vec3 */
    GLB_MATRIX,       /* struct mat4 */
    GLB_TIME,         /* float: of keys, which have bounds */
    GLB_SCALAR,       /* float, float[3], float[4]: values of keys */
    GLB_VEC3,
    GLB_VEC4,
    GLB_FLAG,          /* uint8_t */
    GLB_OTHER_INDICES, /* as GLB_INDICES, but of lines and points */
};

struct glb_buffer_view {
    uint64_t offset, size_bytes; /* in the binary chunk */
    uint32_t target;             /* of GL, 0: a picture */
    enum glb_array array;        /* this and what follows: of a packed one */
    uint32_t count;              /* of its elements; 0: the view is not packed */
    uint64_t unpacked_offset;
};

struct glb_accessor {
    enum glb_array array;
    uint32_t view, count; /* view: GLB_NONE of what a mesh's stream has */
    struct vec3 min, max; /* of those that have bounds; x alone of GLB_TIME */
};

/* Begins a file. limit_bytes: of the binary chunk, and of what it stands for. */
void glb_clear(struct glb_writer *glb, size_t limit_bytes);

/* Adds an array and returns its accessor. At least one element, and finite ones; NULL: zeros. GLB_INDICES may begin
 * each triangle at another of its corners when they are packed. */
uint32_t glb_add(struct glb_writer *glb, enum glb_array array, const void *elements, uint32_t count);
/* Between these two the caller adds the arrays of a primitive's triangles, their indices too, in any order. The second
 * returns the view of the Draco stream that has taken their place; or GLB_NONE, they are as they were. In the stream an
 * array's id is the number of arrays other than indices before it. */
void glb_start_mesh(struct glb_writer *glb);
uint32_t glb_end_mesh(struct glb_writer *glb);
/* Between these two the caller appends a picture to glb->bin; the second returns its view. */
void glb_start_image(struct glb_writer *glb);
uint32_t glb_end_image(struct glb_writer *glb);
/* How many are added so far. */
uint32_t glb_accessor_count(const struct glb_writer *glb);
/* True when something did not fit. */
bool glb_failed(const struct glb_writer *glb);

/* Makes room for the head; `out` is empty. The JSON follows. */
void glb_start(struct buf *out);
/* ,"accessors":[..],"bufferViews":[..],"buffers":[..], each where there is something. */
void glb_put_arrays(const struct glb_writer *glb, struct buf *out);
/* Pads the JSON, appends the binary chunk, where it is not empty, and fills in the head. False: a GLB cannot be so
 * long, or `out` is full. */
bool glb_finish(const struct glb_writer *glb, struct buf *out);
