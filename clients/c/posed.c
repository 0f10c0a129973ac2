/* posed.c - the client of posed.h: parsing packets and frames and writing requests (pure), then connections. */
#ifndef _POSIX_C_SOURCE
#define _POSIX_C_SOURCE 200809L
#endif
#include "posed.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
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
    QUERY_BYTES = 64,     /* the fields of a pose */
    WITH_MORE_BYTES = 96, /* the same with a picture's or a subscription's */
    FOUND_BYTES = 48,
    HELLO_PAYLOAD_BYTES = 64,
    STREAM_BYTES = 16
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

/* Whether every item of the block is within its frame or, if present once, between header and frames. */
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

/* Blocks with items of 4 bytes that are floats. */
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

/* --- requests --- */

void posed_query_init(struct posed_query *query)
{
    memset(query, 0, sizeof *query);
    query->clip = POSED_FIRST_CLIP;
    query->mesh = query->root = -1;
}

size_t posed_write_hello(void *out, size_t room, const char *token)
{
    const size_t token_bytes = token == NULL ? 0 : strlen(token);
    const size_t bytes = round_up(HELLO_BYTES + token_bytes);
    if (token_bytes > TOKEN_MAX)
        return 0;
    if (bytes <= room) {
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

/* Writes the header and zeros after it, and returns where the payload begins; NULL without room. *bytes: of the packet.
 */
static unsigned char *begin(void *out, size_t room, int kind, uint32_t id, const struct posed_model *model,
                            size_t payload_bytes, size_t *bytes)
{
    *bytes = payload_bytes > UINT32_MAX - POSED_HEADER_BYTES - POSED_ALIGN
                 ? 0
                 : round_up(POSED_HEADER_BYTES + payload_bytes);
    if (*bytes == 0 || *bytes > room)
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

size_t posed_write_plain(void *out, size_t room, int kind, uint32_t id, const struct posed_model *model)
{
    size_t bytes;
    (void)begin(out, room, kind, id, model, 0, &bytes);
    return bytes;
}

size_t posed_write_open(void *out, size_t room, uint32_t id, const char *path)
{
    size_t bytes;
    unsigned char *at = begin(out, room, POSED_OPEN, id, NULL, strlen(path), &bytes);
    if (at != NULL)
        memcpy(at, path, strlen(path));
    return bytes;
}

size_t posed_write_find(void *out, size_t room, uint32_t id, const struct posed_model *model, int what,
                        const char *name, uint32_t index)
{
    const size_t name_bytes = name == NULL ? 0 : strlen(name);
    size_t bytes;
    unsigned char *at = begin(out, room, POSED_FIND, id, model, 16 + name_bytes, &bytes);
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

/* A query with `fields` bytes before its times and indices. */
static unsigned char *begin_query(void *out, size_t room, int kind, uint32_t id, const struct posed_model *model,
                                  const struct posed_query *query, size_t fields, size_t *bytes)
{
    const uint64_t lists = (uint64_t)query->time_count * 8 + (uint64_t)query->index_count * 4;
    *bytes = 0;
    if (lists > UINT32_MAX / 2)
        return NULL;
    unsigned char *at = begin(out, room, kind, id, model, fields + (size_t)lists, bytes);
    if (at == NULL)
        return NULL;
    put_query(at, query);
    if (query->time_count > 0)
        memcpy(at + fields, query->times, (size_t)query->time_count * 8);
    if (query->index_count > 0)
        memcpy(at + fields + (size_t)query->time_count * 8, query->indices, (size_t)query->index_count * 4);
    return at;
}

size_t posed_write_query(void *out, size_t room, int kind, uint32_t id, const struct posed_model *model,
                         const struct posed_query *query)
{
    size_t bytes;
    (void)begin_query(out, room, kind, id, model, query, QUERY_BYTES, &bytes);
    return bytes;
}

size_t posed_write_render(void *out, size_t room, uint32_t id, const struct posed_model *model,
                          const struct posed_query *query, const struct posed_picture *picture)
{
    size_t bytes;
    unsigned char *at = begin_query(out, room, POSED_RENDER, id, model, query, WITH_MORE_BYTES, &bytes);
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

size_t posed_escape(char *out, size_t room, const char *text)
{
    static const char DIGITS[] = "0123456789ABCDEF";
    size_t bytes = 1;
    for (const char *at = text; *at != '\0'; at++)
        bytes += is_unreserved((unsigned char)*at) ? 1 : 3;
    if (bytes > room)
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

size_t posed_write_call(void *out, size_t room, uint32_t id, const struct posed_model *model, const char *target,
                        const void *body, size_t body_bytes)
{
    const size_t target_bytes = strlen(target);
    size_t bytes;
    if (body_bytes > UINT32_MAX / 2 || target_bytes > UINT32_MAX / 4 || (body == NULL && body_bytes > 0))
        return 0;
    unsigned char *at = begin(out, room, POSED_CALL, id, model, 16 + target_bytes + body_bytes, &bytes);
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

size_t posed_write_subscribe(void *out, size_t room, uint32_t id, const struct posed_model *model,
                             const struct posed_query *query, const struct posed_subscription *subscription)
{
    size_t bytes;
    unsigned char *at = begin_query(out, room, POSED_SUBSCRIBE, id, model, query, WITH_MORE_BYTES, &bytes);
    if (at != NULL) {
        put16(at + 64, subscription->kind);
        put16(at + 66, subscription->is_paused);
        put32(at + 68, subscription->credit);
        put_f64(at + 72, subscription->rate);
        put_f64(at + 80, subscription->position_s);
        put_f64(at + 88, subscription->speed);
    }
    return bytes;
}

size_t posed_write_control(void *out, size_t room, uint32_t id, uint32_t stream, const struct posed_steering *steering)
{
    size_t bytes;
    unsigned char *at = begin(out, room, POSED_CONTROL, id, NULL, 32, &bytes);
    if (at != NULL) {
        put32(at, stream);
        put32(at + 4, steering->flags);
        put_f64(at + 8, steering->position_s);
        put_f64(at + 16, steering->speed);
        put_f64(at + 24, steering->rate);
    }
    return bytes;
}

/* unsubscribe, watch and credit: one or two numbers */
static size_t write_numbers(void *out, size_t room, int kind, uint32_t id, const struct posed_model *model,
                            size_t count, uint32_t first, uint32_t second)
{
    size_t bytes;
    unsigned char *at = begin(out, room, kind, id, model, count * 4, &bytes);
    if (at != NULL) {
        put32(at, first);
        if (count > 1)
            put32(at + 4, second);
    }
    return bytes;
}

size_t posed_write_credit(void *out, size_t room, uint32_t stream, uint32_t credit)
{
    return write_numbers(out, room, POSED_CREDIT, 0, NULL, 2, stream, credit);
}

size_t posed_write_unsubscribe(void *out, size_t room, uint32_t id, uint32_t stream)
{
    return write_numbers(out, room, POSED_UNSUBSCRIBE, id, NULL, 1, stream, 0);
}

size_t posed_write_watch(void *out, size_t room, uint32_t id, const struct posed_model *model, int is_on)
{
    return write_numbers(out, room, POSED_WATCH, id, model, 1, is_on != 0, 0);
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

static int64_t now_ms(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

/* INT64_MAX: never */
static int64_t deadline_of(int timeout_ms) { return timeout_ms < 0 ? INT64_MAX : now_ms() + timeout_ms; }

static int timeout_of(const struct posed *server)
{
    return server->options.timeout_ms == 0 ? TIMEOUT_MS : server->options.timeout_ms;
}

/* 1: the socket is ready, 0: timeout */
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

/* --- connections: sending --- */

/* 0: the queue is empty; POSED_E_AGAIN: the system accepts no more. */
static int flush(struct posed *server)
{
    while (server->out_start < server->out_end) {
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
        return fail_system(server, "cannot send");
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

/* Counts a queued request, whose answer is outstanding. */
static void note_sent(struct posed *server, const unsigned char *packet)
{
    if (get16(packet + 4) == POSED_CREDIT)
        return;
    if (server->owed++ == 0)
        server->id_owed = server->id_next;
    server->id_next = id_after(server->id_next);
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
    if (packet_bytes > server->out_room - server->out_end) {
        memmove(server->out, server->out + server->out_start, server->out_end - server->out_start);
        server->out_end -= server->out_start;
        server->out_start = 0;
    }
    while (packet_bytes > server->out_room - server->out_end) {
        const int rc =
            server->options.is_nonblocking ? flush(server) : flush_waiting(server, deadline_of(timeout_of(server)));
        if (rc == POSED_E_AGAIN)
            return fail(server, POSED_E_AGAIN, "the requests that wait fill options.send_memory");
        if (rc < 0)
            return rc;
    }
    memcpy(server->out + server->out_end, bytes, packet_bytes);
    server->out_end += packet_bytes;
    note_sent(server, bytes);
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

/* Makes room for a packet of so many bytes, or starts skipping it. */
static int make_room(struct posed *server, size_t packet_bytes)
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

/* 1: the packet is for the caller, 0: ignore it. */
static int classify(struct posed *server, const struct posed_packet *packet)
{
    if (packet->kind == POSED_HELLO) {
        if (server->hello.version != 0 || posed_read_hello(packet, &server->hello) < 0 ||
            server->hello.version != POSED_PROTOCOL)
            return fail(server, POSED_E_PROTOCOL, "the server's hello is not one of protocol %d", POSED_PROTOCOL);
        return 1;
    }
    if (server->hello.version == 0) /* or the packet is an error */
        return packet->kind == POSED_ERROR ? 1
                                           : fail(server, POSED_E_PROTOCOL, "the server does not begin with a hello");
    if (packet->kind == POSED_STREAM || packet->kind == POSED_CHANGED || take_owed(server, packet->id))
        return 1;
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

/* Parses a packet from the received bytes: 1, 0 if bytes are missing, or an error. */
static int next_there(struct posed *server, struct posed_packet *packet)
{
    for (;;) {
        size_t packet_bytes;
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
            return make_room(server, packet_bytes == 0 ? POSED_HEADER_BYTES : packet_bytes);
        server->in_used = packet_bytes;
        const int is_callers = classify(server, packet);
        if (is_callers != 0)
            return is_callers;
    }
}

/* 1: bytes arrived, 0: none yet */
static int receive(struct posed *server)
{
    for (;;) {
        const ssize_t got = recv(server->fd, server->in + server->in_end, server->in_room - server->in_end, 0);
        if (got > 0) {
            server->in_end += (size_t)got;
            return 1;
        }
        if (got == 0 || errno == ECONNRESET) {
            if (server->error.status == POSED_E_SERVER) { /* its last packet says why */
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

static int next_until(struct posed *server, int64_t deadline_ms, struct posed_packet *packet)
{
    for (;;) {
        const int sent = flush(server);
        if (sent < 0 && sent != POSED_E_AGAIN)
            return sent;
        int rc = next_there(server, packet);
        if (rc != 0)
            return rc;
        rc = receive(server);
        if (rc < 0)
            return rc;
        if (rc > 0)
            continue;
        rc = wait_for(server, (short)(posed_wants_write(server) ? POLLIN | POLLOUT : POLLIN), deadline_ms);
        if (rc <= 0)
            return rc;
    }
}

int posed_next(struct posed *server, int timeout_ms, struct posed_packet *packet)
{
    if (!server->is_connected)
        return fail(server, POSED_E_ARGUMENT, "there is no connection");
    server->error.status = 0;
    const int rc = next_until(server, deadline_of(timeout_ms), packet);
    if (rc == 1 && packet->kind == POSED_ERROR && (packet->flags & POSED_HEADER_CLOSING) != 0)
        (void)posed_read_error(packet, &server->error);
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

static int split_address(struct posed *server, const char *address, char host[256], const char **port)
{
    const char *colon = strrchr(address, ':');
    if (colon == NULL || colon == address || colon[1] == '\0')
        return fail(server, POSED_E_ARGUMENT, "'%.100s' is neither HOST:PORT nor the path of a Unix socket", address);
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
        rc = posed_read_error(&packet, &server->error) == 0 ? POSED_E_SERVER : POSED_E_PROTOCOL;
    else if (rc > 0)
        rc = packet.kind == POSED_HELLO ? 0 : fail(server, POSED_E_PROTOCOL, "the server does not begin with a hello");
    return rc;
}

static int check_options(struct posed *server, const struct posed_options *options)
{
    if (options->memory == NULL || options->memory_bytes < MEMORY_MIN)
        return fail(server, POSED_E_ARGUMENT, "options.memory has at least %d bytes", MEMORY_MIN);
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

/* Tries one address; 0 if it connects. */
static int try_address(struct posed *server, const struct addrinfo *found, const struct posed_options *options)
{
    const int on = 1;
    int fd;
    const int rc = connect_socket(server, found->ai_family, found->ai_addr, found->ai_addrlen, &fd);
    if (rc < 0)
        return rc;
    (void)setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    return posed_attach(server, fd, options);
}

int posed_connect(struct posed *server, const char *address, const struct posed_options *options)
{
    const int is_named = strncmp(address, "unix:", 5) == 0;
    int rc = check_options(server, options);
    if (rc < 0)
        return rc;
    if (is_named || strchr(address, '/') != NULL) {
        int fd;
        rc = begin_unix(server, is_named ? address + 5 : address, &fd);
        return rc < 0 ? rc : posed_attach(server, fd, options);
    }
    char host[256];
    const char *port = NULL;
    struct addrinfo hints, *found = NULL;
    rc = split_address(server, address, host, &port);
    if (rc < 0)
        return rc;
    memset(&hints, 0, sizeof hints);
    hints.ai_socktype = SOCK_STREAM;
    const int failure = getaddrinfo(host, port, &hints, &found);
    if (failure != 0)
        return fail(server, POSED_E_ARGUMENT, "'%.100s': %s", address, gai_strerror(failure));
    rc = POSED_E_ARGUMENT;
    for (const struct addrinfo *at = found; at != NULL; at = at->ai_next) {
        rc = try_address(server, at, options);
        if (rc != POSED_E_SYSTEM) /* another address of the host may work */
            break;
    }
    freeaddrinfo(found);
    return rc;
}

void posed_disconnect(struct posed *server)
{
    if (server->is_connected)
        (void)close(server->fd);
    server->is_connected = 0;
    server->owed = 0;
    server->out_start = server->out_end = 0;
}

/* --- blocking calls --- */

/* Checks that a blocking call may start. */
static int begin_call(struct posed *server)
{
    if (!server->is_connected)
        return fail(server, POSED_E_ARGUMENT, "there is no connection");
    if (server->owed > 0)
        return fail(server, POSED_E_PENDING, "%lu answers are still to be read", (unsigned long)server->owed);
    server->error.status = 0;
    return flush_waiting(server, deadline_of(timeout_of(server)));
}

static void note_event(struct posed *server, const struct posed_packet *packet)
{
    if (packet->kind == POSED_ERROR && (packet->flags & POSED_HEADER_CLOSING) != 0)
        (void)posed_read_error(packet, &server->error);
    if (packet->kind != POSED_STREAM && packet->kind != POSED_CHANGED && (packet->flags & POSED_HEADER_LAST) == 0)
        return;
    if (server->options.on_event != NULL)
        server->options.on_event(server->options.event_context, packet);
    else
        server->events_dropped++;
}

/* Sends the request that was written into server->out, and waits for its answer, which is of `kind` (0: any). */
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
    note_sent(server, server->out);
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
        return posed_read_error(answer, &server->error) < 0
                   ? fail(server, POSED_E_PROTOCOL, "the server's error is no error packet")
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
