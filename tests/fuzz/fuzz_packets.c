/* Bytes of a connection that speaks packets, fed as a whole and in pieces, plain and within a WebSocket. Never a crash,
 * the same packets and requests both ways, and accepted requests are within limits. The low bits of the first byte
 * choose the size of the pieces, its highest bit the WebSocket. */
#include "base/hash.h"
#include "wire/packet/packet_request.h"
#include "wire/http/websocket.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { PAYLOAD_MAX = 4096, IS_WEBSOCKET = 0x80 };

static const struct packet_model MODEL = {.path = "a.glb"};

static void require(int is_true)
{
    if (!is_true)
        abort();
}

static uint64_t check_request(const struct request *request, const struct limits *limits, uint64_t state)
{
    require(request->pose.time_count <= limits->value[LIMIT_FRAMES]);
    for (uint32_t i = 0; i < request->pose.time_count; i++)
        require(isfinite(request->pose.times_s[i]));
    require(request->picture.width <= limits->value[LIMIT_PICTURE_SIDE]);
    require(request->model == NULL || (request->model[0] != '\0' && request->model[0] != '/'));
    if (request->op == OP_FIND)
        require(strlen(request->found.name) == request->found.name_bytes);
    return hash64(state, request->canonical, sizeof request->canonical);
}

/* Reads the payload by its kind, in a block of exactly its size, so that a read past its end is detected. */
static uint64_t read_packet(const struct packet *packet, const struct limits *limits, uint64_t state)
{
    char *payload = malloc(packet->payload_bytes == 0 ? 1 : packet->payload_bytes);
    require(payload != NULL);
    memcpy(payload, packet->payload, packet->payload_bytes);
    struct packet copy = *packet;
    copy.payload = payload;
    const struct packet_model *model = packet->model == 0 ? NULL : &MODEL;
    struct request request = {0};
    struct packet_subscribe subscribe = {0};
    struct packet_control control = {0};
    struct err err = {0};
    uint32_t stream = 0, number = 0;
    size_t bad_at = 0;
    int rc = 0;
    switch (packet->kind) {
    case PACKET_OPEN:
    case PACKET_FIND:
    case PACKET_INFO:
    case PACKET_PALETTE:
    case PACKET_POSE:
    case PACKET_MESH:
    case PACKET_RENDER:
    case PACKET_CALL:
        rc = packet_read_request(&request, &copy, model, limits, &bad_at, &err);
        break;
    case PACKET_CROWD:
        rc = packet_read_crowd(&request, &copy, limits, &bad_at, &err);
        break;
    case PACKET_RAYCAST:
        rc = packet_read_raycast(&request, &copy, limits, &bad_at, &err);
        break;
    case PACKET_SUBSCRIBE:
        rc = packet_read_subscribe(&request, &copy, model, limits, &subscribe, &bad_at, &err);
        require(rc < 0 ||
                (isfinite(subscribe.position_s) && isfinite(subscribe.speed) && request.pose.time_count == 1 &&
                 subscribe.rate >= 0 && subscribe.rate <= (double)limits->value[LIMIT_STREAM_RATE]));
        break;
    case PACKET_CONTROL:
        rc = packet_read_control(&copy, limits, &control, &bad_at, &err);
        break;
    case PACKET_CREDIT:
    case PACKET_UNSUBSCRIBE:
    case PACKET_WATCH:
        rc = packet_read_numbers(&copy, &stream, &number, &bad_at, &err);
        break;
    default:
        rc = packet_read_empty(&copy, &bad_at, &err);
        break;
    }
    require(rc == 0 ||
            (rc < 0 && err.message[0] != '\0' &&
             (bad_at == PACKET_NOT_MALFORMED ||
              bad_at < (size_t)PACKET_HEADER_BYTES + (packet->payload_bytes == 0 ? 1 : packet->payload_bytes))));
    if (rc == 0 && packet->kind <= PACKET_SUBSCRIBE && packet->kind != PACKET_CLOSE)
        state = check_request(&request, limits, state);
    state = hash64(state, &rc, sizeof rc);
    state = hash64(state, &bad_at, sizeof bad_at);
    request_fini(&request);
    free(payload);
    return state;
}

/* The bytes inside the WebSocket. */
static struct buf unwrap(const uint8_t *data, size_t size, size_t piece)
{
    struct websocket *websocket = websocket_new(PAYLOAD_MAX);
    struct buf in, out;
    buf_init(&in, 0);
    buf_init(&out, 0);
    for (size_t at = 0; at < size; at += piece) {
        const size_t part = size - at < piece ? size - at : piece;
        if (!websocket_feed(websocket, (const char *)data + at, part, &in, &out))
            break;
    }
    require(in.size_bytes <= size);
    websocket_free(websocket);
    buf_fini(&out);
    return in;
}

/* Returns a hash of all results. */
static uint64_t outcome(const struct limits *limits, const char *bytes, size_t size, size_t piece)
{
    struct packet_reader reader;
    uint64_t state = HASH64_SEED;
    struct err err = {0};
    int rc = 0;
    packet_reader_init(&reader, PAYLOAD_MAX);
    for (size_t at = 0; at < size && rc >= 0;) {
        const size_t part = size - at < piece ? size - at : piece;
        size_t used = 0;
        char *block = malloc(part);
        require(block != NULL);
        memcpy(block, bytes + at, part);
        rc = packet_reader_feed(&reader, block, part, &used, &err);
        require(used <= part && (rc != PACKET_NEED_MORE || used == part));
        if (rc == PACKET_COMPLETE) {
            require(reader.packet.payload_bytes <= PAYLOAD_MAX);
            state = read_packet(&reader.packet, limits, state);
        } else if (rc == PACKET_GREETED) {
            state = hash64(state, reader.token, strlen(reader.token));
        } else if (rc < 0) {
            require(err.message[0] != '\0' && reader.bad_offset < size);
            state = hash64(state, &reader.bad_offset, sizeof reader.bad_offset);
        }
        at += used;
        free(block);
    }
    packet_reader_fini(&reader);
    return state;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct limits limits;
    if (size == 0)
        return 0;
    limits_default(&limits);
    limits.value[LIMIT_FRAMES] = 100;
    limits.value[LIMIT_URL_BYTES] = 1000;
    const size_t piece = 1 + (data[0] & (IS_WEBSOCKET - 1));
    if ((data[0] & IS_WEBSOCKET) != 0) {
        struct buf whole = unwrap(data + 1, size - 1, size), pieces = unwrap(data + 1, size - 1, piece);
        require(whole.size_bytes == pieces.size_bytes &&
                (whole.size_bytes == 0 || memcmp(whole.data, pieces.data, whole.size_bytes) == 0));
        require(outcome(&limits, whole.data, whole.size_bytes, whole.size_bytes + 1) ==
                outcome(&limits, whole.data, whole.size_bytes, piece));
        buf_fini(&whole);
        buf_fini(&pieces);
        return 0;
    }
    const char *bytes = (const char *)data + 1;
    require(outcome(&limits, bytes, size - 1, size) == outcome(&limits, bytes, size - 1, piece));
    return 0;
}
