/* bake.h - the baked model as bytes: struct model <-> one flat, position-independent block.
 *
 * Format: protocol/baked-model.md. Pure; any thread, one builder per thread.
 * Layout: struct bake_header, then section_count struct bake_section, then the sections' arrays, each at
 * a multiple of 64 bytes, zero padding between. The version rule: whoever changes a struct in model.h or
 * the meaning of a field increments BAKE_VERSION; a decoder refuses every version but its own. */
#pragma once

#include "base/buf.h"
#include "base/err.h"
#include "anim/model/bake_builder.h"

#include <stddef.h>

enum { BAKE_VERSION = 10, BAKE_ALIGNMENT = 64 };
#define BAKE_MAGIC "posedbk\n"

struct bake_header {
    char magic[8];
    uint32_t version;
    uint32_t section_count;
    uint64_t size_bytes; /* of the whole block */
    uint64_t reserved;
};

struct bake_section {
    uint32_t id;         /* model_sections.def; rising */
    uint32_t item_bytes; /* sizeof the element type */
    uint64_t offset;     /* from the block's start, a multiple of BAKE_ALIGNMENT */
    uint64_t count;      /* < 2^32 */
};

/* Checks `size_bytes` bytes at `bytes` (64-byte aligned, or ERR_BAD_BAKE) and fills *out with a view of
 * them. The bytes are borrowed: they must stay, unchanged, as long as the view is used.
 *
 * Total on any bytes: offsets, counts, indices, enums, orders (node_order is a permutation with parents
 * first; key times rise), UTF-8, finite numbers, and that every influence fits the skins it is drawn
 * with. After success no later code checks a model's indices again.
 * Returns 0, ERR_BAD_BAKE, ERR_MODEL_LIMIT (more nodes, vertices, ... than protocol/limits.def allows) or
 * ERR_NO_MEMORY; on failure *out is zeroed and err names the section, element and field. Linear in the size. */
int bake_decode(const void *bytes, uint64_t size_bytes, struct model *out, struct err *err);

/* Derives what importers would all have to compute in the same way: node_order, NODE_IN_SCENE,
 * NODE_JOINT, NODE_SHEAR and the decomposition of matrix nodes, rigid skins and draws from nodes and meshes,
 * skins' mesh_node, MODEL_OWN_SCALES, clip start and duration (which a reader may set to more than its last key), rest
 * bounds. Call once after everything else was added.
 *
 * Fills in where nothing was added: up +Y, forward +Z, unit_m 1, influence_firsts of no influences. Repairs,
 * with a warning where it matters: the last row of matrices; a thing that a clip drives twice (the last counts);
 * influences of a mesh under an unskinned node (dropped; a mesh used both ways is copied for those nodes).
 *
 * Then checks everything as bake_decode() does, so an importer need not check indices, ranges and finite
 * numbers twice, and what it encodes is sure to be readable.
 * Returns 0, ERR_BAD_MODEL (a cycle among nodes, or whatever else does not fit), ERR_MODEL_LIMIT, ERR_NO_MEMORY. */
int bake_finish(struct bake_builder *builder, struct err *err);

/* Takes the next bytes of a block; `bytes` are borrowed for the call. Returns 0 or sets *err. */
struct bake_sink {
    int (*put)(void *context, const void *bytes, size_t size_bytes, struct err *err);
    void *context;
};

/* Hands the block, in order and part by part, to `sink`, without a copy of it in between.
 * Returns 0, ERR_MODEL_LIMIT, or what the sink said. */
int bake_write(const struct bake_builder *builder, const struct bake_sink *sink, struct err *err);

/* Appends the block to `out`. Returns 0 or ERR_MODEL_LIMIT. */
int bake_encode(const struct bake_builder *builder, struct buf *out, struct err *err);
