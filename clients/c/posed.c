/* posed.c - the client of posed.h: parsing packets and frames and writing requests (pure), then connections. */
#ifndef _POSIX_C_SOURCE
#define _POSIX_C_SOURCE 200809L
#endif
#include "posed.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <math.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error "the floats of the protocol are little-endian and used in place"
#endif
#ifndef MSG_NOSIGNAL
#define MSG_NOSIGNAL 0
#endif

enum {
    TOKEN_MAX = 256,
    HELLO_BYTES = 16,
    TIMEOUT_MS = 30000,
    MEMORY_MIN = 256,
    FRAMES_HEADER_BYTES = 96,
    BLOCK_BYTES = 32,
    QUERY_BYTES = 64,     /* the members of a pose */
    WITH_MORE_BYTES = 96, /* the same, and the members of a picture or a subscription */
    FOUND_BYTES = 48,
    HELLO_PAYLOAD_BYTES = 64,
    STREAM_BYTES = 16,
    CROWD_BYTES = 64, /* headers of a crowd and of its answer, and their records */
    ENTITY_BYTES = 24,
    LAYER_BYTES = 40,
    WORLD_BYTES = 96,
    CROWD_MODEL_BYTES = 48,
    MASK_BYTES = 8,
    MASK_NODE_BYTES = 8,
    WANTED_BYTES = 16,
    GIVEN_BYTES = 16,
    GIVEN_NODE_BYTES = 8,
    POSED_ENTITY_BYTES = 16,
    WRONG_BYTES = 16,
    RAYCAST_BYTES = 64, /* headers of a raycast and of its answer, and their records */
    TARGET_BYTES = 16,
    RAY_BYTES = 80,
    HITS_BYTES = 32,
    HIT_BYTES = 64,
    RECONNECT_TRIES = 10,
    RECONNECT_MS = 10000,
    FIRST_PAUSE_MS = 50,
    LONGEST_PAUSE_MS = 2000,
    ATTEMPT_MS = 2500, /* for one connection, up to its hello and the models that were open */
    SETTLED_MS = 1000, /* a connection that worked for this long, or brought an answer, resets the count of tries */
    IS_OVER = -100     /* the server said that it stops; the caller does not see this status */
};

/* --- little-endian values --- */

static uint16_t get16(const unsigned char *at) { return (uint16_t)(at[0] | at[1] << 8); }
static uint32_t get32(const unsigned char *at) { return get16(at) | (uint32_t)get16(at + 2) << 16; }
static uint64_t get64(const unsigned char *at) { return get32(at) | (uint64_t)get32(at + 4) << 32; }
static int32_t get_i32(const unsigned char *at)
{
    int32_t value;
    memcpy(&value, at, sizeof value);
    return value;
}
static double get_f64(const unsigned char *at)
{
    double value;
    memcpy(&value, at, sizeof value);
    return value;
}

static void put16(unsigned char *at, uint32_t value)
{
    at[0] = (unsigned char)(value & 0xff);
    at[1] = (unsigned char)(value >> 8 & 0xff);
}
static void put32(unsigned char *at, uint32_t value)
{
    put16(at, value & 0xffff);
    put16(at + 2, value >> 16);
}
static void put_i32(unsigned char *at, int32_t value) { memcpy(at, &value, sizeof value); }
static void put_f64(unsigned char *at, double value) { memcpy(at, &value, sizeof value); }

static size_t round_up(size_t size) { return (size + POSED_ALIGN - 1) / POSED_ALIGN * POSED_ALIGN; }

/* --- packets of the server --- */

int posed_parse(const void *bytes, size_t size_bytes, struct posed_packet *out, size_t *packet_bytes)
{
    const unsigned char *at = bytes;
    *packet_bytes = 0;
    if (size_bytes < POSED_HEADER_BYTES)
        return 0;
    const uint32_t payload_bytes = get32(at), note_bytes = get32(at + 28);
#if SIZE_MAX <= UINT32_MAX
    if (payload_bytes > SIZE_MAX - 2 * POSED_HEADER_BYTES)
        return POSED_E_PROTOCOL;
#endif
    if (note_bytes > payload_bytes || get16(at + 22) != 0)
        return POSED_E_PROTOCOL;
    *packet_bytes = round_up(POSED_HEADER_BYTES + (size_t)payload_bytes);
    if (size_bytes < *packet_bytes)
        return 0;
    out->kind = get16(at + 4);
    out->flags = get16(at + 6);
    out->id = get32(at + 8);
    out->model = get32(at + 12);
    out->generation = get32(at + 16);
    out->code = get16(at + 20);
    out->warnings = get32(at + 24);
    out->data = at + POSED_HEADER_BYTES;
    out->data_bytes = payload_bytes - note_bytes;
    out->notes = (const char *)out->data + out->data_bytes;
    out->notes_bytes = note_bytes;
    return 1;
}

const char *posed_note(const struct posed_packet *packet, const char *name, size_t *value_bytes)
{
    const char *at = packet->notes, *end = at + packet->notes_bytes;
    const size_t name_bytes = strlen(name);
    while (at < end) {
        const char *line_end = memchr(at, '\n', (size_t)(end - at));
        if (line_end == NULL)
            line_end = end;
        if ((size_t)(line_end - at) >= name_bytes + 2 && memcmp(at, name, name_bytes) == 0 &&
            memcmp(at + name_bytes, ": ", 2) == 0) {
            *value_bytes = (size_t)(line_end - at) - name_bytes - 2;
            return at + name_bytes + 2;
        }
        at = line_end + 1;
    }
    *value_bytes = 0;
    return NULL;
}

static int is_payload(const struct posed_packet *packet, int kind, size_t bytes_min)
{
    return packet->kind == kind && packet->data_bytes >= bytes_min;
}

int posed_read_hello(const struct posed_packet *packet, struct posed_hello *out)
{
    const unsigned char *at = packet->data;
    if (!is_payload(packet, POSED_HELLO, HELLO_PAYLOAD_BYTES))
        return POSED_E_PROTOCOL;
    out->version = get16(at);
    out->payload_max = get32(at + 4);
    out->models_max = get32(at + 8);
    out->streams_max = get32(at + 12);
    out->answer_max = get64(at + 16);
    out->frames_max = get32(at + 24);
    out->picture_side_max = get32(at + 28);
    out->rate_max = get_f64(at + 32);
    memcpy(out->server, at + 40, sizeof out->server - 1);
    out->server[sizeof out->server - 1] = '\0';
    return 0;
}

int posed_read_error(const struct posed_packet *packet, struct posed_error *out)
{
    const unsigned char *at = packet->data;
    if (!is_payload(packet, POSED_ERROR, 16) || get32(at + 12) > packet->data_bytes - 16)
        return POSED_E_PROTOCOL;
    const size_t message_bytes = get32(at + 12);
    size_t kept = message_bytes < POSED_MESSAGE_MAX ? message_bytes : POSED_MESSAGE_MAX - 1;
    memset(out, 0, sizeof *out);
    out->status = POSED_E_SERVER;
    out->code = packet->code;
    out->offset = get64(at);
    out->retry_after_s = get32(at + 8);
    if (kept < message_bytes) /* do not cut a UTF-8 character */
        while (kept > 0 && (at[16 + kept] & 0xc0) == 0x80)
            kept--;
    memcpy(out->message, at + 16, kept);
    out->message[kept] = '\0';
    out->json_bytes = packet->data_bytes - 16 - message_bytes;
    out->json = out->json_bytes == 0 ? NULL : (const char *)at + 16 + message_bytes;
    return 0;
}

int posed_read_opened(const struct posed_packet *packet, struct posed_model *out)
{
    const unsigned char *at = packet->data;
    if (!is_payload(packet, POSED_OPENED, 48) || packet->model == 0)
        return POSED_E_PROTOCOL;
    memset(out, 0, sizeof *out);
    out->handle = packet->model;
    out->generation = packet->generation;
    memcpy(out->content_hash, at, sizeof out->content_hash);
    out->node_count = get32(at + 32);
    out->skin_count = get32(at + 36);
    out->clip_count = get32(at + 40);
    out->mesh_count = get32(at + 44);
    return 0;
}

int posed_read_found(const struct posed_packet *packet, struct posed_found *out)
{
    const unsigned char *at = packet->data;
    if (!is_payload(packet, POSED_FOUND, FOUND_BYTES))
        return POSED_E_PROTOCOL;
    out->what = get16(at);
    out->flags = get16(at + 2);
    out->index = get32(at + 4);
    out->node = get_i32(at + 8);
    out->joint_count = get32(at + 12);
    out->duration_s = get_f64(at + 16);
    out->start_s = get_f64(at + 24);
    out->name_bytes = get32(at + 32);
    const size_t rest = packet->data_bytes - FOUND_BYTES;
    if (out->joint_count > rest / 4 || out->name_bytes > rest - (size_t)out->joint_count * 4)
        return POSED_E_PROTOCOL;
    out->joints = (const uint32_t *)(const void *)(at + FOUND_BYTES);
    out->name = (const char *)at + FOUND_BYTES + (size_t)out->joint_count * 4;
    return 0;
}

int posed_read_stream(const struct posed_packet *packet, struct posed_stream_frame *out)
{
    const unsigned char *at = packet->data;
    if (!is_payload(packet, POSED_STREAM, STREAM_BYTES))
        return POSED_E_PROTOCOL;
    out->tick = get64(at);
    out->skipped = get32(at + 8);
    out->credit = get32(at + 12);
    out->frames = at + STREAM_BYTES;
    out->frames_bytes = packet->data_bytes - STREAM_BYTES;
    return 0;
}

int posed_read_changed(const struct posed_packet *packet, struct posed_change *out)
{
    if (!is_payload(packet, POSED_CHANGED, 32))
        return POSED_E_PROTOCOL;
    out->content_hash = packet->data;
    out->message = (const char *)packet->data + 32;
    out->message_bytes = packet->data_bytes - 32;
    return 0;
}

/* --- frames --- */

struct posed_block posed_frames_block(const struct posed_frames *frames, uint32_t block)
{
    struct posed_block out;
    memset(&out, 0, sizeof out);
    if (block >= frames->block_count)
        return out;
    const unsigned char *at = frames->data + FRAMES_HEADER_BYTES + (size_t)block * BLOCK_BYTES;
    out.kind = get16(at);
    out.once = get16(at + 2);
    out.index = get32(at + 4);
    out.node = get_i32(at + 8);
    out.primitive = get_i32(at + 12);
    out.count = get32(at + 16);
    out.item_bytes = get32(at + 20);
    out.offset = get64(at + 24);
    return out;
}

/* 0: an unknown kind */
static uint32_t item_bytes_of(uint16_t kind, uint16_t layout)
{
    static const uint32_t matrix[] = {64, 48, 32};
    switch (kind) {
    case POSED_BLOCK_PALETTE:
    case POSED_BLOCK_SCENE:
    case POSED_BLOCK_LOCAL_MATRIX:
    case POSED_BLOCK_JOINT_FROM_BIND:
        return layout <= POSED_DUALQUAT ? matrix[layout] : 0;
    case POSED_BLOCK_LOCAL:
        return 40;
    case POSED_BLOCK_POSITIONS:
    case POSED_BLOCK_NORMALS:
    case POSED_BLOCK_REST:
        return 12;
    case POSED_BLOCK_ROOT_MOTION:
        return 16;
    case POSED_BLOCK_NODES:
    case POSED_BLOCK_SHEARED:
    case POSED_BLOCK_INDICES:
    case POSED_BLOCK_INFLUENCE_FIRSTS:
    case POSED_BLOCK_INFLUENCE_JOINTS:
    case POSED_BLOCK_INFLUENCE_WEIGHTS:
    case POSED_BLOCK_DUAL_WEIGHTS:
    case POSED_BLOCK_JOINT_NODES:
    case POSED_BLOCK_KEY_VALUES:
        return 4;
    case POSED_BLOCK_KEY_TIMES:
        return 8;
    case POSED_BLOCK_CHANNELS:
        return 24;
    case POSED_BLOCK_SPAN:
        return 32;
    default:
        return 0;
    }
}

/* Checks that every item of the block is within its frame, or between header and frames if the block is present once.
 */
static int check_block(const struct posed_frames *frames, uint32_t header_bytes, const struct posed_block *block)
{
    const uint64_t size = (uint64_t)block->count * block->item_bytes;
    const uint64_t begin = block->once != 0 ? header_bytes : 0;
    const uint64_t end = block->once != 0 ? frames->frames_offset : frames->frame_bytes;
    const uint32_t expected = item_bytes_of(block->kind, frames->layout);
    if (block->once > 1 || block->offset % POSED_ALIGN != 0 || block->offset < begin || block->offset > end ||
        size > end - block->offset || (expected != 0 && expected != block->item_bytes))
        return POSED_E_PROTOCOL;
    return 0;
}

int posed_read_frames(const void *data, size_t data_bytes, struct posed_frames *out)
{
    const unsigned char *at = data;
    if (data_bytes < FRAMES_HEADER_BYTES || (uintptr_t)data % POSED_ALIGN != 0 || memcmp(at, "PSDF", 4) != 0 ||
        get16(at + 4) != 1 || get64(at + 48) != data_bytes)
        return POSED_E_PROTOCOL;
    const uint32_t header_bytes = get32(at + 8);
    memset(out, 0, sizeof *out);
    out->layout = get16(at + 6);
    out->kind = get16(at + 12);
    out->space = get16(at + 14);
    out->frame_count = get32(at + 16);
    out->block_count = get32(at + 20);
    out->clip = get_i32(at + 24);
    out->wrap = get32(at + 28);
    out->frames_offset = get64(at + 32);
    out->frame_bytes = get64(at + 40);
    out->duration_s = get_f64(at + 56);
    out->content_hash = at + 64;
    out->data = at;
    out->data_bytes = data_bytes;
    const uint64_t table_bytes =
        FRAMES_HEADER_BYTES + (uint64_t)out->block_count * BLOCK_BYTES + (uint64_t)out->frame_count * 16;
    if (header_bytes > data_bytes || table_bytes > header_bytes || out->frames_offset < header_bytes ||
        out->frames_offset > data_bytes || out->frames_offset % POSED_ALIGN != 0 ||
        out->frame_bytes % POSED_ALIGN != 0 || out->layout > POSED_DUALQUAT ||
        (out->frame_bytes != 0 && out->frame_count > (data_bytes - out->frames_offset) / out->frame_bytes))
        return POSED_E_PROTOCOL;
    for (uint32_t i = 0; i < out->block_count; i++) {
        const struct posed_block block = posed_frames_block(out, i);
        if (check_block(out, header_bytes, &block) < 0)
            return POSED_E_PROTOCOL;
        if (i < POSED_BLOCKS_KEPT)
            out->blocks[i] = block;
    }
    return 0;
}

int posed_frames_find(const struct posed_frames *frames, uint32_t from, int kind, uint32_t index)
{
    for (uint32_t i = from; i < frames->block_count && i <= INT_MAX; i++) {
        const struct posed_block block = posed_frames_block(frames, i);
        if (block.kind == kind && block.index == index)
            return (int)i;
    }
    return -1;
}

const void *posed_frames_items(const struct posed_frames *frames, uint32_t block, uint32_t frame)
{
    const struct posed_block found = posed_frames_block(frames, block);
    if (block >= frames->block_count || (found.once == 0 && frame >= frames->frame_count))
        return NULL;
    const uint64_t start = found.once != 0 ? 0 : frames->frames_offset + frame * frames->frame_bytes;
    return frames->data + (size_t)(start + found.offset);
}

/* Returns whether the items of a block have 4 bytes and are floats. */
static int has_one_float(uint16_t kind)
{
    return kind == POSED_BLOCK_INFLUENCE_WEIGHTS || kind == POSED_BLOCK_DUAL_WEIGHTS || kind == POSED_BLOCK_KEY_VALUES;
}

const float *posed_frames_floats(const struct posed_frames *frames, uint32_t block, uint32_t frame)
{
    const uint16_t kind = posed_frames_block(frames, block).kind;
    if (kind == POSED_BLOCK_SPAN || kind == POSED_BLOCK_CHANNELS || kind == POSED_BLOCK_KEY_TIMES ||
        (item_bytes_of(kind, frames->layout) <= 4 && !has_one_float(kind)))
        return NULL;
    return posed_frames_items(frames, block, frame);
}

const uint32_t *posed_frames_integers(const struct posed_frames *frames, uint32_t block, uint32_t frame)
{
    const uint16_t kind = posed_frames_block(frames, block).kind;
    if (kind != POSED_BLOCK_CHANNELS && (item_bytes_of(kind, frames->layout) != 4 || has_one_float(kind)))
        return NULL;
    return posed_frames_items(frames, block, frame);
}

static double frame_time(const struct posed_frames *frames, uint32_t frame, size_t which)
{
    if (frame >= frames->frame_count)
        return 0;
    const size_t times = FRAMES_HEADER_BYTES + (size_t)frames->block_count * BLOCK_BYTES;
    return get_f64(frames->data + times + (size_t)frame * 16 + which * 8);
}

double posed_frames_time(const struct posed_frames *frames, uint32_t frame) { return frame_time(frames, frame, 0); }
double posed_frames_clip_time(const struct posed_frames *frames, uint32_t frame)
{
    return frame_time(frames, frame, 1);
}

/* --- the answer to a crowd --- */

static const unsigned char *entity_at(const struct posed_entities *entities, uint32_t entity)
{
    return entities->data + CROWD_BYTES + (size_t)entity * POSED_ENTITY_BYTES;
}

/* Checks that the floats of the entities follow each other without gaps. */
static int check_entities(const struct posed_entities *entities, uint64_t at, uint64_t end)
{
    for (uint32_t i = 0; i < entities->entity_count; i++) {
        const unsigned char *entity = entity_at(entities, i);
        const uint64_t bytes = (uint64_t)get32(entity + 8) * get16(entity + 12);
        if (get64(entity) != at || bytes > end - at || bytes % POSED_ALIGN != 0)
            return POSED_E_PROTOCOL;
        at += bytes;
    }
    return at == end ? 0 : POSED_E_PROTOCOL;
}

static int check_errors(const struct posed_entities *entities, size_t at)
{
    size_t left = entities->data_bytes - at;
    if (entities->error_count > left / WRONG_BYTES)
        return POSED_E_PROTOCOL;
    left -= (size_t)entities->error_count * WRONG_BYTES;
    for (uint32_t i = 0; i < entities->error_count; i++) {
        const uint32_t message_bytes = get32(entities->data + at + (size_t)i * WRONG_BYTES + 8);
        if (message_bytes > left)
            return POSED_E_PROTOCOL;
        left -= message_bytes;
    }
    return 0;
}

int posed_read_entities(const void *data, size_t data_bytes, struct posed_entities *out)
{
    const unsigned char *at = data;
    memset(out, 0, sizeof *out);
    if (data_bytes < CROWD_BYTES || memcmp(at, "PSDE", 4) != 0 || get16(at + 4) != 1)
        return POSED_E_PROTOCOL;
    const uint32_t entity_count = get32(at + 8), model_count = get32(at + 12);
    const uint64_t floats_at = get64(at + 24), floats_bytes = get64(at + 32), errors_at = get64(at + 40);
    const uint64_t tables =
        CROWD_BYTES + (uint64_t)entity_count * POSED_ENTITY_BYTES + (uint64_t)model_count * CROWD_MODEL_BYTES;
    if (get64(at + 48) != data_bytes || floats_at < tables || floats_at % POSED_ALIGN != 0 || floats_at > data_bytes ||
        floats_bytes > data_bytes - floats_at || errors_at != floats_at + floats_bytes)
        return POSED_E_PROTOCOL;
    out->data = data;
    out->data_bytes = data_bytes;
    out->entity_count = entity_count;
    out->model_count = model_count;
    out->error_count = get32(at + 16);
    out->floats = (const float *)(const void *)(at + floats_at);
    out->floats_bytes = (size_t)floats_bytes;
    out->errors_at = (size_t)errors_at;
    if (check_entities(out, floats_at, errors_at) == 0 && check_errors(out, out->errors_at) == 0)
        return 0;
    memset(out, 0, sizeof *out);
    return POSED_E_PROTOCOL;
}

const float *posed_entity_floats(const struct posed_entities *entities, uint32_t entity, uint32_t *count)
{
    *count = 0;
    if (entity >= entities->entity_count || get16(entity_at(entities, entity) + 14) != 0)
        return NULL;
    const unsigned char *at = entity_at(entities, entity);
    *count = get32(at + 8);
    return (const float *)(const void *)(entities->data + get64(at));
}

int posed_entity_error(const struct posed_entities *entities, uint32_t index, struct posed_entity_error *out)
{
    memset(out, 0, sizeof *out);
    if (index >= entities->error_count)
        return 0;
    const unsigned char *at = entities->data + entities->errors_at;
    const unsigned char *message = at + (size_t)entities->error_count * WRONG_BYTES;
    for (uint32_t i = 0; i < index; i++, at += WRONG_BYTES)
        message += get32(at + 8);
    out->entity = get32(at);
    out->code = (uint16_t)get32(at + 4);
    out->message = (const char *)message;
    out->message_bytes = get32(at + 8);
    return 1;
}

const unsigned char *posed_entities_hash(const struct posed_entities *entities, uint32_t model)
{
    return model < entities->model_count
               ? entity_at(entities, entities->entity_count) + (size_t)model * CROWD_MODEL_BYTES
               : NULL;
}

/* --- the answer to a raycast --- */

int posed_read_hits(const void *data, size_t data_bytes, struct posed_hits *out)
{
    const unsigned char *at = data;
    memset(out, 0, sizeof *out);
    if (data_bytes < HITS_BYTES || memcmp(at, "PSDH", 4) != 0 || get16(at + 4) != 1)
        return POSED_E_PROTOCOL;
    const uint32_t entity_count = get32(at + 8), ray_count = get32(at + 12), hit_count = get32(at + 16);
    if (get64(at + 24) != data_bytes || HITS_BYTES + (uint64_t)hit_count * HIT_BYTES != data_bytes ||
        at[20] > POSED_TEST_MESH)
        return POSED_E_PROTOCOL;
    for (const unsigned char *hit = at + HITS_BYTES; hit < at + data_bytes; hit += HIT_BYTES)
        if (get32(hit) >= ray_count || get32(hit + 4) >= entity_count)
            return POSED_E_PROTOCOL;
    out->entity_count = entity_count;
    out->ray_count = ray_count;
    out->hit_count = hit_count;
    out->test = at[20];
    out->data = at;
    return 0;
}

uint32_t posed_copy_hits(const struct posed_hits *hits, uint32_t first, struct posed_hit *out, uint32_t capacity)
{
    const uint32_t left = first < hits->hit_count ? hits->hit_count - first : 0,
                   count = left < capacity ? left : capacity;
    for (uint32_t i = 0; i < count; i++, out++) {
        const unsigned char *at = hits->data + HITS_BYTES + ((size_t)first + i) * HIT_BYTES;
        out->ray = get32(at);
        out->entity = get32(at + 4);
        out->node = get32(at + 8);
        out->part = get32(at + 12);
        out->triangle = get32(at + 16);
        out->is_inside = (int)(get32(at + 20) & 1);
        memcpy(&out->distance, at + 24, sizeof out->distance);
        memcpy(out->point, at + 28, sizeof out->point);
        memcpy(out->normal, at + 40, sizeof out->normal);
        memcpy(out->barycentric, at + 52, sizeof out->barycentric);
    }
    return count;
}

/* --- requests --- */

void posed_query_init(struct posed_query *query)
{
    memset(query, 0, sizeof *query);
    query->clip = POSED_FIRST_CLIP;
    query->mesh = query->root = -1;
}

size_t posed_write_hello(void *out, size_t capacity, const char *token)
{
    const size_t token_bytes = token == NULL ? 0 : strlen(token);
    const size_t bytes = round_up(HELLO_BYTES + token_bytes);
    if (token_bytes > TOKEN_MAX)
        return 0;
    if (bytes <= capacity) {
        unsigned char *at = out;
        memset(at, 0, bytes);
        memcpy(at, "\x89PSDP\r\n", 8);
        put16(at + 8, POSED_PROTOCOL);
        put32(at + 12, (uint32_t)token_bytes);
        if (token_bytes > 0)
            memcpy(at + HELLO_BYTES, token, token_bytes);
    }
    return bytes;
}

/* Writes the header and zeros after it, and returns the beginning of the payload; NULL if there is no room. *bytes:
 * size of the packet. */
static unsigned char *begin(void *out, size_t capacity, int kind, uint32_t id, const struct posed_model *model,
                            size_t payload_bytes, size_t *bytes)
{
    *bytes = payload_bytes > UINT32_MAX - POSED_HEADER_BYTES - POSED_ALIGN
                 ? 0
                 : round_up(POSED_HEADER_BYTES + payload_bytes);
    if (*bytes == 0 || *bytes > capacity)
        return NULL;
    unsigned char *at = out;
    memset(at, 0, *bytes);
    put32(at, (uint32_t)payload_bytes);
    put16(at + 4, (uint32_t)kind);
    put32(at + 8, id);
    if (model != NULL) {
        put32(at + 12, model->handle);
        put32(at + 16, model->wanted);
    }
    return at + POSED_HEADER_BYTES;
}

size_t posed_write_plain(void *out, size_t capacity, int kind, uint32_t id, const struct posed_model *model)
{
    size_t bytes;
    (void)begin(out, capacity, kind, id, model, 0, &bytes);
    return bytes;
}

size_t posed_write_open(void *out, size_t capacity, uint32_t id, const char *path)
{
    size_t bytes;
    unsigned char *at = begin(out, capacity, POSED_OPEN, id, NULL, strlen(path), &bytes);
    if (at != NULL)
        memcpy(at, path, strlen(path));
    return bytes;
}

size_t posed_write_find(void *out, size_t capacity, uint32_t id, const struct posed_model *model, int what,
                        const char *name, uint32_t index)
{
    const size_t name_bytes = name == NULL ? 0 : strlen(name);
    size_t bytes;
    unsigned char *at = begin(out, capacity, POSED_FIND, id, model, 16 + name_bytes, &bytes);
    if (at != NULL) {
        put16(at, (uint32_t)what);
        put16(at + 2, name == NULL);
        put32(at + 4, name == NULL ? index : 0);
        if (name_bytes > 0)
            memcpy(at + 16, name, name_bytes);
    }
    return bytes;
}

static void put_query(unsigned char *at, const struct posed_query *query)
{
    put_i32(at, query->clip);
    at[4] = query->wrap;
    at[5] = query->layout;
    at[6] = query->space;
    at[7] = query->what;
    put32(at + 8, query->flags);
    put32(at + 12, query->time_count);
    put32(at + 16, query->index_count);
    put_i32(at + 20, query->mesh);
    put_i32(at + 24, query->root);
    put_f64(at + 32, query->from_s);
    put_f64(at + 40, query->to_s);
    put_f64(at + 48, query->speed);
    put_f64(at + 56, query->phase);
}

/* Begins a query. `fields`: bytes before its times and indices. `more`: what follows these, or NULL. */
static unsigned char *begin_query(void *out, size_t capacity, int kind, uint32_t id, const struct posed_model *model,
                                  const struct posed_query *query, size_t fields, const char *more, size_t *bytes)
{
    const uint64_t lists = (uint64_t)query->time_count * 8 + (uint64_t)query->index_count * 4;
    const size_t more_bytes = more == NULL ? 0 : strlen(more);
    *bytes = 0;
    if (lists > UINT32_MAX / 2 || more_bytes > UINT32_MAX / 4)
        return NULL;
    unsigned char *at = begin(out, capacity, kind, id, model, fields + (size_t)lists + more_bytes, bytes);
    if (at == NULL)
        return NULL;
    if (more_bytes > 0)
        memcpy(at + fields + (size_t)lists, more, more_bytes);
    put_query(at, query);
    if (query->time_count > 0)
        memcpy(at + fields, query->times, (size_t)query->time_count * 8);
    if (query->index_count > 0)
        memcpy(at + fields + (size_t)query->time_count * 8, query->indices, (size_t)query->index_count * 4);
    return at;
}

size_t posed_write_query(void *out, size_t capacity, int kind, uint32_t id, const struct posed_model *model,
                         const struct posed_query *query)
{
    size_t bytes;
    (void)begin_query(out, capacity, kind, id, model, query, QUERY_BYTES, NULL, &bytes);
    return bytes;
}

size_t posed_write_render(void *out, size_t capacity, uint32_t id, const struct posed_model *model,
                          const struct posed_query *query, const struct posed_picture *picture)
{
    size_t bytes;
    unsigned char *at = begin_query(out, capacity, POSED_RENDER, id, model, query, WITH_MORE_BYTES, NULL, &bytes);
    if (at != NULL) {
        put32(at + 64, picture->width);
        put32(at + 68, picture->height);
        memcpy(at + 72, picture->background, 4);
        put_f64(at + 80, picture->yaw_deg);
        put_f64(at + 88, picture->pitch_deg);
    }
    return bytes;
}

static int is_unreserved(unsigned char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '.' ||
           c == '_' || c == '~' || c == '/';
}

size_t posed_escape(char *out, size_t capacity, const char *text)
{
    static const char DIGITS[] = "0123456789ABCDEF";
    size_t bytes = 1;
    for (const char *at = text; *at != '\0'; at++)
        bytes += is_unreserved((unsigned char)*at) ? 1 : 3;
    if (bytes > capacity)
        return bytes;
    for (; *text != '\0'; text++) {
        const unsigned char c = (unsigned char)*text;
        if (is_unreserved(c)) {
            *out++ = *text;
        } else {
            *out++ = '%';
            *out++ = DIGITS[c >> 4];
            *out++ = DIGITS[c & 15];
        }
    }
    *out = '\0';
    return bytes;
}

size_t posed_write_call(void *out, size_t capacity, uint32_t id, const struct posed_model *model, const char *target,
                        const void *body, size_t body_bytes)
{
    const size_t target_bytes = strlen(target);
    size_t bytes;
    if (body_bytes > UINT32_MAX / 2 || target_bytes > UINT32_MAX / 4 || (body == NULL && body_bytes > 0))
        return 0;
    unsigned char *at = begin(out, capacity, POSED_CALL, id, model, 16 + target_bytes + body_bytes, &bytes);
    if (at != NULL) {
        put16(at, body != NULL);
        put32(at + 4, (uint32_t)target_bytes);
        put32(at + 8, (uint32_t)body_bytes);
        memcpy(at + 16, target, target_bytes);
        if (body_bytes > 0)
            memcpy(at + 16 + target_bytes, body, body_bytes);
    }
    return bytes;
}

/* The number of records of each kind in a crowd. */
struct crowd_counts {
    size_t layers, worlds, mask_nodes, wanted, items, pose_nodes, pose_numbers;
};

/* Returns how many numbers a given pose has. */
static size_t count_numbers(const struct posed_given_pose *pose)
{
    size_t count = 0;
    for (uint32_t n = 0; n < pose->node_count; n++) {
        const unsigned parts = pose->nodes[n].parts;
        count += ((parts & POSED_TRANSLATION) != 0 ? 3U : 0U) + ((parts & POSED_ROTATION) != 0 ? 4U : 0U) +
                 ((parts & POSED_SCALE) != 0 ? 3U : 0U);
    }
    return count;
}

static int count_crowd(const struct posed_crowd *crowd, struct crowd_counts *counts)
{
    memset(counts, 0, sizeof *counts);
    for (uint32_t i = 0; i < crowd->entity_count; i++) {
        if (crowd->entities[i].layer_count > POSED_LAYERS_MAX)
            return 0;
        counts->layers += crowd->entities[i].layer_count;
        counts->worlds += crowd->entities[i].world_from_scene != NULL;
    }
    for (uint32_t i = 0; i < crowd->mask_count; i++)
        counts->mask_nodes += crowd->masks[i].node_count;
    for (uint32_t i = 0; i < crowd->wanted_count; i++)
        counts->items += crowd->wanted[i].item_count;
    counts->wanted = crowd->wanted_count > 0 ? crowd->wanted_count : 1;
    for (uint32_t i = 0; i < crowd->pose_count; i++) {
        counts->pose_nodes += crowd->poses[i].node_count;
        counts->pose_numbers += count_numbers(&crowd->poses[i]);
    }
    return counts->mask_nodes <= UINT32_MAX && counts->items <= UINT32_MAX && counts->pose_numbers <= UINT32_MAX;
}

static unsigned char *put_layer(unsigned char *at, const struct posed_layer *layer)
{
    put_i32(at, layer->clip);
    put32(at + 4, layer->mask - 1);
    put_f64(at + 16, layer->weight);
    at[25] = layer->mode;
    if (layer->mode == POSED_REPLACE || layer->mode == POSED_ADD_POSE)
        return at + LAYER_BYTES;
    put_f64(at + 8, layer->time_s);
    at[24] = layer->wrap;
    put16(at + 26, layer->clip_model);
    if (layer->mode != POSED_OVERRIDE) {
        put_i32(at + 28, layer->reference_clip);
        put_f64(at + 32, layer->reference_time_s);
    }
    return at + LAYER_BYTES;
}

/* Puts entities, layers and matrices of places. Returns the end of what it wrote. */
static unsigned char *put_entities(unsigned char *at, const struct posed_crowd *crowd,
                                   const struct crowd_counts *counts)
{
    unsigned char *layer = at + (size_t)crowd->entity_count * ENTITY_BYTES;
    unsigned char *world = layer + counts->layers * LAYER_BYTES;
    uint32_t layer_count = 0, world_count = 0;
    for (uint32_t i = 0; i < crowd->entity_count; i++, at += ENTITY_BYTES) {
        const struct posed_entity *entity = &crowd->entities[i];
        put16(at, entity->model);
        put16(at + 2, entity->wanted);
        put32(at + 4, entity->layer_count == 0 ? 0 : layer_count);
        put16(at + 8, entity->layer_count);
        at[10] = entity->layout;
        put32(at + 12, entity->world_from_scene == NULL ? UINT32_MAX : world_count++);
        for (uint32_t l = 0; l < entity->layer_count; l++)
            layer = put_layer(layer, &entity->layers[l]);
        layer_count += entity->layer_count;
        if (entity->world_from_scene != NULL) {
            memcpy(world, entity->world_from_scene, WORLD_BYTES);
            world += WORLD_BYTES;
        }
    }
    return world;
}

static unsigned char *put_models(unsigned char *at, const struct posed_crowd *crowd)
{
    for (uint32_t i = 0; i < crowd->model_count; i++, at += CROWD_MODEL_BYTES) {
        put32(at, crowd->models[i]->handle);
        if (crowd->is_pinned)
            memcpy(at + 16, crowd->models[i]->content_hash, 32);
    }
    return at;
}

static unsigned char *put_masks(unsigned char *at, const struct posed_crowd *crowd)
{
    unsigned char *node = at + (size_t)crowd->mask_count * MASK_BYTES;
    uint32_t first = 0;
    for (uint32_t i = 0; i < crowd->mask_count; i++, at += MASK_BYTES) {
        const struct posed_mask *mask = &crowd->masks[i];
        put32(at, first);
        put32(at + 4, mask->node_count);
        first += mask->node_count;
        for (uint32_t n = 0; n < mask->node_count; n++, node += MASK_NODE_BYTES) {
            put32(node, mask->nodes[n].node);
            put16(node + 4, mask->nodes[n].scope);
        }
    }
    return node;
}

/* Puts what is wanted, and its joints and nodes. Without any there is a single {0}. */
static unsigned char *put_wanted(unsigned char *at, const struct posed_crowd *crowd, const struct crowd_counts *counts)
{
    unsigned char *item = at + counts->wanted * WANTED_BYTES;
    uint32_t first = 0;
    for (uint32_t i = 0; i < crowd->wanted_count; i++, at += WANTED_BYTES) {
        const struct posed_wanted *wanted = &crowd->wanted[i];
        put16(at, wanted->what);
        put_i32(at + 4, wanted->skin);
        put32(at + 8, wanted->item_count == 0 ? 0 : first);
        put32(at + 12, wanted->item_count);
        first += wanted->item_count;
        for (uint32_t n = 0; n < wanted->item_count; n++, item += 4)
            put32(item, wanted->items[n]);
    }
    return item;
}

static void put_poses(unsigned char *at, const struct posed_crowd *crowd, const struct crowd_counts *counts)
{
    unsigned char *node = at + (size_t)crowd->pose_count * GIVEN_BYTES;
    unsigned char *number = node + counts->pose_nodes * GIVEN_NODE_BYTES;
    uint32_t first_node = 0, first_number = 0;
    for (uint32_t i = 0; i < crowd->pose_count; i++, at += GIVEN_BYTES) {
        const struct posed_given_pose *pose = &crowd->poses[i];
        const uint32_t count = (uint32_t)count_numbers(pose);
        put32(at, first_node);
        put32(at + 4, pose->node_count);
        put32(at + 8, first_number);
        for (uint32_t n = 0; n < pose->node_count; n++, node += GIVEN_NODE_BYTES) {
            put32(node, pose->nodes[n].node);
            put16(node + 4, pose->nodes[n].parts);
        }
        memcpy(number + (size_t)first_number * 4, pose->numbers, (size_t)count * 4);
        first_node += pose->node_count;
        first_number += count;
    }
}

void posed_layer_init(struct posed_layer *layer)
{
    memset(layer, 0, sizeof *layer);
    layer->weight = 1;
}

/* Returns the size of the records of a crowd, and fills its counts; 0 if the size cannot be expressed. */
static size_t crowd_bytes(const struct posed_crowd *crowd, struct crowd_counts *counts)
{
    if (crowd->entity_count > UINT32_MAX / 4096 || crowd->model_count > POSED_CROWD_MODELS_MAX ||
        crowd->mask_count > UINT32_MAX / 64 || crowd->wanted_count > UINT16_MAX ||
        crowd->pose_count > UINT32_MAX / 64 || !count_crowd(crowd, counts))
        return 0;
    return CROWD_BYTES + (size_t)crowd->entity_count * ENTITY_BYTES + counts->layers * LAYER_BYTES +
           counts->worlds * WORLD_BYTES + crowd->model_count * (size_t)CROWD_MODEL_BYTES +
           crowd->mask_count * (size_t)MASK_BYTES + counts->mask_nodes * MASK_NODE_BYTES +
           counts->wanted * WANTED_BYTES + counts->items * 4 + crowd->pose_count * (size_t)GIVEN_BYTES +
           counts->pose_nodes * GIVEN_NODE_BYTES + counts->pose_numbers * 4;
}

static void put_crowd(unsigned char *at, const struct posed_crowd *crowd, const struct crowd_counts *counts,
                      size_t bytes)
{
    memcpy(at, "PSDC", 4);
    put16(at + 4, 1);
    put32(at + 8, (uint32_t)bytes);
    put32(at + 12, crowd->entity_count);
    put32(at + 16, (uint32_t)counts->layers);
    put32(at + 20, (uint32_t)counts->worlds);
    put32(at + 24, crowd->model_count);
    put32(at + 28, crowd->mask_count);
    put32(at + 32, (uint32_t)counts->mask_nodes);
    put32(at + 36, (uint32_t)counts->wanted);
    put32(at + 40, (uint32_t)counts->items);
    put32(at + 48, crowd->pose_count);
    put32(at + 52, (uint32_t)counts->pose_nodes);
    put32(at + 56, (uint32_t)counts->pose_numbers);
    unsigned char *masks = put_models(put_entities(at + CROWD_BYTES, crowd, counts), crowd);
    put_poses(put_wanted(put_masks(masks, crowd), crowd, counts), crowd, counts);
}

size_t posed_write_crowd(void *out, size_t capacity, uint32_t id, const struct posed_crowd *crowd)
{
    struct crowd_counts counts;
    size_t bytes;
    const size_t payload_bytes = crowd_bytes(crowd, &counts);
    if (payload_bytes == 0)
        return 0;
    unsigned char *at = begin(out, capacity, POSED_CROWD, id, NULL, payload_bytes, &bytes);
    if (at != NULL)
        put_crowd(at, crowd, &counts, payload_bytes);
    return bytes;
}

/* Counts the targets of a raycast. */
static uint32_t count_targets(const struct posed_raycast *raycast)
{
    return raycast->targets != NULL ? raycast->target_count : raycast->crowd->entity_count;
}

static unsigned char *put_targets(unsigned char *at, const struct posed_raycast *raycast)
{
    const uint32_t count = count_targets(raycast);
    for (uint32_t i = 0; i < count; i++, at += TARGET_BYTES) {
        const struct posed_target alone = {i, 0, 0};
        const struct posed_target *target = raycast->targets != NULL ? &raycast->targets[i] : &alone;
        put32(at, target->begin);
        put32(at + 4, target->end - 1);
        put32(at + 8, target->mask == 0 ? UINT32_MAX : target->mask);
    }
    return at;
}

static unsigned char *put_rays(unsigned char *at, const struct posed_raycast *raycast)
{
    for (uint32_t i = 0; i < raycast->ray_count; i++, at += RAY_BYTES) {
        const struct posed_ray *ray = &raycast->rays[i];
        memcpy(at, ray->origin, sizeof ray->origin);
        memcpy(at + 24, ray->direction, sizeof ray->direction);
        put_f64(at + 48, ray->most == 0 ? HUGE_VAL : ray->most);
        put_f64(at + 56, ray->radius);
        put_f64(at + 64, ray->at);
        put32(at + 72, ray->mask == 0 ? UINT32_MAX : ray->mask);
        put32(at + 76, ray->ignored - 1);
    }
    return at;
}

size_t posed_write_raycast(void *out, size_t capacity, uint32_t id, const struct posed_raycast *raycast)
{
    struct crowd_counts counts;
    size_t bytes;
    const size_t poses_bytes = raycast->crowd == NULL ? 0 : crowd_bytes(raycast->crowd, &counts);
    if (poses_bytes == 0 || poses_bytes > UINT32_MAX / 2 || raycast->target_count > UINT32_MAX / 4096 ||
        raycast->ray_count > UINT32_MAX / 256)
        return 0;
    const uint32_t target_count = count_targets(raycast);
    const size_t payload_bytes =
        RAYCAST_BYTES + (size_t)target_count * TARGET_BYTES + (size_t)raycast->ray_count * RAY_BYTES + poses_bytes;
    unsigned char *at = begin(out, capacity, POSED_RAYCAST, id, NULL, payload_bytes, &bytes);
    if (at == NULL)
        return bytes;
    memcpy(at, "PSDR", 4);
    put16(at + 4, 1);
    put32(at + 8, (uint32_t)payload_bytes);
    put32(at + 12, target_count);
    put32(at + 16, raycast->ray_count);
    put32(at + 20, (uint32_t)poses_bytes);
    at[24] = raycast->fit;
    at[25] = raycast->test;
    at[26] = raycast->which;
    put_crowd(put_rays(put_targets(at + RAYCAST_BYTES, raycast), raycast), raycast->crowd, &counts, poses_bytes);
    return bytes;
}

size_t posed_write_subscribe(void *out, size_t capacity, uint32_t id, const struct posed_model *model,
                             const struct posed_query *query, const struct posed_subscription *subscription)
{
    size_t bytes;
    unsigned char *at =
        begin_query(out, capacity, POSED_SUBSCRIBE, id, model, query, WITH_MORE_BYTES, subscription->more, &bytes);
    if (at != NULL) {
        put32(at + 8, query->flags | (subscription->more == NULL ? 0 : POSED_QUERY_MORE));
        put16(at + 64, subscription->kind);
        put16(at + 66, subscription->is_paused);
        put32(at + 68, subscription->credit);
        put_f64(at + 72, subscription->rate);
        put_f64(at + 80, subscription->position_s);
        put_f64(at + 88, subscription->speed);
    }
    return bytes;
}

size_t posed_write_control(void *out, size_t capacity, uint32_t id, uint32_t stream,
                           const struct posed_steering *steering)
{
    size_t bytes;
    unsigned char *at = begin(out, capacity, POSED_CONTROL, id, NULL, 32, &bytes);
    if (at != NULL) {
        put32(at, stream);
        put32(at + 4, steering->flags);
        put_f64(at + 8, steering->position_s);
        put_f64(at + 16, steering->speed);
        put_f64(at + 24, steering->rate);
    }
    return bytes;
}

/* Writes unsubscribe, watch and credit, which have one or two numbers. */
static size_t write_numbers(void *out, size_t capacity, int kind, uint32_t id, const struct posed_model *model,
                            size_t count, uint32_t first, uint32_t second)
{
    size_t bytes;
    unsigned char *at = begin(out, capacity, kind, id, model, count * 4, &bytes);
    if (at != NULL) {
        put32(at, first);
        if (count > 1)
            put32(at + 4, second);
    }
    return bytes;
}

size_t posed_write_credit(void *out, size_t capacity, uint32_t stream, uint32_t credit)
{
    return write_numbers(out, capacity, POSED_CREDIT, 0, NULL, 2, stream, credit);
}

size_t posed_write_unsubscribe(void *out, size_t capacity, uint32_t id, uint32_t stream)
{
    return write_numbers(out, capacity, POSED_UNSUBSCRIBE, id, NULL, 1, stream, 0);
}

size_t posed_write_watch(void *out, size_t capacity, uint32_t id, const struct posed_model *model, int is_on)
{
    return write_numbers(out, capacity, POSED_WATCH, id, model, 1, is_on != 0, 0);
}

/* --- connections: failures and time --- */

#if defined(__GNUC__)
__attribute__((format(printf, 3, 4)))
#endif
static int
fail(struct posed *server, int status, const char *format, ...)
{
    memset(&server->error, 0, sizeof server->error);
    server->error.status = status;
    server->error.offset = UINT64_MAX;
    server->error.system = status == POSED_E_SYSTEM ? errno : 0;
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(server->error.message, sizeof server->error.message, format, arguments);
    va_end(arguments);
    return status;
}

static int fail_system(struct posed *server, const char *what)
{
    return fail(server, POSED_E_SYSTEM, "%s: %s", what, strerror(errno));
}

/* Notes the error of a packet, and who sent it. */
static int take_error(struct posed *server, const struct posed_packet *packet)
{
    const int rc = posed_read_error(packet, &server->error);
    if (rc == 0)
        (void)snprintf(server->error.server, sizeof server->error.server, "%.63s", server->address);
    return rc;
}

/* The state of the connection that replaces another. It is UP from the first connection on. */
enum { LINK_UP, LINK_WAITING, LINK_GREETING, LINK_OPENING };

static int64_t now_ms(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

/* Returns the deadline; INT64_MAX: never. */
static int64_t deadline_of(int timeout_ms) { return timeout_ms < 0 ? INT64_MAX : now_ms() + timeout_ms; }

static int timeout_of(const struct posed *server)
{
    return server->options.timeout_ms == 0 ? TIMEOUT_MS : server->options.timeout_ms;
}

/* Returns 1 if the socket is ready, 0 after the timeout. */
static int wait_for(struct posed *server, short events, int64_t deadline_ms)
{
    for (;;) {
        struct pollfd poll_fd;
        int64_t left = -1;
        poll_fd.fd = server->fd;
        poll_fd.events = events;
        poll_fd.revents = 0;
        if (deadline_ms != INT64_MAX) {
            left = deadline_ms - now_ms();
            left = left < 0 ? 0 : left > INT_MAX ? INT_MAX : left;
        }
        const int ready = poll(&poll_fd, 1, (int)left);
        if (ready > 0)
            return 1;
        if (ready == 0)
            return 0;
        if (errno != EINTR)
            return fail_system(server, "poll");
    }
}

/* --- connections: what has to be said again ---
 *
 * There is a record for each request without an answer, and for each open, subscribe and watch that succeeded. The
 * packet after it has the caller's numbers of models. They stay, but each connection has its own. */

enum { KEPT_NOTHING, KEPT_REQUEST, KEPT_MODEL, KEPT_STREAM, KEPT_WATCH };

struct kept {
    uint32_t bytes; /* size of the packet that follows */
    uint32_t id, handle;
    uint8_t state, is_sent, awaits, sendings;
    uint8_t has_hash, is_changed,
        is_owed;   /* a model's; a model's or a watch's; a stream's: a seek that sends a frame */
    uint16_t code; /* the error of a model that could not be opened again */
    uint32_t server_handle, generation, generations_before;
    uint64_t tick, ticks_before; /* tick: the next one. ticks_before: ticks of earlier connections */
    unsigned char hash[32];
};

enum { KEPT_BYTES = (sizeof(struct kept) + POSED_ALIGN - 1) / POSED_ALIGN * POSED_ALIGN };
/* Offsets in the packet of a subscribe. */
enum {
    AT_PAUSED = POSED_HEADER_BYTES + 66,
    AT_CREDIT = AT_PAUSED + 2,
    AT_RATE = AT_CREDIT + 4,
    AT_POSITION = AT_RATE + 8,
    AT_SPEED = AT_POSITION + 8
};

static struct kept *kept_at(const struct posed *server, size_t at)
{
    return at < server->keep_used ? (struct kept *)(void *)(server->keep + at) : NULL;
}
static struct kept *kept_first(const struct posed *server) { return kept_at(server, 0); }
static struct kept *kept_next(const struct posed *server, const struct kept *one)
{
    return kept_at(server, (size_t)((const unsigned char *)one - server->keep) + KEPT_BYTES + one->bytes);
}
static unsigned char *kept_packet(struct kept *one) { return (unsigned char *)one + KEPT_BYTES; }

static struct kept *kept_find(const struct posed *server, int state, uint32_t id)
{
    struct kept *one = kept_first(server);
    while (one != NULL && (one->state != state || one->id != id))
        one = kept_next(server, one);
    return one;
}

static struct kept *kept_model(const struct posed *server, uint32_t handle)
{
    struct kept *one = kept_first(server);
    while (one != NULL && (one->state != KEPT_MODEL || one->handle != handle))
        one = kept_next(server, one);
    return one;
}

/* Returns whether another connection may replace this one. */
static int is_resumable(const struct posed *server)
{
    return server->address[0] != '\0' && server->options.reconnect_tries >= 0;
}

/* Removes records that are no longer needed, to make room. */
static void kept_compact(struct posed *server)
{
    size_t from = 0, to = 0;
    while (from < server->keep_used) {
        struct kept *one = kept_at(server, from);
        const size_t bytes = KEPT_BYTES + one->bytes;
        if (one->state != KEPT_NOTHING) {
            memmove(server->keep + to, server->keep + from, bytes);
            to += bytes;
        }
        from += bytes;
    }
    server->keep_used = to;
}

/* Returns NULL if there is no room. */
static struct kept *kept_add(struct posed *server, const unsigned char *packet, size_t packet_bytes)
{
    if (KEPT_BYTES + packet_bytes > server->keep_room - server->keep_used)
        kept_compact(server);
    if (KEPT_BYTES + packet_bytes > server->keep_room - server->keep_used)
        return NULL;
    struct kept *one = (struct kept *)(void *)(server->keep + server->keep_used);
    server->keep_used += KEPT_BYTES + packet_bytes;
    memset(one, 0, sizeof *one);
    one->bytes = (uint32_t)packet_bytes;
    one->state = KEPT_REQUEST;
    one->id = get32(packet + 8);
    one->handle = get32(packet + 12);
    memcpy(kept_packet(one), packet, packet_bytes);
    return one;
}

/* The same for the models of a crowd. */
static void translate_crowd(const struct posed *server, unsigned char *crowd, size_t bytes)
{
    if (bytes < CROWD_BYTES)
        return;
    const uint32_t model_count = get32(crowd + 24);
    const uint64_t first = CROWD_BYTES + (uint64_t)get32(crowd + 12) * ENTITY_BYTES +
                           (uint64_t)get32(crowd + 16) * LAYER_BYTES + (uint64_t)get32(crowd + 20) * WORLD_BYTES;
    if (first > bytes || model_count > (bytes - first) / CROWD_MODEL_BYTES)
        return;
    unsigned char *at = crowd + first;
    for (uint32_t i = 0; i < model_count; i++, at += CROWD_MODEL_BYTES) {
        const struct kept *model = get32(at) == 0 ? NULL : kept_model(server, get32(at));
        if (model != NULL)
            put32(at, model->server_handle);
    }
}

/* The same for the crowd of a raycast. */
static void translate_raycast(const struct posed *server, unsigned char *raycast, size_t bytes)
{
    if (bytes < RAYCAST_BYTES)
        return;
    const uint64_t first =
        RAYCAST_BYTES + (uint64_t)get32(raycast + 12) * TARGET_BYTES + (uint64_t)get32(raycast + 16) * RAY_BYTES;
    if (first <= bytes)
        translate_crowd(server, raycast + first, bytes - (size_t)first);
}

/* Replaces the caller's numbers in a packet by the numbers of this connection. */
static void translate(const struct posed *server, unsigned char *packet)
{
    if (get16(packet + 4) == POSED_CROWD) {
        translate_crowd(server, packet + POSED_HEADER_BYTES, get32(packet));
        return;
    }
    if (get16(packet + 4) == POSED_RAYCAST) {
        translate_raycast(server, packet + POSED_HEADER_BYTES, get32(packet));
        return;
    }
    const struct kept *model = get32(packet + 12) == 0 ? NULL : kept_model(server, get32(packet + 12));
    const uint32_t generation = get32(packet + 16);
    if (model == NULL || get16(packet + 4) == POSED_OPEN)
        return;
    put32(packet + 12, model->server_handle);
    if (generation != 0) /* if the content is gone, no generation of the server matches */
        put32(packet + 16,
              generation > model->generations_before ? generation - model->generations_before : UINT32_MAX);
}

/* Returns the room after the queued bytes. */
static size_t out_room_left(struct posed *server)
{
    if (server->out_start > 0) {
        memmove(server->out, server->out + server->out_start, server->out_end - server->out_start);
        server->out_end -= server->out_start;
        server->out_start = 0;
    }
    return server->out_room - server->out_end;
}

/* Queues a record's packet. If the stream was sought while it is paused, queues that seek, too. Returns 0 if there is
 * no room. */
static int kept_send(struct posed *server, struct kept *one)
{
    const int is_sought = one->state == KEPT_STREAM && one->is_owed && get16(kept_packet(one) + AT_PAUSED) != 0;
    const size_t more = is_sought ? POSED_HEADER_BYTES + 32 : 0;
    if (one->bytes + more > out_room_left(server))
        return 0;
    unsigned char *packet = server->out + server->out_end;
    memcpy(packet, kept_packet(one), one->bytes);
    translate(server, packet);
    if (one->state == KEPT_MODEL)
        put32(packet + 8, 0);
    server->out_end += one->bytes;
    if (is_sought) {
        struct posed_steering steering = {POSED_CONTROL_SEEK, 0, 0, 0};
        steering.position_s = get_f64(kept_packet(one) + AT_POSITION);
        server->out_end += posed_write_control(server->out + server->out_end, more, one->id, one->id, &steering);
    }
    one->is_sent = 1;
    one->awaits = one->state == KEPT_REQUEST ? 0 : is_sought ? 2 : 1;
    one->sendings++;
    return 1;
}

static int is_due(const struct posed *server, const struct kept *one, int is_request)
{
    const int is_now = server->link == LINK_OPENING ? one->state == KEPT_MODEL
                       : is_request                 ? one->state == KEPT_REQUEST
                                                    : one->state == KEPT_STREAM || one->state == KEPT_WATCH;
    return is_now && !one->is_sent;
}

/* Queues everything that this connection must repeat, as far as there is room: models, then streams and watches, then
 * requests. */
static void kept_pump(struct posed *server)
{
    if (server->link != LINK_UP && server->link != LINK_OPENING)
        return;
    for (int is_request = 0; is_request < 2; is_request++)
        for (struct kept *one = kept_first(server); one != NULL; one = kept_next(server, one))
            if (is_due(server, one, is_request) && !kept_send(server, one))
                return;
}

/* --- connections: sending --- */

/* Returns 1 if something is queued. If nothing is, it queues kept packets first. */
static int has_queued(struct posed *server)
{
    if (server->out_start == server->out_end && server->keep_used > 0)
        kept_pump(server);
    return server->out_start < server->out_end;
}

/* Returns 0 if the queue is empty, POSED_E_AGAIN if the system accepts no more. */
static int flush(struct posed *server)
{
    if (server->is_broken)
        return 0;
    while (has_queued(server)) {
        const ssize_t sent =
            send(server->fd, server->out + server->out_start, server->out_end - server->out_start, MSG_NOSIGNAL);
        if (sent >= 0) {
            server->out_start += (size_t)sent;
            continue;
        }
        if (errno == EINTR)
            continue;
        if (errno == EAGAIN || errno == EWOULDBLOCK || (server->is_connecting && errno == ENOTCONN))
            return POSED_E_AGAIN;
        if (errno == EPIPE || errno == ECONNRESET) { /* the server's last packets can still be read */
            server->out_start = server->out_end = 0;
            return 0;
        }
        const int rc = fail_system(server, "cannot send");
        if (!is_resumable(server))
            return rc;
        server->out_start = server->out_end = 0;
        server->is_broken = 1; /* receive() reports it */
        return 0;
    }
    server->out_start = server->out_end = 0;
    server->is_connecting = 0;
    return 0;
}

static int flush_waiting(struct posed *server, int64_t deadline_ms)
{
    for (;;) {
        const int rc = flush(server);
        if (rc != POSED_E_AGAIN)
            return rc;
        const int ready = wait_for(server, POLLOUT, deadline_ms);
        if (ready < 0)
            return ready;
        if (ready == 0)
            return fail(server, POSED_E_TIMEOUT, "the server takes no more requests");
    }
}

int posed_wants_write(const struct posed *server)
{
    return server->is_connected && server->out_start < server->out_end;
}
uint32_t posed_new_id(const struct posed *server) { return server->id_next; }
uint32_t posed_owed(const struct posed *server) { return server->owed; }

static uint32_t id_after(uint32_t id) { return id == UINT32_MAX ? 1 : id + 1; }

/* Credit counts as part of the stream that receives it. */
static void keep_credit(struct posed *server, const unsigned char *packet)
{
    const uint32_t stream = get32(packet + POSED_HEADER_BYTES), more = get32(packet + POSED_HEADER_BYTES + 4);
    struct kept *one = kept_find(server, KEPT_STREAM, stream);
    if (one == NULL)
        one = kept_find(server, KEPT_REQUEST, stream);
    if (one == NULL || get16(kept_packet(one) + 4) != POSED_SUBSCRIBE)
        return;
    const uint32_t credit = get32(kept_packet(one) + AT_CREDIT);
    put32(kept_packet(one) + AT_CREDIT, credit > UINT32_MAX - more ? UINT32_MAX : credit + more);
}

/* Keeps a request for another connection. Returns NULL if there is no room. */
static struct kept *keep_request(struct posed *server, const unsigned char *packet, size_t packet_bytes)
{
    const uint16_t kind = get16(packet + 4);
    struct kept *one = kept_add(server, packet, packet_bytes);
    if (one == NULL) {
        server->unkept++;
        server->has_lost |=
            kind == POSED_OPEN || kind == POSED_SUBSCRIBE || kind == POSED_WATCH || kind == POSED_CONTROL;
    }
    return one;
}

/* Counts a request, whose answer is outstanding. `packet`: as the caller made it. is_queued: the packet is also at the
 * end of the queue, and its numbers there become this connection's. */
static int note_request(struct posed *server, const unsigned char *packet, size_t packet_bytes, int is_queued)
{
    struct kept *one = NULL;
    if (get16(packet + 4) == POSED_CREDIT) {
        keep_credit(server, packet);
        return 0;
    }
    if (is_resumable(server)) {
        one = keep_request(server, packet, packet_bytes);
        if (one == NULL && server->reconnects > 0 && get16(packet + 4) == POSED_OPEN)
            return POSED_E_TOO_LARGE; /* another model could have the same number */
        if (one != NULL && is_queued) {
            one->is_sent = 1;
            one->sendings = 1;
        }
        if (is_queued)
            translate(server, server->out + server->out_end - packet_bytes);
    }
    if (server->owed++ == 0)
        server->id_owed = server->id_next;
    server->id_next = id_after(server->id_next);
    return 0;
}

static int fail_kept(struct posed *server, size_t packet_bytes)
{
    (void)fail(server, POSED_E_TOO_LARGE, "a request of %lu bytes does not fit options.keep_memory",
               (unsigned long)packet_bytes);
    server->error.needed_bytes = server->keep_used + KEPT_BYTES + packet_bytes + POSED_ALIGN;
    return POSED_E_TOO_LARGE;
}

/* Returns whether a kept packet must be sent first, or there is no connection. */
static int has_unsent(const struct posed *server)
{
    if (server->link != LINK_UP)
        return 1;
    for (const struct kept *one = kept_first(server); one != NULL; one = kept_next(server, one))
        if (one->state > KEPT_NOTHING && !one->is_sent)
            return 1;
    return 0;
}

/* Between connections: keeps the packet among the others, until it can be sent. */
static int send_later(struct posed *server, const unsigned char *packet, size_t packet_bytes)
{
    if (get16(packet + 4) != POSED_CREDIT && KEPT_BYTES + packet_bytes > server->keep_room - server->keep_used) {
        kept_compact(server);
        if (KEPT_BYTES + packet_bytes > server->keep_room - server->keep_used)
            return fail(server, POSED_E_AGAIN,
                        "between two connections, the requests that wait fill options.keep_memory");
    }
    (void)note_request(server, packet, packet_bytes, 0);
    const int rc = flush(server);
    return rc == POSED_E_AGAIN ? 0 : rc;
}

/* Returns whether this is credit for a stream that has begun again already. */
static int is_credit_of_now(const struct posed *server, const unsigned char *packet)
{
    const struct kept *one =
        get16(packet + 4) == POSED_CREDIT ? kept_find(server, KEPT_STREAM, get32(packet + POSED_HEADER_BYTES)) : NULL;
    return one != NULL && one->is_sent;
}

int posed_send(struct posed *server, const void *packet, size_t packet_bytes)
{
    const unsigned char *bytes = packet;
    if (!server->is_connected)
        return fail(server, POSED_E_ARGUMENT, "there is no connection");
    if (packet_bytes < POSED_HEADER_BYTES || packet_bytes != round_up(POSED_HEADER_BYTES + (size_t)get32(bytes)))
        return fail(server, POSED_E_ARGUMENT, "this is no packet");
    if (get16(bytes + 4) != POSED_CREDIT && get32(bytes + 8) != server->id_next)
        return fail(server, POSED_E_ARGUMENT, "the packet's id is not that of posed_new_id()");
    if (packet_bytes > server->out_room) {
        (void)fail(server, POSED_E_TOO_LARGE, "a request of %lu bytes does not fit options.send_memory",
                   (unsigned long)packet_bytes);
        server->error.needed_bytes = packet_bytes;
        return POSED_E_TOO_LARGE;
    }
    if (is_resumable(server) && has_unsent(server) && !is_credit_of_now(server, bytes))
        return send_later(server, bytes, packet_bytes);
    while (packet_bytes > out_room_left(server)) {
        const int rc =
            server->options.is_nonblocking ? flush(server) : flush_waiting(server, deadline_of(timeout_of(server)));
        if (rc == POSED_E_AGAIN)
            return fail(server, POSED_E_AGAIN, "the requests that wait fill options.send_memory");
        if (rc < 0)
            return rc;
    }
    memcpy(server->out + server->out_end, bytes, packet_bytes);
    server->out_end += packet_bytes;
    if (note_request(server, bytes, packet_bytes, 1) < 0) {
        server->out_end -= packet_bytes;
        return fail_kept(server, packet_bytes);
    }
    const int rc = flush(server);
    return rc == POSED_E_AGAIN ? 0 : rc;
}

/* --- connections: receiving --- */

static unsigned char *aligned(unsigned char *memory)
{
    return memory + (POSED_ALIGN - (uintptr_t)memory % POSED_ALIGN) % POSED_ALIGN;
}

static int grow(struct posed *server, size_t packet_bytes)
{
    size_t wanted = packet_bytes + POSED_ALIGN;
    if (wanted < 2 * server->in_room)
        wanted = 2 * server->in_room;
    const size_t shift = (size_t)(server->in - server->memory);
    unsigned char *memory = server->options.grow == NULL
                                ? NULL
                                : server->options.grow(server->options.grow_context, server->memory, wanted);
    if (memory == NULL)
        return 0;
    server->memory = memory;
    server->in = aligned(memory);
    memmove(server->in, memory + shift, server->in_end);
    server->in_room = wanted - (size_t)(server->in - memory);
    return 1;
}

/* Counts an answer as read. */
static int take_owed(struct posed *server, uint32_t id)
{
    if (server->owed == 0 || id != server->id_owed)
        return 0;
    server->owed--;
    server->id_owed = id_after(server->id_owed);
    return 1;
}

/* Makes room for a packet of this size, or begins to skip it. */
static int make_capacity(struct posed *server, size_t packet_bytes)
{
    if (packet_bytes <= server->in_room - server->in_start)
        return 0;
    memmove(server->in, server->in + server->in_start, server->in_end - server->in_start);
    server->in_end -= server->in_start;
    server->in_start = 0;
    if (packet_bytes <= server->in_room || grow(server, packet_bytes))
        return 0;
    const unsigned char *header = server->in;
    (void)take_owed(server, get32(header + 8));
    (void)fail(server, POSED_E_TOO_LARGE, "a packet of %lu bytes does not fit options.memory",
               (unsigned long)packet_bytes);
    server->error.needed_bytes = packet_bytes + POSED_ALIGN;
    server->in_skip = packet_bytes;
    return POSED_E_TOO_LARGE;
}

static void skip(struct posed *server)
{
    const size_t there = server->in_end - server->in_start;
    const size_t skipped = server->in_skip < there ? server->in_skip : there;
    server->in_start += skipped;
    server->in_skip -= skipped;
    if (server->in_start == server->in_end)
        server->in_start = server->in_end = 0;
}

/* --- connections: what answers and events mean for another connection --- */

/* Gives a model the caller's number. It is the server's number if that is free, as it always is on the first
 * connection. */
static uint32_t number_of(const struct posed *server, uint32_t server_handle)
{
    uint32_t most = 0;
    for (const struct kept *one = kept_first(server); one != NULL; one = kept_next(server, one))
        if (one->state == KEPT_MODEL && one->handle > most)
            most = one->handle;
    return kept_model(server, server_handle) == NULL ? server_handle : most + 1;
}

static void keep_hash(struct kept *model, const unsigned char *hash)
{
    model->has_hash = hash != NULL;
    if (hash != NULL)
        memcpy(model->hash, hash, sizeof model->hash);
}

/* Returns the content's hash in an answer or event, or NULL. */
static const unsigned char *hash_in(const struct posed_packet *packet)
{
    const size_t at = packet->kind == POSED_STREAM ? STREAM_BYTES : 0;
    if (packet->kind == POSED_CHANGED)
        return packet->data_bytes >= 32 && packet->code == 0 ? packet->data : NULL;
    const int has_frames = packet->kind == POSED_STREAM || packet->kind == POSED_FRAMES;
    return has_frames && packet->data_bytes >= at + FRAMES_HEADER_BYTES ? packet->data + at + 64 : NULL;
}

/* Replaces the server's numbers of model and generation in a packet by the caller's. */
static void translate_back(struct posed *server, struct posed_packet *packet)
{
    struct kept *model = kept_first(server);
    while (model != NULL && (model->state != KEPT_MODEL || model->server_handle != packet->model))
        model = kept_next(server, model);
    if (packet->model == 0 || model == NULL)
        return;
    packet->model = model->handle;
    if (packet->generation == 0)
        return;
    packet->generation += model->generations_before;
    if (packet->generation != model->generation || hash_in(packet) != NULL)
        keep_hash(model, hash_in(packet));
    model->generation = packet->generation;
    if (model->is_changed && packet->kind != POSED_CHANGED)
        packet->flags |= POSED_HEADER_CHANGED;
    model->is_changed = 0;
}

/* Forgets a closed model, with its streams and its watch. */
static void drop_model(struct posed *server, uint32_t handle)
{
    for (struct kept *one = kept_first(server); one != NULL; one = kept_next(server, one))
        if (one->state > KEPT_REQUEST && one->handle == handle)
            one->state = KEPT_NOTHING;
}

static void keep_model(struct posed *server, struct kept *one, struct posed_packet *answer)
{
    one->server_handle = answer->model;
    one->handle = number_of(server, answer->model);
    one->generation = answer->generation;
    one->state = KEPT_MODEL;
    keep_hash(one, answer->data_bytes >= 32 ? answer->data : NULL);
    answer->model = one->handle;
}

/* Applies a control to the packet that would begin its stream again. */
static void keep_control(struct posed *server, const unsigned char *control)
{
    const unsigned char *at = control + POSED_HEADER_BYTES;
    struct kept *one = kept_find(server, KEPT_STREAM, get32(at));
    const uint32_t flags = get32(at + 4);
    if (one == NULL)
        return;
    unsigned char *subscribe = kept_packet(one);
    if (flags & (POSED_CONTROL_PAUSE | POSED_CONTROL_RESUME))
        put16(subscribe + AT_PAUSED, (flags & POSED_CONTROL_PAUSE) != 0);
    if (flags & POSED_CONTROL_SEEK)
        memcpy(subscribe + AT_POSITION, at + 8, 8);
    if (flags & POSED_CONTROL_SPEED)
        memcpy(subscribe + AT_SPEED, at + 16, 8);
    if (flags & POSED_CONTROL_RATE)
        memcpy(subscribe + AT_RATE, at + 24, 8);
    one->is_owed |= (flags & POSED_CONTROL_SEEK) != 0;
}

static void keep_watch(struct posed *server, struct kept *one)
{
    for (struct kept *other = kept_first(server); other != NULL; other = kept_next(server, other))
        if (other->state == KEPT_WATCH && other->handle == one->handle)
            other->state = KEPT_NOTHING;
    one->state = get32(kept_packet(one) + POSED_HEADER_BYTES) != 0 ? KEPT_WATCH : KEPT_NOTHING;
}

/* Handles the answer to a request of the caller: removes the request, or keeps what it began. */
static void settle(struct posed *server, struct posed_packet *answer)
{
    struct kept *one = kept_find(server, KEPT_REQUEST, answer->id), *stream;
    server->is_settled = 1;
    if (one == NULL && server->unkept > 0)
        server->unkept--;
    const unsigned char *packet = one == NULL ? NULL : kept_packet(one);
    if (one != NULL && answer->kind == POSED_OPENED && get16(packet + 4) == POSED_OPEN) {
        keep_model(server, one, answer);
        return;
    }
    translate_back(server, answer);
    if (one == NULL)
        return;
    one->state = KEPT_NOTHING;
    if (answer->kind != POSED_DONE)
        return;
    switch (get16(packet + 4)) {
    case POSED_CLOSE:
        drop_model(server, one->handle);
        break;
    case POSED_SUBSCRIBE:
        one->state = KEPT_STREAM;
        break;
    case POSED_WATCH:
        keep_watch(server, one);
        break;
    case POSED_CONTROL:
        keep_control(server, packet);
        break;
    case POSED_UNSUBSCRIBE:
        stream = kept_find(server, KEPT_STREAM, get32(packet + POSED_HEADER_BYTES));
        if (stream != NULL)
            stream->state = KEPT_NOTHING;
        break;
    default:
        break;
    }
}

/* Handles a frame of a stream: the stream would go on with the next one. Ticks are counted over all connections. */
static void keep_frame(struct posed *server, struct posed_packet *packet)
{
    struct kept *one = kept_find(server, KEPT_STREAM, packet->id);
    struct posed_frames frames;
    if (one == NULL || packet->data_bytes < STREAM_BYTES)
        return;
    unsigned char *subscribe = kept_packet(one), *tick = server->in + (packet->data - server->in);
    const uint32_t credit = get32(subscribe + AT_CREDIT);
    const double rate = get_f64(subscribe + AT_RATE);
    const int is_moving = rate > 0 && get16(subscribe + AT_PAUSED) == 0;
    one->tick = get64(tick) + one->ticks_before;
    put32(tick, (uint32_t)(one->tick & UINT32_MAX));
    put32(tick + 4, (uint32_t)(one->tick >> 32));
    one->tick++;
    put32(subscribe + AT_CREDIT, credit > 0 ? credit - 1 : 0);
    one->is_owed = 0;
    if (posed_read_frames(tick + STREAM_BYTES, packet->data_bytes - STREAM_BYTES, &frames) == 0)
        put_f64(subscribe + AT_POSITION,
                posed_frames_time(&frames, 0) + (is_moving ? get_f64(subscribe + AT_SPEED) / rate : 0));
}

static void keep_event(struct posed *server, struct posed_packet *packet)
{
    struct kept *one = packet->kind == POSED_ERROR ? kept_find(server, KEPT_STREAM, packet->id) : NULL;
    server->is_settled = 1;
    if (packet->kind == POSED_STREAM)
        keep_frame(server, packet);
    translate_back(server, packet);
    if (one != NULL) /* the stream has ended */
        one->state = KEPT_NOTHING;
}

/* --- connections: another one in place of one that ended --- */

static int give_up(struct posed *server)
{
    static const char *const WHATS[] = {"",       "open",        "close",  "find", "info",      "palette",
                                        "pose",   "mesh",        "render", "call", "subscribe", "control",
                                        "credit", "unsubscribe", "watch",  "ping"};
    const uint32_t tries = server->tries, waited_ms = (uint32_t)(tries > 0 ? now_ms() - server->down_ms : 0);
    struct kept *one = kept_first(server);
    const char *what = "the connection";
    char cause[sizeof server->cause];
    while (one != NULL && one->state != KEPT_REQUEST)
        one = kept_next(server, one);
    if (one != NULL && get16(kept_packet(one) + 4) < sizeof WHATS / sizeof *WHATS)
        what = WHATS[get16(kept_packet(one) + 4)];
    memcpy(cause, server->cause, sizeof cause);
    posed_disconnect(server);
    (void)fail(server, POSED_E_CLOSED, "gave up on %s after %lu tries in %lu ms: %s", what, (unsigned long)tries + 1,
               (unsigned long)waited_ms, cause);
    server->error.tries = tries;
    server->error.waited_ms = waited_ms;
    return POSED_E_CLOSED;
}

/* Each request is sent twice at most. */
static int is_repeatable(const struct posed *server)
{
    for (const struct kept *one = kept_first(server); one != NULL; one = kept_next(server, one))
        if (one->state == KEPT_REQUEST && one->is_sent && one->sendings > 1)
            return 0;
    return server->unkept == 0 && !server->has_lost;
}

static void forget_connection(struct posed *server)
{
    if (server->fd >= 0)
        (void)close(server->fd);
    server->fd = -1;
    server->in_start = server->in_end = server->in_used = server->in_skip = 0;
    server->out_start = server->out_end = 0;
    server->is_broken = 0;
    server->link = LINK_WAITING;
    for (struct kept *one = kept_first(server); one != NULL; one = kept_next(server, one)) {
        one->is_sent = one->awaits = 0;
        one->server_handle = one->state == KEPT_MODEL ? 0 : one->server_handle;
        one->ticks_before = one->tick;
    }
}

/* Returns the pause shortened at random, by at most a half. This keeps the clients of a server that died apart. */
static int64_t spread(const struct posed *server, int64_t pause_ms)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    const uint32_t mixed = ((uint32_t)now.tv_nsec ^ (uint32_t)((uintptr_t)server >> 4)) * 2654435761u;
    return pause_ms / 2 + (int64_t)(mixed >> 8) * (pause_ms / 2) / (1 << 24);
}

/* Handles the end of the connection, whose reason is in server->error. Returns 0 if another one is to be made, else the
 * error. */
static int end_link(struct posed *server, int rc)
{
    const int tries_max = server->options.reconnect_tries == 0 ? RECONNECT_TRIES : server->options.reconnect_tries;
    const int within_ms = server->options.reconnect_ms == 0 ? RECONNECT_MS : server->options.reconnect_ms;
    const int64_t now = now_ms();
    if (!is_resumable(server) || (!server->has_greeted && server->is_connecting)) /* there never was a connection */
        return rc;
    (void)snprintf(server->cause, sizeof server->cause, "%.150s", server->error.message);
    const int is_up = server->link == LINK_UP;
    if (server->tries == 0 || (is_up && (server->is_settled || now - server->up_ms >= SETTLED_MS))) {
        server->tries = 0;
        server->down_ms = now;
    }
    const int is_possible = is_repeatable(server);
    forget_connection(server);
    int64_t pause_ms = 0;
    for (uint32_t i = 0; i < server->tries && pause_ms < LONGEST_PAUSE_MS; i++)
        pause_ms = pause_ms == 0 ? FIRST_PAUSE_MS : 2 * pause_ms;
    pause_ms = spread(server, pause_ms > LONGEST_PAUSE_MS ? LONGEST_PAUSE_MS : pause_ms);
    if (!is_possible || server->tries >= (uint32_t)tries_max || now + pause_ms - server->down_ms > within_ms)
        return give_up(server);
    server->tries++;
    server->retry_ms = now + pause_ms;
    return 0;
}

static int dial(struct posed *server, const char *address, uint32_t which, int *fd);

/* Starts the next connection. */
static int redial(struct posed *server)
{
    int fd = -1;
    const int rc = dial(server, server->address, server->tries - 1, &fd);
    if (rc < 0)
        return end_link(server, rc);
    server->fd = fd;
    server->is_connecting = 1;
    server->link = LINK_GREETING;
    server->until_ms = now_ms() + ATTEMPT_MS;
    memset(&server->hello, 0, sizeof server->hello);
    server->out_end = posed_write_hello(server->out, server->out_room, server->options.token);
    return 0;
}

/* Everything is open again. Streams, watches and requests follow. */
static void finish_link(struct posed *server)
{
    server->link = LINK_UP;
    server->is_settled = 0;
    server->up_ms = now_ms();
    server->reconnects++;
    for (struct kept *one = kept_first(server); one != NULL; one = kept_next(server, one)) {
        const struct kept *model = one->state == KEPT_WATCH ? kept_model(server, one->handle) : NULL;
        if (model != NULL && (model->is_changed || model->code != 0))
            one->is_changed = 1;
        one->code = model == NULL ? one->code : model->code;
    }
    if (server->options.on_reconnect != NULL)
        server->options.on_reconnect(server->options.event_context, server->tries,
                                     (uint32_t)(server->up_ms - server->down_ms));
}

/* Handles the answer to a model that was to be opened again. */
static int take_model(struct posed *server, const struct posed_packet *packet)
{
    struct kept *one = kept_first(server);
    while (one != NULL && (one->state != KEPT_MODEL || !one->awaits))
        one = kept_next(server, one);
    if (one == NULL)
        return fail(server, POSED_E_PROTOCOL, "an answer to no request");
    one->awaits = 0;
    one->code = packet->code;
    one->server_handle = packet->kind == POSED_OPENED ? packet->model : UINT32_MAX;
    const int has_hash = packet->kind == POSED_OPENED && packet->data_bytes >= 32;
    const int is_same = has_hash && one->has_hash && memcmp(one->hash, packet->data, 32) == 0;
    one->generations_before = is_same ? one->generation - 1 : one->generation;
    one->generation = one->generations_before + 1;
    one->is_changed = !is_same;
    keep_hash(one, has_hash ? packet->data : NULL);
    return 0;
}

/* Handles packets until everything is open again. The caller sees none of them except the first hello. */
static int greet(struct posed *server, const struct posed_packet *packet)
{
    if (packet->kind == POSED_ERROR && server->link == LINK_GREETING) {
        struct posed_error said;
        const int is_error = posed_read_error(packet, &said) == 0;
        (void)snprintf(server->cause, sizeof server->cause, "%.150s", is_error ? said.message : "an error");
        return packet->code == POSED_ERR_SHUTTING_DOWN ? IS_OVER : give_up(server);
    }
    if (server->link == LINK_OPENING)
        return packet->kind == POSED_OPENED || packet->kind == POSED_ERROR ? take_model(server, packet) : 0;
    if (posed_read_hello(packet, &server->hello) < 0 || server->hello.version != POSED_PROTOCOL)
        return fail(server, POSED_E_PROTOCOL, "the server's hello is not one of protocol %d", POSED_PROTOCOL);
    server->link = LINK_OPENING;
    const int is_first = !server->has_greeted;
    server->has_greeted = 1;
    return is_first;
}

/* Returns 1 when all models are open: then everything else is repeated. Until then it opens them. */
static int check_opened(struct posed *server)
{
    for (const struct kept *one = kept_first(server); one != NULL; one = kept_next(server, one))
        if (one->state == KEPT_MODEL && (!one->is_sent || one->awaits > 0)) {
            (void)flush(server);
            return 0;
        }
    finish_link(server);
    return 1;
}

/* Handles the answer to a stream or a watch that has begun again. Returns 0, or 1 if it ends the stream. */
static int take_renewal(struct kept *one, struct posed_packet *packet)
{
    one->awaits--;
    if (packet->kind != POSED_ERROR)
        return 0;
    const int is_stream = one->state == KEPT_STREAM;
    packet->id = one->id;
    packet->flags |= POSED_HEADER_LAST;
    one->state = KEPT_NOTHING;
    return is_stream;
}

/* Reports that a watched model has changed between two connections, if it has. */
static int take_change(struct posed *server, struct posed_packet *out)
{
    struct kept *one = kept_first(server);
    while (one != NULL && (one->state != KEPT_WATCH || !one->is_changed))
        one = kept_next(server, one);
    const struct kept *model = one == NULL ? NULL : kept_model(server, one->handle);
    if (server->link != LINK_UP || model == NULL)
        return 0;
    memset(out, 0, sizeof *out);
    memset(server->told, 0, sizeof server->told);
    if (model->has_hash)
        memcpy(server->told, model->hash, sizeof server->told);
    out->kind = POSED_CHANGED;
    out->id = one->id;
    out->model = one->handle;
    out->generation = one->code == 0 ? model->generation : 0;
    out->code = one->code;
    out->data = server->told;
    out->data_bytes = sizeof server->told;
    out->notes = (const char *)out->data + out->data_bytes;
    one->is_changed = 0;
    if (one->code != 0) /* nothing is left to watch */
        one->state = KEPT_NOTHING;
    return 1;
}

static struct kept *renewal(const struct posed *server)
{
    struct kept *one = kept_first(server);
    while (one != NULL && (one->state <= KEPT_MODEL || one->awaits == 0))
        one = kept_next(server, one);
    return one;
}

/* Returns 1 if the packet is for the caller, 0 to ignore it. */
static int classify(struct posed *server, struct posed_packet *packet)
{
    const int is_closing = packet->kind == POSED_ERROR && packet->code == POSED_ERR_SHUTTING_DOWN;
    if (is_resumable(server) && is_closing && (packet->flags & POSED_HEADER_LAST) == 0) {
        (void)fail(server, POSED_E_CLOSED, "the server is stopping");
        return IS_OVER;
    }
    if (server->link != LINK_UP)
        return greet(server, packet);
    if (packet->kind == POSED_HELLO) {
        if (server->hello.version != 0 || posed_read_hello(packet, &server->hello) < 0 ||
            server->hello.version != POSED_PROTOCOL)
            return fail(server, POSED_E_PROTOCOL, "the server's hello is not one of protocol %d", POSED_PROTOCOL);
        server->has_greeted = 1;
        server->up_ms = now_ms();
        return 1;
    }
    if (server->hello.version == 0) /* or the packet is an error */
        return packet->kind == POSED_ERROR ? 1
                                           : fail(server, POSED_E_PROTOCOL, "the server does not begin with a hello");
    const int is_event = packet->kind == POSED_STREAM || packet->kind == POSED_CHANGED ||
                         (packet->kind == POSED_ERROR && (packet->flags & POSED_HEADER_LAST) != 0);
    struct kept *renewed = is_event || packet->kind > POSED_OTHER ? NULL : renewal(server);
    if (renewed != NULL)
        return take_renewal(renewed, packet);
    if (is_event && packet->kind != POSED_ERROR) {
        keep_event(server, packet);
        return 1;
    }
    if (take_owed(server, packet->id)) {
        settle(server, packet);
        return 1;
    }
    if (is_event)
        keep_event(server, packet);
    if (packet->kind == POSED_ERROR) {
        if ((packet->flags & (POSED_HEADER_LAST | POSED_HEADER_CLOSING)) == 0)
            return fail(server, POSED_E_PROTOCOL, "an error about request %lu, which is not the next",
                        (unsigned long)packet->id);
        return 1;
    }
    if (packet->kind >= POSED_HELLO && packet->kind <= POSED_OTHER)
        return fail(server, POSED_E_PROTOCOL, "an answer to request %lu, which is not the next",
                    (unsigned long)packet->id);
    return 0;
}

/* Parses a packet from the received bytes. Returns 1, 0 if bytes are missing, or an error. */
static int next_there(struct posed *server, struct posed_packet *packet)
{
    for (;;) {
        size_t packet_bytes;
        if (take_change(server, packet))
            return 1;
        server->in_start += server->in_used;
        server->in_used = 0;
        if (server->in_start == server->in_end)
            server->in_start = server->in_end = 0;
        skip(server);
        if (server->in_skip > 0)
            return 0;
        const int rc =
            posed_parse(server->in + server->in_start, server->in_end - server->in_start, packet, &packet_bytes);
        if (rc < 0)
            return fail(server, rc, "the server's bytes are no packet");
        if (rc == 0)
            return make_capacity(server, packet_bytes == 0 ? POSED_HEADER_BYTES : packet_bytes);
        server->in_used = packet_bytes;
        const int is_callers = classify(server, packet);
        if (is_callers != 0)
            return is_callers;
    }
}

/* Returns 1 if bytes arrived, 0 if there are none yet. */
static int receive(struct posed *server)
{
    for (;;) {
        if (server->is_broken)
            return POSED_E_CLOSED;
        const ssize_t got = recv(server->fd, server->in + server->in_end, server->in_room - server->in_end, 0);
        if (got > 0) {
            server->in_end += (size_t)got;
            return 1;
        }
        if (got == 0 || errno == ECONNRESET) {
            if (server->error.status == POSED_E_SERVER) { /* the server's last packet says why */
                server->error.status = POSED_E_CLOSED;
                return POSED_E_CLOSED;
            }
            return fail(server, POSED_E_CLOSED, "the server closed the connection");
        }
        if (errno == EAGAIN || errno == EWOULDBLOCK || (server->is_connecting && errno == ENOTCONN))
            return 0;
        if (errno != EINTR)
            return fail_system(server, "cannot receive");
    }
}

/* Returns the time at which the link is tried again or given up. INT64_MAX: it is up. */
static int64_t link_time(const struct posed *server)
{
    return server->link == LINK_UP ? INT64_MAX : server->link == LINK_WAITING ? server->retry_ms : server->until_ms;
}

/* Takes one step. Returns 1 with a packet, an error, 0 to wait, or POSED_E_AGAIN to take the next step. */
static int step(struct posed *server, struct posed_packet *packet)
{
    if (server->link == LINK_WAITING) {
        if (now_ms() < server->retry_ms)
            return 0;
        const int rc = redial(server);
        return rc < 0 ? rc : POSED_E_AGAIN;
    }
    const int sent = flush(server);
    if (sent < 0 && sent != POSED_E_AGAIN)
        return sent;
    int rc = next_there(server, packet);
    if (rc == IS_OVER)
        rc = POSED_E_CLOSED;
    else if (rc != 0)
        return rc;
    else if (server->link == LINK_OPENING && check_opened(server))
        return POSED_E_AGAIN;
    else
        rc = receive(server);
    if (rc == 0 && now_ms() >= link_time(server))
        rc = fail(server, POSED_E_CLOSED, "the server does not answer the hello");
    if (rc == POSED_E_CLOSED || rc == POSED_E_SYSTEM) {
        rc = end_link(server, rc);
        return rc < 0 ? rc : POSED_E_AGAIN;
    }
    return rc > 0 ? POSED_E_AGAIN : rc;
}

static int next_until(struct posed *server, int64_t deadline_ms, struct posed_packet *packet)
{
    for (;;) {
        int rc = step(server, packet);
        const int64_t link_ms = link_time(server);
        if (rc == POSED_E_AGAIN)
            continue;
        if (rc != 0)
            return rc;
        if (now_ms() >= deadline_ms)
            return 0;
        rc = wait_for(server, (short)(posed_wants_write(server) ? POLLIN | POLLOUT : POLLIN),
                      link_ms < deadline_ms ? link_ms : deadline_ms);
        if (rc < 0 || (rc == 0 && deadline_ms <= link_ms))
            return rc;
    }
}

int posed_wait_ms(const struct posed *server)
{
    if (!server->is_connected || server->link == LINK_UP)
        return -1;
    const int64_t left_ms = link_time(server) - now_ms();
    return left_ms < 0 ? 0 : (int)left_ms;
}

int posed_next(struct posed *server, int timeout_ms, struct posed_packet *packet)
{
    if (!server->is_connected)
        return fail(server, POSED_E_ARGUMENT, "there is no connection");
    server->error.status = 0;
    const int rc = next_until(server, deadline_of(timeout_ms), packet);
    if (rc == 1 && packet->kind == POSED_ERROR && (packet->flags & POSED_HEADER_CLOSING) != 0)
        (void)take_error(server, packet);
    return rc;
}

/* --- connections: opening --- */

static int set_nonblocking(int fd)
{
    const int flags = fcntl(fd, F_GETFL);
    (void)fcntl(fd, F_SETFD, FD_CLOEXEC);
    return flags < 0 ? -1 : fcntl(fd, F_SETFL, flags | O_NONBLOCK);
}

/* Starts to connect; *fd is the socket. */
static int connect_socket(struct posed *server, int family, const struct sockaddr *address, socklen_t address_bytes,
                          int *fd)
{
    *fd = socket(family, SOCK_STREAM, 0);
    if (*fd < 0)
        return fail_system(server, "socket");
    if (set_nonblocking(*fd) == 0 &&
        (connect(*fd, address, address_bytes) == 0 || errno == EINPROGRESS || errno == EINTR))
        return 0;
    const int rc = fail_system(server, "cannot connect");
    (void)close(*fd);
    return rc;
}

/* Waits until the connection is established or refused. */
static int finish_connect(struct posed *server, int64_t deadline_ms)
{
    int failure = 0;
    socklen_t failure_bytes = sizeof failure;
    const int ready = wait_for(server, POLLOUT, deadline_ms);
    if (ready <= 0)
        return ready < 0 ? ready : fail(server, POSED_E_TIMEOUT, "the server cannot be reached in time");
    if (getsockopt(server->fd, SOL_SOCKET, SO_ERROR, &failure, &failure_bytes) < 0)
        return fail_system(server, "getsockopt");
    if (failure == 0)
        return 0;
    errno = failure;
    return fail_system(server, "cannot connect");
}

static int begin_unix(struct posed *server, const char *path, int *fd)
{
    struct sockaddr_un address;
    memset(&address, 0, sizeof address);
    address.sun_family = AF_UNIX;
    if (strlen(path) >= sizeof address.sun_path)
        return fail(server, POSED_E_ARGUMENT, "the path of a Unix socket has at most %lu bytes",
                    (unsigned long)sizeof address.sun_path - 1);
    memcpy(address.sun_path, path, strlen(path));
    return connect_socket(server, AF_UNIX, (const struct sockaddr *)&address, sizeof address, fd);
}

static const char LOOPBACK[] = "127.0.0.1";

static int is_port(const char *address) { return address[0] != '\0' && address[strspn(address, "0123456789")] == '\0'; }

static int split_address(struct posed *server, const char *address, char host[256], const char **port)
{
    const char *colon = strrchr(address, ':');
    if (is_port(address)) {
        strcpy(host, LOOPBACK);
        *port = address;
        return 0;
    }
    if (colon == NULL || colon == address || colon[1] == '\0')
        return fail(server, POSED_E_ARGUMENT,
                    "'%.100s' is neither HOST:PORT, nor a port, nor the path of a Unix socket", address);
    size_t host_bytes = (size_t)(colon - address);
    if (address[0] == '[' && address[host_bytes - 1] == ']') {
        address++;
        host_bytes -= 2;
    }
    if (host_bytes == 0 || host_bytes >= 256)
        return fail(server, POSED_E_ARGUMENT, "'%.100s' has no host", address);
    memcpy(host, address, host_bytes);
    host[host_bytes] = '\0';
    *port = colon + 1;
    return 0;
}

static void reset(struct posed *server, int fd, const struct posed_options *options)
{
    server->fd = fd;
    server->is_connected = 1;
    server->is_connecting = 1;
    server->options = *options;
    server->memory = options->memory;
    server->in = aligned(server->memory);
    server->in_room = options->memory_bytes - (size_t)(server->in - server->memory);
    server->in_start = server->in_end = server->in_used = server->in_skip = 0;
    server->out = options->send_memory == NULL ? server->out_own : options->send_memory;
    server->out_room = options->send_memory == NULL ? sizeof server->out_own : options->send_bytes;
    server->out_start = server->out_end = 0;
    server->id_next = 1;
    server->id_owed = server->owed = 0;
    server->events_dropped = 0;
    server->keep = aligned(options->keep_memory == NULL ? server->keep_own : options->keep_memory);
    server->keep_room = options->keep_memory == NULL ? sizeof server->keep_own : options->keep_bytes;
    server->keep_room -= POSED_ALIGN; /* alignment may take that much */
    server->keep_used = 0;
    server->link = LINK_UP;
    server->has_greeted = server->is_broken = server->has_lost = server->is_settled = 0;
    server->unkept = server->tries = server->reconnects = 0;
    server->address[0] = server->cause[0] = '\0';
    memset(&server->hello, 0, sizeof server->hello);
    memset(&server->error, 0, sizeof server->error);
}

static int say_hello(struct posed *server)
{
    const size_t bytes = posed_write_hello(server->out, server->out_room, server->options.token);
    if (bytes == 0 || bytes > server->out_room)
        return fail(server, POSED_E_ARGUMENT, "a token has at most %d bytes", TOKEN_MAX);
    server->out_end = bytes;
    if (server->options.is_nonblocking) {
        const int rc = flush(server);
        return rc == POSED_E_AGAIN ? 0 : rc;
    }
    const int64_t deadline_ms = deadline_of(timeout_of(server));
    struct posed_packet packet = {0};
    int rc = finish_connect(server, deadline_ms);
    if (rc == 0)
        rc = next_until(server, deadline_ms, &packet);
    if (rc == 0)
        return fail(server, POSED_E_TIMEOUT, "the server does not answer the hello");
    if (rc > 0 && packet.kind == POSED_ERROR)
        rc = take_error(server, &packet) == 0 ? POSED_E_SERVER : POSED_E_PROTOCOL;
    else if (rc > 0)
        rc = packet.kind == POSED_HELLO ? 0 : fail(server, POSED_E_PROTOCOL, "the server does not begin with a hello");
    return rc;
}

static int check_options(struct posed *server, const struct posed_options *options)
{
    if (options->memory == NULL || options->memory_bytes < MEMORY_MIN)
        return fail(server, POSED_E_ARGUMENT, "options.memory has at least %d bytes", MEMORY_MIN);
    if (options->keep_memory != NULL && options->keep_bytes < MEMORY_MIN)
        return fail(server, POSED_E_ARGUMENT, "options.keep_memory has at least %d bytes", MEMORY_MIN);
    if (options->send_memory != NULL && options->send_bytes < MEMORY_MIN)
        return fail(server, POSED_E_ARGUMENT, "options.send_memory has at least %d bytes", MEMORY_MIN);
    return 0;
}

int posed_attach(struct posed *server, int fd, const struct posed_options *options)
{
    int rc = check_options(server, options);
    if (rc < 0)
        return rc;
    if (set_nonblocking(fd) < 0)
        return fail_system(server, "fcntl");
    reset(server, fd, options);
    rc = say_hello(server);
    if (rc < 0)
        posed_disconnect(server);
    return rc;
}

static int is_unix(const char *address) { return strncmp(address, "unix:", 5) == 0 || strchr(address, '/') != NULL; }

/* Resolves the addresses of a host. The caller passes them to freeaddrinfo(). */
static int resolve(struct posed *server, const char *address, struct addrinfo **found)
{
    char host[256];
    const char *port = NULL;
    struct addrinfo hints;
    const int rc = split_address(server, address, host, &port);
    if (rc < 0)
        return rc;
    memset(&hints, 0, sizeof hints);
    hints.ai_socktype = SOCK_STREAM;
    const int failure = getaddrinfo(host, port, &hints, found);
    if (failure != 0)
        return fail(server, POSED_E_ARGUMENT, "'%.100s': %s", address, gai_strerror(failure));
    return 0;
}

static int begin_tcp(struct posed *server, const struct addrinfo *found, int *fd)
{
    const int on = 1;
    const int rc = connect_socket(server, found->ai_family, found->ai_addr, found->ai_addrlen, fd);
    if (rc == 0)
        (void)setsockopt(*fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    return rc;
}

/* Begins to connect to one of the addresses, each time to another one. */
static int dial(struct posed *server, const char *address, uint32_t which, int *fd)
{
    struct addrinfo *found = NULL;
    uint32_t count = 0;
    if (is_unix(address))
        return begin_unix(server, address + (strncmp(address, "unix:", 5) == 0 ? 5 : 0), fd);
    int rc = resolve(server, address, &found);
    if (rc < 0)
        return rc;
    for (const struct addrinfo *at = found; at != NULL; at = at->ai_next)
        count++;
    const struct addrinfo *at = found;
    for (uint32_t i = 0; i < which % count; i++)
        at = at->ai_next;
    rc = begin_tcp(server, at, fd);
    freeaddrinfo(found);
    return rc;
}

/* Connects for the first time. */
static int connect_first(struct posed *server, const char *address, const struct posed_options *options)
{
    struct addrinfo *found = NULL;
    int fd, rc;
    if (is_unix(address)) {
        rc = dial(server, address, 0, &fd);
        return rc < 0 ? rc : posed_attach(server, fd, options);
    }
    rc = resolve(server, address, &found);
    if (rc < 0)
        return rc;
    rc = POSED_E_ARGUMENT;
    for (const struct addrinfo *at = found; at != NULL; at = at->ai_next) {
        rc = begin_tcp(server, at, &fd);
        if (rc == 0)
            rc = posed_attach(server, fd, options);
        if (rc != POSED_E_SYSTEM) /* another address of the host may work */
            break;
    }
    freeaddrinfo(found);
    return rc;
}

int posed_connect(struct posed *server, const char *address, const struct posed_options *options)
{
    const int within_ms = options->reconnect_ms == 0 ? RECONNECT_MS : options->reconnect_ms;
    const int tries_max = options->reconnect_tries == 0 ? RECONNECT_TRIES : options->reconnect_tries;
    const int64_t start_ms = now_ms();
    int rc = check_options(server, options);
    if (rc < 0)
        return rc;
    for (int tries = 0, pause_ms = 0;; tries++, pause_ms = pause_ms == 0 ? FIRST_PAUSE_MS : 2 * pause_ms) {
        rc = connect_first(server, address, options);
        /* A balancer accepted the connection, and the server behind it was gone. */
        const int is_over = rc == POSED_E_CLOSED || (rc == POSED_E_SYSTEM && server->error.system == ECONNRESET) ||
                            (rc == POSED_E_SERVER && server->error.code == POSED_ERR_SHUTTING_DOWN);
        const int64_t pause = spread(server, pause_ms > LONGEST_PAUSE_MS ? LONGEST_PAUSE_MS : pause_ms);
        if (!is_over || tries >= tries_max || now_ms() + pause - start_ms > within_ms)
            break;
        (void)poll(NULL, 0, (int)pause);
    }
    char *const told = rc == POSED_E_SERVER ? server->error.server : server->address;
    const size_t room = rc == POSED_E_SERVER ? sizeof server->error.server : sizeof server->address;
    if ((rc == 0 || rc == POSED_E_SERVER) && strlen(address) + sizeof LOOPBACK < room)
        (void)snprintf(told, room, "%s%s%s", is_port(address) ? LOOPBACK : "", is_port(address) ? ":" : "", address);
    return rc;
}

void posed_disconnect(struct posed *server)
{
    if (server->is_connected && server->fd >= 0)
        (void)close(server->fd);
    server->is_connected = 0;
    server->link = LINK_UP;
    server->keep_used = 0;
    server->owed = 0;
    server->out_start = server->out_end = 0;
}

/* --- blocking calls --- */

static void note_event(struct posed *server, const struct posed_packet *packet);

/* Returns whether the server closed the connection while no request was outstanding. */
static int is_idle_over(const struct posed *server)
{
    char byte;
    const ssize_t got = server->in_start + server->in_used < server->in_end ? 1 : recv(server->fd, &byte, 1, MSG_PEEK);
    return got == 0 || (got < 0 && errno != EAGAIN && errno != EWOULDBLOCK && errno != EINTR);
}

/* Waits until the connection is up, and all queued and kept packets are sent. */
static int bring_up(struct posed *server, int64_t deadline_ms)
{
    struct posed_packet packet = {0};
    while (server->link != LINK_UP) {
        int rc = step(server, &packet);
        const int64_t link_ms = link_time(server);
        if (rc == 1)
            note_event(server, &packet);
        if (rc < 0 && rc != POSED_E_AGAIN)
            return rc;
        if (rc != 0)
            continue;
        if (now_ms() >= deadline_ms)
            return fail(server, POSED_E_TIMEOUT, "the server cannot be reached in time");
        rc = wait_for(server, (short)(posed_wants_write(server) ? POLLIN | POLLOUT : POLLIN),
                      link_ms < deadline_ms ? link_ms : deadline_ms);
        if (rc < 0)
            return rc;
    }
    return flush_waiting(server, deadline_ms);
}

/* Checks that a blocking call may start. */
static int begin_call(struct posed *server)
{
    if (!server->is_connected)
        return fail(server, POSED_E_ARGUMENT, "there is no connection");
    if (server->owed > 0)
        return fail(server, POSED_E_PENDING, "%lu answers are still to be read", (unsigned long)server->owed);
    server->error.status = 0;
    if (server->link == LINK_UP && is_resumable(server) && is_idle_over(server)) {
        (void)fail(server, POSED_E_CLOSED, "the server closed the connection");
        const int rc = end_link(server, POSED_E_CLOSED);
        if (rc < 0)
            return rc;
    }
    return bring_up(server, deadline_of(timeout_of(server)));
}

static void note_event(struct posed *server, const struct posed_packet *packet)
{
    if (packet->kind == POSED_ERROR && (packet->flags & POSED_HEADER_CLOSING) != 0)
        (void)take_error(server, packet);
    if (packet->kind != POSED_STREAM && packet->kind != POSED_CHANGED && (packet->flags & POSED_HEADER_LAST) == 0)
        return;
    if (server->options.on_event != NULL)
        server->options.on_event(server->options.event_context, packet);
    else
        server->events_dropped++;
}

/* Sends the request that was written into server->out, and waits for its answer, which has the kind `kind` (0: any). */
static int finish_call(struct posed *server, size_t bytes, int kind, struct posed_model *model,
                       struct posed_packet *answer)
{
    if (bytes == 0)
        return fail(server, POSED_E_ARGUMENT, "the request cannot be said in a packet");
    if (bytes > server->out_room) {
        (void)fail(server, POSED_E_TOO_LARGE, "a request of %lu bytes does not fit options.send_memory",
                   (unsigned long)bytes);
        server->error.needed_bytes = bytes;
        return POSED_E_TOO_LARGE;
    }
    server->out_end = bytes;
    if (note_request(server, server->out, bytes, 1) < 0) {
        server->out_end = 0;
        return fail_kept(server, bytes);
    }
    const int64_t deadline_ms = deadline_of(timeout_of(server));
    while (server->owed > 0) {
        const int rc = next_until(server, deadline_ms, answer);
        if (rc == 0)
            return fail(server, POSED_E_TIMEOUT, "the server does not answer");
        if (rc < 0)
            return rc;
        if (server->owed > 0)
            note_event(server, answer);
    }
    if (model != NULL && answer->generation != 0)
        model->generation = answer->generation;
    if (answer->kind == POSED_ERROR)
        return take_error(server, answer) < 0 ? fail(server, POSED_E_PROTOCOL, "the server's error is no error packet")
                                              : POSED_E_SERVER;
    if (kind != 0 && answer->kind != kind)
        return fail(server, POSED_E_PROTOCOL, "the answer is of kind %d, not %d", answer->kind, kind);
    return 0;
}

static int checked(struct posed *server, int rc)
{
    return rc < 0 ? fail(server, rc, "the answer is shorter than it says, or leads outside of itself") : 0;
}

int posed_open(struct posed *server, const char *path, struct posed_model *model)
{
    struct posed_packet answer = {0};
    int rc = begin_call(server);
    if (rc == 0)
        rc = finish_call(server, posed_write_open(server->out, server->out_room, server->id_next, path), POSED_OPENED,
                         NULL, &answer);
    return rc < 0 ? rc : checked(server, posed_read_opened(&answer, model));
}

static int call_plain(struct posed *server, int kind, struct posed_model *model, int answer_kind,
                      struct posed_packet *answer)
{
    const int rc = begin_call(server);
    return rc < 0 ? rc
                  : finish_call(server, posed_write_plain(server->out, server->out_room, kind, server->id_next, model),
                                answer_kind, model, answer);
}

int posed_close(struct posed *server, struct posed_model *model)
{
    struct posed_packet answer;
    return call_plain(server, POSED_CLOSE, model, POSED_DONE, &answer);
}

int posed_info(struct posed *server, struct posed_model *model, struct posed_packet *answer)
{
    return call_plain(server, POSED_INFO, model, POSED_JSON, answer);
}

int posed_ping(struct posed *server)
{
    struct posed_packet answer;
    return call_plain(server, POSED_PING, NULL, POSED_DONE, &answer);
}

static int find(struct posed *server, struct posed_model *model, int what, const char *name, uint32_t index,
                struct posed_found *found)
{
    struct posed_packet answer = {0};
    int rc = begin_call(server);
    if (rc == 0)
        rc = finish_call(server,
                         posed_write_find(server->out, server->out_room, server->id_next, model, what, name, index),
                         POSED_FOUND, model, &answer);
    return rc < 0 ? rc : checked(server, posed_read_found(&answer, found));
}

int posed_find(struct posed *server, struct posed_model *model, int what, const char *name, struct posed_found *found)
{
    return find(server, model, what, name, 0, found);
}

int posed_find_index(struct posed *server, struct posed_model *model, int what, uint32_t index,
                     struct posed_found *found)
{
    return find(server, model, what, NULL, index, found);
}

int posed_ask(struct posed *server, int kind, struct posed_model *model, const struct posed_query *query,
              struct posed_packet *answer)
{
    const int rc = begin_call(server);
    return rc < 0 ? rc
                  : finish_call(server,
                                posed_write_query(server->out, server->out_room, kind, server->id_next, model, query),
                                0, model, answer);
}

static int ask_frames(struct posed *server, int kind, struct posed_model *model, const struct posed_query *query,
                      struct posed_frames *frames)
{
    struct posed_packet answer;
    const int rc = posed_ask(server, kind, model, query, &answer);
    if (rc < 0)
        return rc;
    if (answer.kind != POSED_FRAMES)
        return fail(server, POSED_E_ARGUMENT, "with these flags the answer is no frames: use posed_ask()");
    return checked(server, posed_read_frames(answer.data, answer.data_bytes, frames));
}

int posed_palette(struct posed *server, struct posed_model *model, const struct posed_query *query,
                  struct posed_frames *frames)
{
    return ask_frames(server, POSED_PALETTE, model, query, frames);
}

int posed_pose(struct posed *server, struct posed_model *model, const struct posed_query *query,
               struct posed_frames *frames)
{
    return ask_frames(server, POSED_POSE, model, query, frames);
}

int posed_mesh(struct posed *server, struct posed_model *model, const struct posed_query *query,
               struct posed_frames *frames)
{
    return ask_frames(server, POSED_MESH, model, query, frames);
}

int posed_render(struct posed *server, struct posed_model *model, const struct posed_query *query,
                 const struct posed_picture *picture, struct posed_packet *answer)
{
    const int rc = begin_call(server);
    return rc < 0
               ? rc
               : finish_call(server,
                             posed_write_render(server->out, server->out_room, server->id_next, model, query, picture),
                             POSED_PNG, model, answer);
}

int posed_call(struct posed *server, struct posed_model *model, const char *target, const void *body, size_t body_bytes,
               struct posed_packet *answer)
{
    const int rc = begin_call(server);
    return rc < 0 ? rc
                  : finish_call(server,
                                posed_write_call(server->out, server->out_room, server->id_next, model, target, body,
                                                 body_bytes),
                                0, model, answer);
}

int posed_pose_crowd(struct posed *server, const struct posed_crowd *crowd, struct posed_entities *entities)
{
    struct posed_packet answer;
    int rc = begin_call(server);
    if (rc >= 0)
        rc = finish_call(server, posed_write_crowd(server->out, server->out_room, server->id_next, crowd),
                         POSED_ENTITIES, NULL, &answer);
    return rc < 0 ? rc : checked(server, posed_read_entities(answer.data, answer.data_bytes, entities));
}

int posed_raycast(struct posed *server, const struct posed_raycast *raycast, struct posed_hits *hits)
{
    struct posed_packet answer;
    int rc = begin_call(server);
    if (rc >= 0)
        rc = finish_call(server, posed_write_raycast(server->out, server->out_room, server->id_next, raycast),
                         POSED_HITS, NULL, &answer);
    if (rc < 0)
        return rc;
    rc = posed_read_hits(answer.data, answer.data_bytes, hits);
    if (rc == 0 && (hits->entity_count != count_targets(raycast) || hits->ray_count != raycast->ray_count))
        return fail(server, POSED_E_PROTOCOL, "the answer is that of another raycast");
    return checked(server, rc);
}

int posed_subscribe(struct posed *server, struct posed_model *model, const struct posed_query *query,
                    const struct posed_subscription *subscription, uint32_t *stream)
{
    struct posed_packet answer;
    const int rc = begin_call(server);
    if (rc < 0)
        return rc;
    *stream = server->id_next;
    return finish_call(server,
                       posed_write_subscribe(server->out, server->out_room, *stream, model, query, subscription),
                       POSED_DONE, model, &answer);
}

int posed_control(struct posed *server, uint32_t stream, const struct posed_steering *steering)
{
    struct posed_packet answer;
    const int rc = begin_call(server);
    return rc < 0 ? rc
                  : finish_call(server,
                                posed_write_control(server->out, server->out_room, server->id_next, stream, steering),
                                POSED_DONE, NULL, &answer);
}

int posed_credit(struct posed *server, uint32_t stream, uint32_t credit)
{
    unsigned char packet[POSED_HEADER_BYTES + POSED_ALIGN];
    const size_t bytes = posed_write_credit(packet, sizeof packet, stream, credit);
    return posed_send(server, packet, bytes);
}

int posed_unsubscribe(struct posed *server, uint32_t stream)
{
    struct posed_packet answer;
    const int rc = begin_call(server);
    return rc < 0 ? rc
                  : finish_call(server, posed_write_unsubscribe(server->out, server->out_room, server->id_next, stream),
                                POSED_DONE, NULL, &answer);
}

int posed_watch(struct posed *server, struct posed_model *model, int is_on)
{
    struct posed_packet answer;
    const int rc = begin_call(server);
    return rc < 0 ? rc
                  : finish_call(server, posed_write_watch(server->out, server->out_room, server->id_next, model, is_on),
                                POSED_DONE, model, &answer);
}
