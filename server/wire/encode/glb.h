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

struct glb_writer {
    struct buf bin;       /* content of the binary chunk */
    struct buf views;     /* struct glb_buffer_view */
    struct buf accessors; /* struct glb_accessor */
};

enum glb_array { GLB_POSITION, GLB_NORMAL, GLB_TANGENT, GLB_TEXCOORD, GLB_SECOND_TEXCOORD, GLB_COLOR, GLB_INDICES };

struct glb_buffer_view {
    uint64_t offset, size_bytes;
    uint32_t target; /* of GL, 0: a picture */
};

struct glb_accessor {
    enum glb_array array;
    uint32_t view, count;
    struct vec3 min, max; /* of GLB_POSITION */
};

/* Begins a file. limit_bytes: of the binary chunk. */
void glb_clear(struct glb_writer *glb, size_t limit_bytes);

/* Adds an array and returns its accessor. The elements: struct vec2, vec3 or vec4, struct rgba8 or uint32_t; at least
 * one, and finite. */
uint32_t glb_add(struct glb_writer *glb, enum glb_array array, const void *elements, uint32_t count);
/* Between these two the caller appends a picture to glb->bin; the second returns its view. */
void glb_start_image(struct glb_writer *glb);
uint32_t glb_end_image(struct glb_writer *glb);
/* True when something did not fit. */
bool glb_failed(const struct glb_writer *glb);

/* Makes room for the head; `out` is empty. The JSON follows. */
void glb_start(struct buf *out);
/* ,"accessors":[..],"bufferViews":[..],"buffers":[..]; at least one array was added. */
void glb_put_arrays(const struct glb_writer *glb, struct buf *out);
/* Pads the JSON, appends the binary chunk and fills in the head. False: a GLB cannot be so long, or `out` is full. */
bool glb_finish(const struct glb_writer *glb, struct buf *out);
