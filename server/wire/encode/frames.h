/* frames.h - the binary form of palettes, poses and meshes (application/vnd.posed.frames). Pure; any thread.
 *
 * Layout: protocol/frames.md. A fixed header, the block table, times, static blocks and frames follow each other. A
 * block is one array. All frames have the same layout: item i of block b of frame f lies at frames_offset + f *
 * frame_bytes + b.offset + i * b.item_bytes. A change of the layout or of a field's meaning requires a higher
 * FRAMES_VERSION. */
#pragma once

#include "anim/pose/clip_time.h"
#include "base/buf.h"
#include "anim/pose/layout.h"
#include "anim/pose/pose.h"

#define FRAMES_MAGIC        "PSDF"
#define FRAMES_CONTENT_TYPE "application/vnd.posed.frames"

enum {
    FRAMES_VERSION = 1,
    FRAMES_HEADER_BYTES = 96, /* the fixed part */
    FRAMES_BLOCK_BYTES = 32,  /* one entry of the table */
    FRAMES_ALIGNMENT = 16,    /* of every block */
};

enum frames_kind { FRAMES_PALETTE = 1, FRAMES_POSE = 2, FRAMES_MESH = 3, FRAMES_KEYS = 4, FRAMES_ENVIRONMENT = 5 };

enum frames_block_kind {
    BLOCK_PALETTE = 1,      /* index: skin; items: joints; 16 or 12 floats */
    BLOCK_SCENE = 2,        /* items: nodes; 16 or 12 floats */
    BLOCK_LOCAL = 3,        /* items: nodes; 10 floats: t xyz, q xyzw, s xyz */
    BLOCK_LOCAL_MATRIX = 4, /* items: the nodes of BLOCK_SHEARED; 16 or 12 floats */
    BLOCK_POSITIONS = 5,    /* index: entry; items: vertices; 3 floats */
    BLOCK_NORMALS = 6,      /* index: entry; items: vertices; 3 floats */
    BLOCK_ROOT_MOTION = 7,  /* one item; 4 floats: translation, yaw in degrees */
    BLOCK_NODES = 16,       /* static; items: the selected nodes; u32. Absent: item i is node i */
    BLOCK_SHEARED = 17,     /* static; items: indices into BLOCK_LOCAL of nodes that have a matrix instead; u32 */
    BLOCK_REST = 18,        /* static; index: entry; items: vertices; 3 floats */
    BLOCK_INDICES = 19,     /* static; index: entry; items: indices; u32 */
    BLOCK_SPAN = 20,        /* static; one item; 4 f64: from, to, speed, phase */
    /* with weights=1; static */
    BLOCK_INFLUENCE_FIRSTS = 21,  /* index: entry; items: one per vertex and an end; u32 */
    BLOCK_INFLUENCE_JOINTS = 22,  /* index: entry; items: influences; u32, joint within the skin */
    BLOCK_INFLUENCE_WEIGHTS = 23, /* index: entry; items: influences; f32 */
    BLOCK_DUAL_WEIGHTS = 24,      /* index: entry; items: vertices; f32 */
    BLOCK_JOINT_NODES = 25,       /* index: skin; items: joints; u32 */
    BLOCK_JOINT_FROM_BIND = 26,   /* index: skin; items: joints; 16 floats, column-major */
    /* with attributes=1; static; index: entry; items: vertices */
    BLOCK_REST_NORMALS = 30,     /* 3 floats */
    BLOCK_TEXCOORDS = 31,        /* 2 floats */
    BLOCK_SECOND_TEXCOORDS = 32, /* 2 floats */
    BLOCK_COLORS = 33,           /* 4 bytes */
    BLOCK_TANGENTS = 34,         /* 4 floats */
    /* of FRAMES_KEYS, which has no frames; static */
    BLOCK_CHANNELS = 27,   /* items: channels; 6 u32: clip, node, path, interpolation, components, keys */
    BLOCK_KEY_TIMES = 28,  /* index: channel in the answer; items: keys; f64 */
    BLOCK_KEY_VALUES = 29, /* likewise; items: numbers; f32 */
    /* of FRAMES_ENVIRONMENT, which has no frames; static */
    BLOCK_HARMONICS = 35, /* 9 items; 3 f32: RGB */
    BLOCK_LIGHT_MAP = 36, /* index: level; items: texels; 4 half floats: RGBA */
};

static inline bool frames_is_static(enum frames_block_kind kind) { return kind >= BLOCK_NODES; }

struct frames_block {
    enum frames_block_kind kind;
    uint32_t index;    /* skin or entry (node and primitive identify it), or 0 */
    int32_t node;      /* of a mesh: the entry's node; otherwise -1 */
    int32_t primitive; /* of a mesh: the entry's primitive within its mesh; otherwise -1 */
    uint32_t count;    /* number of items */
    uint32_t item_bytes;
    uint64_t offset; /* set by frames_plan(): of a static block from the first byte of the answer, otherwise from the
                        start of its frame */
};

struct frames {
    enum frames_kind kind;
    enum layout layout;
    enum space space;
    int32_t clip;                /* or POSE_REST */
    double duration_s;           /* of the clip; 0 at rest */
    const uint8_t *content_hash; /* [32] */
    const double *times_s;       /* [frame_count], as asked */
    struct clip_span span;       /* converts them to clip times */
    bool has_span;   /* the request has a span: a block of its own, the first, reports it. It is not in `blocks` */
    bool has_motion; /* every frame begins with a block of root motion, which is not in `blocks` */
    uint32_t frame_count;
    struct frames_block *blocks; /* static ones first */
    uint32_t block_count;
    uint64_t
        left_bytes; /* bytes of the answer that have already left the buffer, which begins behind them; initially 0 */
    /* set by frames_plan() */
    uint32_t header_bytes;  /* size of header, table and times */
    uint64_t frames_offset; /* of frame 0 */
    uint64_t frame_bytes;   /* stride between frames */
    uint64_t size_bytes;    /* size of the whole answer */
};

/* Computes the offsets. Returns false when the answer would be larger than limit_bytes. */
bool frames_plan(struct frames *frames, uint64_t limit_bytes);

/* Writes header, table, times and span to the empty buffer `out`, up to the first block. */
void frames_put_header(struct buf *out, const struct frames *frames);

/* Overwrites the time of frame 0 in an existing header. */
void frames_put_time_again(struct buf *out, const struct frames *frames);

/* Pads `out` to the position of `block` in `frame` (ignored for static blocks). Blocks are written in the table's
 * order: static ones once, then the others for every frame. */
void frames_start_block(struct buf *out, const struct frames *frames, const struct frames_block *block, uint32_t frame);
/* Writes the root motion of `frame` at its start: translation x, y, z, yaw. */
void frames_put_motion(struct buf *out, const struct frames *frames, uint32_t frame, const float step[4]);
/* Pads to the end of the last frame. */
void frames_finish(struct buf *out, const struct frames *frames);
