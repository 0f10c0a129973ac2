#include "tests/bench/load/load_speech.h"

#include "wire/packet/packet.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>

/* --- HTTP --- */

static size_t http_put(const char *target, const char *host, char *to)
{
    const int size = snprintf(to, LOAD_HEAD_MAX, "GET %s HTTP/1.1\r\nHost: %s\r\n\r\n", target, host);
    return size < 0 || size >= LOAD_HEAD_MAX ? 0 : (size_t)size;
}

static int http_read(const char *bytes, size_t size_bytes, struct load_answer *answer)
{
    static const char LENGTH[] = "content-length:";
    const char *end = memmem(bytes, size_bytes, "\r\n\r\n", 4);
    if (end == NULL)
        return size_bytes < LOAD_HEAD_MAX ? 0 : -1;
    *answer = (struct load_answer){.head_bytes = (size_t)(end - bytes) + 4};
    if (answer->head_bytes < 14)
        return -1;
    answer->status = atoi(bytes + 9);
    for (const char *line = bytes; line < end; line = (const char *)memchr(line, '\n', (size_t)(end + 2 - line)) + 1)
        if ((line[0] | 0x20) == 'c' && strncasecmp(line, LENGTH, sizeof LENGTH - 1) == 0)
            answer->body_bytes = strtoull(line + sizeof LENGTH - 1, NULL, 10);
    return 1;
}

/* --- RESP (https://redis.io/docs/latest/develop/reference/protocol-spec/) --- */

static size_t resp_put(const char *target, const char *host, char *to)
{
    (void)host;
    const int size = snprintf(to, LOAD_HEAD_MAX, "*2\r\n$3\r\nGET\r\n$%zu\r\n%s\r\n", strlen(target), target);
    return size < 0 || size >= LOAD_HEAD_MAX ? 0 : (size_t)size;
}

/* Reads a bulk string, or an error. */
static int resp_read(const char *bytes, size_t size_bytes, struct load_answer *answer)
{
    const char *end = memchr(bytes, '\n', size_bytes);
    if (end == NULL)
        return size_bytes < LOAD_HEAD_MAX ? 0 : -1;
    if (bytes[0] != '$' && bytes[0] != '-')
        return -1;
    const bool is_there = bytes[0] == '$' && bytes[1] != '-';
    *answer = (struct load_answer){
        .head_bytes = (size_t)(end - bytes) + 1,
        .body_bytes = is_there ? strtoull(bytes + 1, NULL, 10) + 2 : 0,
        .status = is_there          ? 200
                  : bytes[0] == '-' ? 500
                                    : 404,
    };
    return 1;
}

/* --- packets (protocol/tcp.md) --- */

static void put_u16(char *at, unsigned value)
{
    at[0] = (char)value;
    at[1] = (char)(value >> 8);
}

static void put_u32(char *at, uint32_t value)
{
    put_u16(at, value);
    put_u16(at + 2, value >> 16);
}

static uint32_t get_u32(const char *at)
{
    const unsigned char *b = (const unsigned char *)at;
    return b[0] | (uint32_t)b[1] << 8 | (uint32_t)b[2] << 16 | (uint32_t)b[3] << 24;
}

/* Writes the header, zeros and padding of a packet. The caller fills the payload. Returns the size. */
static size_t begin_packet(char *to, unsigned kind, uint32_t model, uint32_t payload_bytes)
{
    const size_t size = PACKET_HEADER_BYTES + payload_bytes + packet_padding(payload_bytes);
    memset(to, 0, size);
    put_u32(to + PACKET_AT_HEADER_payload_bytes, payload_bytes);
    put_u16(to + PACKET_AT_HEADER_kind, kind);
    put_u32(to + PACKET_AT_HEADER_model, model);
    return size;
}

static size_t put_call(const char *target, char *to)
{
    const size_t target_bytes = strlen(target);
    const size_t size = begin_packet(to, PACKET_CALL, 0, (uint32_t)(PACKET_AT_CALL_target + target_bytes));
    put_u32(to + PACKET_HEADER_BYTES + PACKET_AT_CALL_target_bytes, (uint32_t)target_bytes);
    memcpy(to + PACKET_HEADER_BYTES + PACKET_AT_CALL_target, target, target_bytes);
    return size;
}

/* Copies the value of a parameter to `out`; "" if it is not given. */
static void find_value(const char *query, const char *name, char *out, size_t out_size)
{
    const size_t name_bytes = strlen(name);
    out[0] = '\0';
    for (const char *at = strchr(query, '?'); at != NULL; at = strchr(at + 1, '&'))
        if (strncmp(at + 1, name, name_bytes) == 0 && at[1 + name_bytes] == '=')
            snprintf(out, out_size, "%.*s", (int)strcspn(at + 2 + name_bytes, "&"), at + 2 + name_bytes);
}

enum { MODEL_SIZE = 256, MODELS_MAX = 16 };

/* The models of all targets, without duplicates, in the order in which connections open them: the first has handle 1.
 */
static char models[MODELS_MAX][MODEL_SIZE];
static uint32_t model_count;

static uint32_t handle_of(const char *model)
{
    uint32_t i = 0;
    while (i < model_count && strcmp(models[i], model) != 0)
        i++;
    if (i == MODELS_MAX)
        return 0;
    if (i == model_count)
        snprintf(models[model_count++], MODEL_SIZE, "%s", model);
    return i + 1;
}

static size_t packets_put(const char *target, const char *host, char *to)
{
    static const char *const LAYOUTS[] = {"mat4", "mat3x4", "dualquat"};
    char model[MODEL_SIZE], value[64];
    double time_s;
    (void)host;
    if (strlen(target) > LOAD_HEAD_MAX / 2)
        return 0;
    if (target[0] == '/')
        return put_call(target, to);
    find_value(target, "model", model, sizeof model);
    const uint32_t handle = handle_of(model);
    if (strncmp(target, "palette?", 8) != 0 || handle == 0)
        return 0;
    const size_t size = begin_packet(to, PACKET_PALETTE, handle, PACKET_AT_QUERY_times + sizeof time_s);
    char *query = to + PACKET_HEADER_BYTES;
    find_value(target, "clip", value, sizeof value);
    put_u32(query + PACKET_AT_QUERY_clip, value[0] == '\0' ? (uint32_t)-2 : (uint32_t)atoi(value));
    find_value(target, "layout", value, sizeof value);
    for (unsigned i = 1; i < 3; i++)
        if (strcmp(value, LAYOUTS[i]) == 0)
            query[PACKET_AT_QUERY_layout] = (char)i;
    put_u32(query + PACKET_AT_QUERY_time_count, 1);
    put_u32(query + PACKET_AT_QUERY_mesh, (uint32_t)-1);
    put_u32(query + PACKET_AT_QUERY_root, (uint32_t)-1);
    find_value(target, "t", value, sizeof value);
    time_s = atof(value);
    memcpy(query + PACKET_AT_QUERY_times, &time_s, sizeof time_s);
    return size;
}

static int packets_read(const char *bytes, size_t size_bytes, struct load_answer *answer)
{
    if (size_bytes < PACKET_HEADER_BYTES)
        return 0;
    const uint32_t payload_bytes = get_u32(bytes + PACKET_AT_HEADER_payload_bytes);
    const int code = (int)(get_u32(bytes + PACKET_AT_HEADER_code) & 0xffff);
    const unsigned kind = get_u32(bytes + PACKET_AT_HEADER_kind) & 0xffff;
    *answer = (struct load_answer){
        .head_bytes = PACKET_HEADER_BYTES,
        .body_bytes = (uint64_t)payload_bytes + packet_padding(payload_bytes),
        .status = kind == PACKET_ERROR ? code : 200,
    };
    return 1;
}

static bool send_all(int fd, const char *bytes, size_t size)
{
    return send(fd, bytes, size, MSG_NOSIGNAL) == (ssize_t)size; /* small, and the socket is empty */
}

/* Waits for a packet of this kind. */
static bool expect(int fd, unsigned kind, uint32_t model)
{
    char head[PACKET_HEADER_BYTES], rest[LOAD_HEAD_MAX];
    struct load_answer answer;
    if (recv(fd, head, sizeof head, MSG_WAITALL) != (ssize_t)sizeof head ||
        packets_read(head, sizeof head, &answer) != 1)
        return false;
    const bool is_it = (get_u32(head + PACKET_AT_HEADER_kind) & 0xffff) == kind &&
                       get_u32(head + PACKET_AT_HEADER_model) == model && answer.body_bytes <= sizeof rest;
    return is_it && recv(fd, rest, (size_t)answer.body_bytes, MSG_WAITALL) == (ssize_t)answer.body_bytes;
}

static bool packets_greet(int fd)
{
    char bytes[LOAD_HEAD_MAX] = PACKET_MAGIC;
    put_u16(bytes + PACKET_MAGIC_BYTES, PACKET_VERSION);
    if (!send_all(fd, bytes, PACKET_HELLO_BYTES) || !expect(fd, PACKET_HELLO, 0))
        return false;
    for (uint32_t i = 0; i < model_count; i++) {
        const size_t path_bytes = strlen(models[i]);
        const size_t size = begin_packet(bytes, PACKET_OPEN, 0, (uint32_t)path_bytes);
        memcpy(bytes + PACKET_HEADER_BYTES, models[i], path_bytes);
        if (!send_all(fd, bytes, size) || !expect(fd, PACKET_OPENED, i + 1))
            return false;
    }
    return true;
}

const struct load_speech *load_speech_find(const char *name)
{
    static const struct load_speech SPEECHES[] = {
        {"http", http_put, http_read, NULL},
        {"resp", resp_put, resp_read, NULL},
        {"packets", packets_put, packets_read, packets_greet},
    };
    for (size_t i = 0; i < sizeof SPEECHES / sizeof *SPEECHES; i++)
        if (strcmp(SPEECHES[i].name, name) == 0)
            return &SPEECHES[i];
    return NULL;
}
