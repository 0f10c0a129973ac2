/* bake.h - the baked model as bytes: struct model <-> one flat, position-independent block.
 *
 * Format: protocol/baked-model.md. Pure; any thread, one builder per thread.
 * Layout: struct bake_header, then section_count struct bake_section, then the sections' arrays, each at
 * a multiple of 64 bytes, zero padding between. The version rule: whoever changes a struct in model.h or
 * the meaning of a field increments BAKE_VERSION; a decoder refuses every version but its own. */
#pragma once

#include "base/buf.h"
#include "base/err.h"
#include "anim/model/model.h"

#include <stddef.h>

enum { BAKE_VERSION = 5, BAKE_ALIGNMENT = 64 };
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

/* Collects the arrays of a model. Element pointers are valid until the next add to the same array.
 * Builder arrays are named as in struct model: builder.nodes, builder.node_count. */
struct bake_builder {
#define X(id, singular, plural, type)                                                                                  \
    type *plural;                                                                                                      \
    uint32_t singular##_count, singular##_capacity;
#include "anim/model/model_sections.def"
#undef X
    uint64_t limit_bytes; /* of all arrays together, 0 = none; going over it, or out of memory, sets is_failed */
    uint64_t used_bytes;
    int is_failed; /* adds return NULL from then on */
};

void bake_builder_init(struct bake_builder *builder, uint64_t limit_bytes);
void bake_builder_fini(struct bake_builder *builder);

/* Appends `count` zeroed elements to an array; returns the first, or NULL when the builder failed.
 * bake_add_node(b, 1), bake_add_key_time(b, n), ... one per line of model_sections.def. */
#define X(id, singular, plural, type) type *bake_add_##singular(struct bake_builder *builder, uint32_t count);
#include "anim/model/model_sections.def"
#undef X

/* Stores text (repaired to UTF-8, NUL bytes become '?', cut to LIMIT_NAME_BYTES with a warning) and returns its
 * place; NULL text gives STR_NONE. */
struct str bake_text(struct bake_builder *builder, const char *text, size_t size_bytes);
struct str bake_textz(struct bake_builder *builder, const char *text); /* NUL-terminated or NULL */
/* The same without a limit of its own: for texts that the caller bounds by their sum. */
struct str bake_long_text(struct bake_builder *builder, const char *text, size_t size_bytes);

/* Adds a warning; the same code and message twice is kept once; at most 100, then one that says "more". */
void bake_warn(struct bake_builder *builder, const char *code, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Derives what importers would all have to compute in the same way: node_order, NODE_IN_SCENE,
 * NODE_JOINT, NODE_SHEAR and the decomposition of matrix nodes, rigid skins and draws from nodes and meshes,
 * skins' mesh_node, clip start and duration, rest bounds. Call once after everything else was added.
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
