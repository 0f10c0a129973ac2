/* request_given_binary.c - reads a given pose from binary frames of local transforms (protocol/frames.md). */
#include "wire/request/request_given_builder.h"
#include "wire/request/request_parser.h"

#include "anim/given/given_pose.h"
#include "base/bytes.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    LOCAL_BYTES = 40,
    INDEX_BYTES = 4,
    TIMES_BYTES = 16 /* of a frame: its time and its clip time */,
    BLOCKS_MAX = 64
};

/* An array of the frames. */
struct block {
    uint64_t offset; /* of a static block from the first byte, else from the start of its frame */
    uint32_t count;  /* 0: there is none */
};

struct reading {
    const char *bytes;
    size_t size_bytes;
    uint32_t frame_count, block_count;
    uint64_t frames_offset, frame_bytes;
    struct block local, nodes, sheared;
    struct err *err;
};

static int malformed(const struct reading *reading, uint64_t at, const char *what)
{
    return err_set(reading->err, ERR_BAD_REQUEST, "frames: %s at byte %llu", what, (unsigned long long)at);
}

static int read_header(struct reading *reading)
{
    const char *b = reading->bytes;
    if (reading->size_bytes < FRAMES_HEADER_BYTES)
        return malformed(reading, reading->size_bytes, "they end within their header");
    if (memcmp(b, FRAMES_MAGIC, sizeof FRAMES_MAGIC - 1) != 0)
        return malformed(reading, 0, "the magic is not " FRAMES_MAGIC);
    if (get_u16(b + 4) != FRAMES_VERSION)
        return malformed(reading, 4, "the version is not 1");
    if (get_u16(b + 12) != FRAMES_POSE)
        return malformed(reading, 12, "the kind is not that of a pose (what=local of /v1/pose)");
    reading->frame_count = get_u32(b + 16);
    reading->block_count = get_u32(b + 20);
    reading->frames_offset = get_u64(b + 32);
    reading->frame_bytes = get_u64(b + 40);
    if (get_u64(b + 48) != reading->size_bytes)
        return malformed(reading, 48, "the size is not that of the bytes");
    if (reading->frame_count == 0 || reading->block_count == 0 || reading->block_count > BLOCKS_MAX)
        return malformed(reading, 16, "there are no frames, or too many blocks");
    const uint64_t times_end = FRAMES_HEADER_BYTES + (uint64_t)reading->block_count * FRAMES_BLOCK_BYTES +
                               (uint64_t)reading->frame_count * TIMES_BYTES;
    if (times_end > reading->size_bytes || reading->frames_offset > reading->size_bytes ||
        reading->frame_bytes > (reading->size_bytes - reading->frames_offset) / reading->frame_count)
        return malformed(reading, 32, "the frames reach beyond the bytes");
    return 0;
}

/* Checks that a block lies within the bytes, or within a frame. */
static int take_block(const struct reading *reading, uint64_t at, uint32_t item_bytes, bool is_static,
                      struct block *out)
{
    const char *entry = reading->bytes + at;
    const uint64_t room = is_static ? reading->size_bytes : reading->frame_bytes;
    if (get_u16(entry + 2) != is_static || get_u32(entry + 20) != item_bytes || out->count > 0)
        return malformed(reading, at, "a block is not as protocol/frames.md has it");
    *out = (struct block){get_u64(entry + 24), get_u32(entry + 16)};
    if (out->offset > room || (uint64_t)out->count * item_bytes > room - out->offset)
        return malformed(reading, at + 24, "a block reaches beyond the bytes");
    return 0;
}

static int read_blocks(struct reading *reading)
{
    int rc = 0;
    for (uint32_t i = 0; i < reading->block_count && rc == 0; i++) {
        const uint64_t at = FRAMES_HEADER_BYTES + (uint64_t)i * FRAMES_BLOCK_BYTES;
        const uint32_t kind = get_u16(reading->bytes + at);
        if (kind == BLOCK_LOCAL)
            rc = take_block(reading, at, LOCAL_BYTES, false, &reading->local);
        else if (kind == BLOCK_NODES)
            rc = take_block(reading, at, INDEX_BYTES, true, &reading->nodes);
        else if (kind == BLOCK_SHEARED)
            rc = take_block(reading, at, INDEX_BYTES, true, &reading->sheared);
    }
    if (rc < 0)
        return rc;
    if (reading->local.count == 0)
        return malformed(reading, FRAMES_HEADER_BYTES, "there is no block of local transforms (what=local)");
    return reading->nodes.count == 0 || reading->nodes.count == reading->local.count
               ? 0
               : malformed(reading, FRAMES_HEADER_BYTES, "the nodes are not as many as their transforms");
}

/* Marks the nodes that have a matrix, of which the frames give nothing. */
static int mark_sheared(const struct reading *reading, uint8_t *is_sheared)
{
    for (uint32_t i = 0; i < reading->sheared.count; i++) {
        const uint64_t at = reading->sheared.offset + (uint64_t)i * INDEX_BYTES;
        const uint32_t node = get_u32(reading->bytes + at);
        if (node >= reading->local.count)
            return malformed(reading, at, "a sheared node is none of the nodes");
        is_sheared[node] = 1;
    }
    return 0;
}

/* Takes one part of a node, unless all its numbers are NaN. */
static int take_part(struct given_builder *builder, uint32_t node, uint32_t part, const char *bytes, struct err *err)
{
    const uint32_t count = part == GIVEN_ROTATION ? 4 : 3;
    double numbers[4];
    bool is_there = false;
    for (uint32_t i = 0; i < count; i++) {
        numbers[i] = (double)get_f32(bytes + 4 * (size_t)i);
        is_there = is_there || !isnan(numbers[i]);
    }
    return is_there ? given_builder_put(builder, node, part, numbers, err) : 0;
}

static int read_frame(const struct reading *reading, struct given_builder *builder, const uint8_t *is_sheared,
                      uint32_t frame)
{
    const char *local = reading->bytes + reading->frames_offset + frame * reading->frame_bytes + reading->local.offset;
    const uint64_t times = FRAMES_HEADER_BYTES + (uint64_t)reading->block_count * FRAMES_BLOCK_BYTES;
    for (uint32_t n = 0; n < reading->local.count; n++, local += LOCAL_BYTES)
        if (is_sheared[n] == 0 && (take_part(builder, n, GIVEN_TRANSLATION, local, reading->err) < 0 ||
                                   take_part(builder, n, GIVEN_ROTATION, local + 12, reading->err) < 0 ||
                                   take_part(builder, n, GIVEN_SCALE, local + 28, reading->err) < 0))
            return reading->err->code;
    const double time_s = get_f64(reading->bytes + times + (uint64_t)frame * TIMES_BYTES);
    return given_builder_end_frame(builder, time_s, reading->err) < 0 ? err_prefix(reading->err, "frame %u", frame) : 0;
}

static int read_all(const struct reading *reading, struct given_builder *builder, struct buf *sheared)
{
    if (given_builder_reserve(builder, reading->local.count, 0, reading->err) < 0)
        return reading->err->code;
    uint8_t *is_sheared = (uint8_t *)buf_reserve(sheared, reading->local.count);
    if (is_sheared == NULL)
        return err_set(reading->err, ERR_NO_MEMORY, "no memory for a given pose");
    memset(is_sheared, 0, reading->local.count);
    if (mark_sheared(reading, is_sheared) < 0)
        return reading->err->code;
    for (uint32_t n = 0; n < reading->local.count; n++)
        builder->given->nodes[n].node = (struct selector){
            .kind = SELECT_INDEX,
            .index = reading->nodes.count == 0
                         ? n
                         : get_u32(reading->bytes + reading->nodes.offset + (uint64_t)n * INDEX_BYTES)};
    for (uint32_t f = 0; f < reading->frame_count; f++)
        if (read_frame(reading, builder, is_sheared, f) < 0)
            return reading->err->code;
    return 0;
}

int request_given_read_frames(struct request_given **out, const char *bytes, size_t size_bytes,
                              const struct limits *limits, struct err *err)
{
    struct reading reading = {.bytes = bytes, .size_bytes = size_bytes, .err = err};
    struct given_builder builder;
    struct buf sheared;
    *out = NULL;
    if (read_header(&reading) < 0 || read_blocks(&reading) < 0)
        return err->code;
    buf_init(&sheared, SIZE_MAX / 4);
    int rc = given_builder_init(&builder, 0, limits, err);
    if (rc == 0)
        rc = read_all(&reading, &builder, &sheared);
    if (rc == 0)
        rc = given_builder_take(&builder, out, err);
    given_builder_fini(&builder);
    buf_fini(&sheared);
    return rc < 0 ? err_prefix(err, "pose") : 0;
}

bool request_has_frames(enum op op, const struct request_head *head)
{
    return (REQUEST_PARAMS[PARAM_LAYERS].ops & OP_BIT(op)) != 0 && head->body_bytes >= sizeof FRAMES_MAGIC - 1 &&
           memcmp(head->body, FRAMES_MAGIC, sizeof FRAMES_MAGIC - 1) == 0;
}

int request_take_frames(struct request *request, const struct request_head *head, const struct limits *limits,
                        struct param_set *seen, struct err *err)
{
    static const double WHOLE = 1;
    struct request_pose *layer = calloc(1, sizeof *layer);
    if (layer == NULL)
        return err_set(err, ERR_NO_MEMORY, "no memory for a layer");
    request->pose.layers = layer;
    request->pose.layer_count = 1;
    seen->has[PARAM_LAYERS] = true;
    buf_init(&layer->lists.weights, SIZE_MAX / 4); /* running out of memory is an error of the request */
    buf_put(&layer->lists.weights, &WHOLE, sizeof WHOLE);
    if (buf_failed(&layer->lists.weights))
        return err_set(err, ERR_NO_MEMORY, "no memory for a layer");
    layer->weights = (const double *)(const void *)layer->lists.weights.data;
    layer->weight_count = 1;
    layer->mode = LAYER_REPLACE;
    if (request_check_binary_type(head->content_type, FRAMES_CONTENT_TYPE, "pose", err) < 0)
        return err->code;
    return request_given_read_frames(&layer->given, head->body, head->body_bytes, limits, err);
}
