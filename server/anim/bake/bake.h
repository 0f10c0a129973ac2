/* bake.h - the baked model as bytes: converts between struct model and one flat, position-independent block.
 *
 * The format is in protocol/baked-model.md. Pure; any thread, one builder per thread. Layout: struct bake_header, then
 * section_count struct bake_section, then the sections' arrays, each at a multiple of 64 bytes, with zero padding
 * between. The version rule: whoever changes a struct in model.h or the meaning of a field increments BAKE_VERSION. A
 * decoder refuses every version but its own. */
#pragma once

#include "base/buf.h"
#include "base/err.h"
#include "anim/model/bake_builder.h"

#include <stddef.h>

enum { BAKE_VERSION = 14, BAKE_ALIGNMENT = 64 };
#define BAKE_MAGIC "posedbk\n"

struct bake_header {
    char magic[8];
    uint32_t version;
    uint32_t section_count;
    uint64_t size_bytes; /* whole block */
    uint64_t reserved;
};

struct bake_section {
    uint32_t id;         /* id of model_sections.def; ids rise */
    uint32_t item_bytes; /* size of an element */
    uint64_t offset;     /* from the start of the block, a multiple of BAKE_ALIGNMENT */
    uint64_t count;      /* < 2^32 */
};

/* Checks `size_bytes` bytes at `bytes` (64-byte aligned, else ERR_BAD_BAKE) and fills *out with a view of them. The
 * view borrows the bytes: they must stay unchanged for as long as it is used.
 *
 * Any bytes are safe. The checks cover offsets, counts, indices, enums, orders (node_order is a permutation with
 * parents first; key times rise), UTF-8, finite numbers, and that every influence fits the skins with which it is
 * drawn. After success no later code checks a model's indices again. Returns 0, ERR_BAD_BAKE, ERR_MODEL_LIMIT (more
 * nodes, vertices, ... than protocol/limits.def allows) or ERR_NO_MEMORY. On failure *out is zeroed and err names the
 * section, element and field. Linear in the size. */
int bake_decode(const void *bytes, uint64_t size_bytes, struct model *out, struct err *err);

/* Derives what all importers would otherwise have to compute: node_order, NODE_IN_SCENE, NODE_JOINT, NODE_SHEAR, the
 * decomposition of matrix nodes, rigid skins and draws from nodes and meshes, skins' mesh_node, MODEL_OWN_SCALES, clip
 * start and duration (a reader may have set a longer duration than the last key's time), and rest bounds. Call it once,
 * after everything else was added.
 *
 * Sets defaults where nothing was added: up +Y, forward +Z, unit_m 1, influence_firsts without influences. Repairs the
 * following, with a warning where it matters: the last row of matrices; a target that a clip drives twice (the last
 * channel wins); influences of a mesh under an unskinned node (they are dropped; a mesh used both ways is copied for
 * those nodes).
 *
 * Then it makes all the checks of bake_decode(), so an importer need not check indices, ranges and finite numbers
 * itself, and the encoded model is certain to be readable. Returns 0, ERR_BAD_MODEL (a cycle among nodes, or another
 * inconsistency), ERR_MODEL_LIMIT or ERR_NO_MEMORY. */
int bake_finish(struct bake_builder *builder, struct err *err);

/* Takes the next bytes of a block, which are borrowed for the call. Returns 0 or sets *err. */
struct bake_sink {
    int (*put)(void *context, const void *bytes, size_t size_bytes, struct err *err);
    void *context;
};

/* Passes the block to `sink` part by part, in order and without a copy. Returns 0, ERR_MODEL_LIMIT, or what the sink
 * returned. */
int bake_write(const struct bake_builder *builder, const struct bake_sink *sink, struct err *err);

/* Appends the block to `out`. Returns 0 or ERR_MODEL_LIMIT. */
int bake_encode(const struct bake_builder *builder, struct buf *out, struct err *err);
