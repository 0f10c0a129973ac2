/* The C client: its numbers equal the tables', its requests have the bytes of protocol/tcp.md, and it trusts a server's
 * data only after checking it. For live servers see tests/api/clients/test_client_c.py. */
#include "clients/c/posed.h"
#include "tests/unit/support/check.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum { BIG = 1 << 16 };

TEST(client_has_the_numbers_of_the_tables)
{
#define PACKET(symbol, number, name, who, text) assert_int_equal(POSED_##symbol, number);
#define FLAG(part, symbol, bit, name, text)     assert_int_equal(POSED_##part##_##symbol, bit);
#include "protocol/packets.def"
#define X(symbol, number, status, name, text) assert_int_equal(POSED_##symbol, number);
#include "protocol/errors.def"
#undef X
}

/* A packet of a server in memory of exactly its size. */
struct made {
    unsigned char *bytes;
    size_t size;
};

static void put(unsigned char *at, uint64_t value, size_t bytes)
{
    for (size_t i = 0; i < bytes; i++)
        at[i] = (unsigned char)(value >> 8 * i & 0xff);
}

static struct made packet_of(int kind, uint32_t id, const void *payload, size_t payload_bytes, uint32_t note_bytes)
{
    struct made made;
    made.size = (POSED_HEADER_BYTES + payload_bytes + 15) / 16 * 16;
    made.bytes = calloc(1, made.size);
    assert_non_null(made.bytes);
    put(made.bytes, payload_bytes, 4);
    put(made.bytes + 4, (uint64_t)kind, 2);
    put(made.bytes + 8, id, 4);
    put(made.bytes + 12, 1, 4);
    put(made.bytes + 16, 3, 4);
    put(made.bytes + 28, note_bytes, 4);
    if (payload_bytes > 0)
        memcpy(made.bytes + POSED_HEADER_BYTES, payload, payload_bytes);
    return made;
}

static struct made hello_packet(void)
{
    unsigned char payload[64] = {0};
    put(payload, 1, 2);
    put(payload + 8, 7, 4);
    memcpy(payload + 40, "9.9.9", 5);
    return packet_of(POSED_HELLO, 0, payload, sizeof payload, 0);
}

/* Every shorter prefix wants more bytes, and reads nothing behind its end (ASan). */
TEST(client_wants_more_at_every_truncation)
{
    struct made whole = packet_of(POSED_JSON, 5, "{}\nA: b\n", 8, 5);
    struct posed_packet packet;
    size_t packet_bytes, value_bytes;
    for (size_t size = 0; size < whole.size; size++) {
        unsigned char *cut = malloc(size == 0 ? 1 : size);
        assert_non_null(cut);
        memcpy(cut, whole.bytes, size);
        assert_int_equal(posed_parse(cut, size, &packet, &packet_bytes), 0);
        assert_int_equal(packet_bytes, size < POSED_HEADER_BYTES ? 0 : whole.size);
        free(cut);
    }
    assert_int_equal(posed_parse(whole.bytes, whole.size, &packet, &packet_bytes), 1);
    assert_int_equal(packet_bytes, whole.size);
    assert_int_equal(packet.id, 5);
    assert_int_equal(packet.generation, 3);
    assert_int_equal(packet.data_bytes, 3);
    const char *value = posed_note(&packet, "A", &value_bytes);
    assert_int_equal(value_bytes, 1);
    assert_memory_equal(value, "b", 1);
    assert_null(posed_note(&packet, "B", &value_bytes));
    put(whole.bytes + 28, 9, 4); /* more notes than payload */
    assert_int_equal(posed_parse(whole.bytes, whole.size, &packet, &packet_bytes), POSED_E_PROTOCOL);
    free(whole.bytes);
}

static int read_as(int kind, const struct posed_packet *packet)
{
    static union {
        struct posed_hello hello;
        struct posed_error error;
        struct posed_model model;
        struct posed_found found;
        struct posed_stream_frame stream;
        struct posed_change change;
    } out;
    switch (kind) {
    case POSED_HELLO:
        return posed_read_hello(packet, &out.hello);
    case POSED_ERROR:
        return posed_read_error(packet, &out.error);
    case POSED_OPENED:
        return posed_read_opened(packet, &out.model);
    case POSED_FOUND:
        return posed_read_found(packet, &out.found);
    case POSED_STREAM:
        return posed_read_stream(packet, &out.stream);
    default:
        return posed_read_changed(packet, &out.change);
    }
}

/* A payload too short for its fields or its counts is refused, at every length. */
TEST(client_refuses_short_payloads)
{
    static const struct {
        int kind;
        size_t bytes_min, count_at;
        uint32_t count;
    } CASES[] = {
        {POSED_HELLO, 64, 0, 0},       {POSED_ERROR, 16 + 9, 12, 9},          {POSED_OPENED, 48, 0, 0},
        {POSED_FOUND, 48 + 12, 12, 3}, {POSED_FOUND, 48 + 5, 32, 5},          {POSED_STREAM, 16, 0, 0},
        {POSED_CHANGED, 32, 0, 0},     {POSED_FOUND, SIZE_MAX, 12, 1u << 30}, {POSED_ERROR, SIZE_MAX, 12, ~0u}};
    for (size_t i = 0; i < sizeof CASES / sizeof *CASES; i++)
        for (size_t bytes = 0; bytes < 96; bytes++) {
            unsigned char payload[96] = {0};
            if (CASES[i].count > 0)
                put(payload + CASES[i].count_at, CASES[i].count, 4);
            struct made made = packet_of(CASES[i].kind, 0, payload, bytes, 0);
            struct posed_packet packet;
            size_t packet_bytes;
            assert_int_equal(posed_parse(made.bytes, made.size, &packet, &packet_bytes), 1);
            assert_int_equal(read_as(CASES[i].kind, &packet), bytes < CASES[i].bytes_min ? POSED_E_PROTOCOL : 0);
            packet.kind = POSED_DONE;
            assert_int_equal(read_as(CASES[i].kind, &packet), POSED_E_PROTOCOL);
            free(made.bytes);
        }
}

TEST(client_cuts_a_long_message_between_characters)
{
    unsigned char payload[16 + 700] = {0};
    struct posed_packet packet = {.kind = POSED_ERROR, .code = POSED_ERR_CONFLICT, .data = payload};
    struct posed_error error;
    packet.data_bytes = sizeof payload;
    put(payload + 12, 700, 4);
    payload[16] = 'x';
    for (size_t i = 17; i + 1 < sizeof payload; i += 2)
        memcpy(payload + i, "\xc3\xa9", 2);
    assert_int_equal(posed_read_error(&packet, &error), 0);
    assert_int_equal(error.code, POSED_ERR_CONFLICT);
    assert_int_equal(strlen(error.message), POSED_MESSAGE_MAX - 1);
    packet.data_bytes = 16 + 8;
    put(payload + 12, 6, 4);
    memcpy(payload + 16, "sorry.{}", 8);
    assert_int_equal(posed_read_error(&packet, &error), 0);
    assert_string_equal(error.message, "sorry.");
    assert_int_equal(error.json_bytes, 2);
    assert_memory_equal(error.json, "{}", 2);
}

/* The worked example of protocol/frames.md: rows "0010  01 00 00 00  text". */
static size_t worked_example(unsigned char *out)
{
    FILE *file = fopen("protocol/frames.md", "rb");
    assert_non_null(file);
    char line[256];
    size_t size = 0;
    bool is_inside = false;
    while (fgets(line, sizeof line, file) != NULL) {
        if (strncmp(line, "```", 3) == 0)
            is_inside = strncmp(line, "```frames", 9) == 0;
        for (char *at = line + 6; is_inside && line[0] == '0' && at[0] != ' ' && at[2] == ' '; at += 3)
            out[size++] = (unsigned char)strtoul(at, NULL, 16);
    }
    fclose(file);
    return size;
}

TEST(client_reads_the_worked_frames)
{
    unsigned char *bytes = malloc(0xf0 + 16);
    assert_non_null(bytes);
    assert_int_equal(worked_example(bytes), 0xf0);
    struct posed_frames frames;
    assert_int_equal(posed_read_frames(bytes, 0xf0, &frames), 0);
    assert_int_equal(frames.layout, POSED_MAT3X4);
    assert_int_equal(frames.blocks[0].count, 2);
    CHECK_NEAR(posed_frames_time(&frames, 0), 0.5, 0);
    assert_int_equal(posed_frames_find(&frames, 0, POSED_BLOCK_PALETTE, 0), 0);
    assert_int_equal(posed_frames_find(&frames, 0, POSED_BLOCK_PALETTE, 1), -1);
    const float *matrices = posed_frames_floats(&frames, 0, 0);
    assert_ptr_equal(matrices, bytes + 0x90);
    CHECK_NEAR(matrices[3], 4.875, 0);
    CHECK_NEAR(matrices[12 + 11], 3.75, 0);
    assert_null(posed_frames_floats(&frames, 0, 1));
    assert_null(posed_frames_floats(&frames, 1, 0));
    assert_null(posed_frames_integers(&frames, 0, 0));
    for (size_t size = 0; size < 0xf0; size++)
        assert_int_equal(posed_read_frames(bytes, size, &frames), POSED_E_PROTOCOL);
    assert_int_equal(posed_read_frames(bytes + 8, 0xf0 - 8, &frames), POSED_E_PROTOCOL);
    free(bytes);
}

/* Whatever one byte is changed to: refused, or every item of every frame is within the bytes. */
TEST(client_stays_within_changed_frames)
{
    unsigned char good[0x100];
    const size_t size = worked_example(good);
    unsigned refused = 0;
    for (size_t at = 0; at < 0x90; at++)
        for (unsigned value = 0; value < 256; value += 5) {
            struct posed_frames frames;
            unsigned char *bytes = malloc(size);
            assert_non_null(bytes);
            memcpy(bytes, good, size);
            bytes[at] = (unsigned char)value;
            refused += posed_read_frames(bytes, size, &frames) < 0;
            if (posed_read_frames(bytes, size, &frames) == 0)
                for (uint32_t block = 0; block < frames.block_count; block++)
                    for (uint32_t frame = 0; frame < frames.frame_count; frame++) {
                        const struct posed_block found = posed_frames_block(&frames, block);
                        const unsigned char *items = posed_frames_items(&frames, block, frame);
                        assert_non_null(items);
                        assert_in_range(items - bytes, 0, size);
                        assert_in_range((uint64_t)(items - bytes) + (uint64_t)found.count * found.item_bytes, 0, size);
                    }
            free(bytes);
        }
    assert_true(refused > 1000);
}

/* A query's bytes as tcp.md has them; too little room writes nothing. */
TEST(client_writes_a_query)
{
    const double times[] = {0.5, 0.25};
    const uint32_t skins[] = {7};
    const struct posed_model model = {.handle = 9, .generation = 4, .wanted = 2};
    struct posed_query query;
    unsigned char bytes[256];
    posed_query_init(&query);
    query.times = times;
    query.time_count = 2;
    query.indices = skins;
    query.index_count = 1;
    query.flags = POSED_QUERY_SPEED;
    query.speed = -2;
    query.space = POSED_SPACE_ROOT;
    memset(bytes, 0xee, sizeof bytes);
    assert_int_equal(posed_write_query(bytes, 127, POSED_PALETTE, 3, &model, &query), 128);
    assert_int_equal(bytes[0], 0xee);
    assert_int_equal(posed_write_query(bytes, sizeof bytes, POSED_PALETTE, 3, &model, &query), 128);
    static const unsigned char HEADER[] = {84, 0, 0, 0, 5, 0, 0, 0, 3, 0, 0, 0, 9, 0, 0, 0, 2, 0, 0, 0, 0, 0, 0, 0};
    static const unsigned char FIELDS[] = {0xfe, 0xff, 0xff, 0xff, 0,    0,    1,    0,   4, 0,
                                           0,    0,    2,    0,    0,    0,    1,    0,   0, 0,
                                           0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff};
    assert_memory_equal(bytes, HEADER, sizeof HEADER);
    assert_memory_equal(bytes + 32, FIELDS, sizeof FIELDS);
    static const unsigned char MINUS_TWO[] = {0, 0, 0, 0, 0, 0, 0, 0xc0};
    assert_memory_equal(bytes + 32 + 48, MINUS_TWO, 8);
    static const unsigned char LISTS[] = {0, 0, 0, 0, 0, 0, 0xe0, 0x3f, 0, 0, 0, 0, 0, 0, 0xd0, 0x3f, 7, 0, 0, 0};
    assert_memory_equal(bytes + 32 + 64, LISTS, sizeof LISTS);
    assert_int_equal(bytes[127], 0);
    assert_int_equal(bytes[128], 0xee);
}

/* --- connections, with this test as the server --- */

struct pair {
    struct posed server;
    unsigned char memory[512];
    int far;
};

static void send_packet(int fd, struct made made)
{
    assert_int_equal(write(fd, made.bytes, made.size), made.size);
    free(made.bytes);
}

static void pair_open(struct pair *pair, const struct posed_options *given)
{
    int ends[2];
    struct posed_options options = *given;
    memset(&pair->server, 0, sizeof pair->server);
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
    pair->far = ends[1];
    send_packet(pair->far, hello_packet());
    options.memory = pair->memory;
    options.memory_bytes = sizeof pair->memory;
    assert_int_equal(posed_attach(&pair->server, ends[0], &options), 0);
}

static void pair_close(struct pair *pair)
{
    posed_disconnect(&pair->server);
    close(pair->far);
    if (pair->server.memory != pair->memory)
        free(pair->server.memory);
}

TEST(client_says_hello_and_keeps_the_servers)
{
    struct pair pair;
    unsigned char bytes[32];
    pair_open(&pair, &(struct posed_options){.token = "secret"});
    assert_int_equal(read(pair.far, bytes, sizeof bytes), 32);
    assert_memory_equal(bytes, "\x89PSDP\r\n\0\1\0\0\0\6\0\0\0secret\0\0", 24);
    assert_int_equal(pair.server.hello.models_max, 7);
    assert_string_equal(pair.server.hello.server, "9.9.9");
    pair_close(&pair);
}

/* The answer comes behind events, one of which needs the memory to be tidied up. */
TEST(client_takes_events_while_it_waits)
{
    struct pair pair;
    unsigned char payload[200] = {0};
    pair_open(&pair, &(struct posed_options){0});
    for (int i = 0; i < 5; i++)
        send_packet(pair.far, packet_of(POSED_STREAM, 77, payload, sizeof payload, 0));
    send_packet(pair.far, packet_of(199, 0, payload, 3, 0)); /* newer than this client */
    send_packet(pair.far, packet_of(POSED_DONE, 1, NULL, 0, 0));
    assert_int_equal(posed_ping(&pair.server), 0);
    assert_int_equal(pair.server.events_dropped, 5);
    pair_close(&pair);
}

TEST(client_skips_what_does_not_fit_and_goes_on)
{
    struct pair pair;
    unsigned char *payload = calloc(1, BIG);
    struct posed_model model = {.handle = 1};
    struct posed_packet answer;
    pair_open(&pair, &(struct posed_options){0});
    send_packet(pair.far, packet_of(POSED_JSON, 1, payload, BIG, 0));
    send_packet(pair.far, packet_of(POSED_JSON, 2, "{}", 2, 0));
    assert_int_equal(posed_info(&pair.server, &model, &answer), POSED_E_TOO_LARGE);
    assert_in_range(pair.server.error.needed_bytes, BIG, BIG + 64);
    assert_int_equal(posed_info(&pair.server, &model, &answer), 0);
    assert_int_equal(answer.data_bytes, 2);
    assert_int_equal(model.generation, 3);
    pair_close(&pair);
    free(payload);
}

static void *grow_copy(void *context, void *memory, size_t size_bytes)
{
    struct pair *pair = context;
    if (memory != pair->memory)
        return realloc(memory, size_bytes);
    unsigned char *grown = malloc(size_bytes);
    assert_non_null(grown);
    memcpy(grown, memory, sizeof pair->memory);
    return grown;
}

TEST(client_grows_where_it_may)
{
    struct pair pair;
    unsigned char *payload = malloc(BIG);
    assert_non_null(payload);
    for (size_t i = 0; i < BIG; i++)
        payload[i] = (unsigned char)(i * 31);
    struct posed_packet answer;
    struct posed_model model = {.handle = 1};
    pair_open(&pair, &(struct posed_options){.grow = grow_copy, .grow_context = &pair});
    send_packet(pair.far, packet_of(POSED_JSON, 1, payload, BIG, 0));
    assert_int_equal(posed_info(&pair.server, &model, &answer), 0);
    assert_int_equal(answer.data_bytes, BIG);
    assert_memory_equal(answer.data, payload, BIG);
    assert_int_equal((uintptr_t)answer.data % 16, 0);
    pair_close(&pair);
    free(payload);
}

TEST(client_tells_errors_of_the_server_from_broken_ones)
{
    struct pair pair;
    unsigned char payload[24] = {0};
    put(payload + 8, 3, 4);
    put(payload + 12, 5, 4);
    memcpy(payload + 16, "wait!{}", 7);
    pair_open(&pair, &(struct posed_options){0});
    struct made made = packet_of(POSED_ERROR, 1, payload, 23, 0);
    put(made.bytes + 20, POSED_ERR_OVERLOADED, 2);
    send_packet(pair.far, made);
    assert_int_equal(posed_ping(&pair.server), POSED_E_SERVER);
    assert_int_equal(pair.server.error.code, POSED_ERR_OVERLOADED);
    assert_int_equal(pair.server.error.retry_after_s, 3);
    assert_string_equal(pair.server.error.message, "wait!");
    send_packet(pair.far, packet_of(POSED_DONE, 1, NULL, 0, 0)); /* 2 is next */
    assert_int_equal(posed_ping(&pair.server), POSED_E_PROTOCOL);
    pair_close(&pair);
}

TEST(client_says_why_the_server_left)
{
    struct pair pair;
    struct posed_packet packet;
    unsigned char payload[20] = {0};
    put(payload + 12, 4, 4);
    memcpy(payload + 16, "stop", 4);
    pair_open(&pair, &(struct posed_options){0});
    struct made made = packet_of(POSED_ERROR, 0, payload, sizeof payload, 0);
    put(made.bytes + 6, POSED_HEADER_CLOSING, 2);
    send_packet(pair.far, made);
    shutdown(pair.far, SHUT_WR);
    assert_int_equal(posed_ping(&pair.server), POSED_E_CLOSED);
    assert_string_equal(pair.server.error.message, "stop");
    assert_int_equal(posed_next(&pair.server, 0, &packet), POSED_E_CLOSED);
    pair_close(&pair);
    assert_int_equal(posed_ping(&pair.server), POSED_E_ARGUMENT);
}

/* Requests ahead, answers in order, and nothing waits. */
TEST(client_pipelines_without_waiting)
{
    struct pair pair;
    struct posed_packet packet;
    unsigned char bytes[64];
    const struct posed_model model = {.handle = 1};
    pair_open(&pair, &(struct posed_options){.is_nonblocking = 1});
    assert_int_equal(posed_next(&pair.server, 0, &packet), 1);
    assert_int_equal(packet.kind, POSED_HELLO);
    assert_int_equal(posed_next(&pair.server, 0, &packet), 0);
    for (uint32_t i = 1; i <= 3; i++) {
        assert_int_equal(posed_new_id(&pair.server), i);
        const size_t size = posed_write_plain(bytes, sizeof bytes, POSED_INFO, i, &model);
        assert_int_equal(posed_send(&pair.server, bytes, size), 0);
        assert_int_equal(posed_send(&pair.server, bytes, size), POSED_E_ARGUMENT);
    }
    assert_int_equal(posed_credit(&pair.server, 1, 2), 0);
    assert_int_equal(posed_owed(&pair.server), 3);
    assert_int_equal(posed_ping(&pair.server), POSED_E_PENDING);
    for (uint32_t i = 1; i <= 3; i++) {
        send_packet(pair.far, packet_of(POSED_JSON, i, "{}", 2, 0));
        assert_int_equal(posed_next(&pair.server, 0, &packet), 1);
        assert_int_equal(packet.id, i);
    }
    assert_int_equal(posed_owed(&pair.server), 0);
    assert_int_equal(posed_next(&pair.server, 1, &packet), 0);
    pair_close(&pair);
}

/* A server that reads nothing: the queue fills, says so, and what was queued still comes whole. */
TEST(client_queue_fills_and_drains)
{
    struct pair pair;
    unsigned char bytes[1024], *queue = malloc(8192);
    char *path = calloc(1, 900);
    memset(path, 'p', 899);
    pair_open(&pair, &(struct posed_options){.is_nonblocking = 1, .send_memory = queue, .send_bytes = 8192});
    uint32_t sent = 0;
    int rc;
    do {
        const uint32_t id = posed_new_id(&pair.server);
        rc = posed_send(&pair.server, bytes, posed_write_open(bytes, sizeof bytes, id, path));
        sent += rc == 0;
    } while (rc == 0);
    assert_int_equal(rc, POSED_E_AGAIN);
    assert_int_equal(posed_wants_write(&pair.server), 1);
    assert_int_equal(posed_owed(&pair.server), sent);
    size_t got = 0;
    struct posed_packet packet;
    for (ssize_t n = 1; n > 0; got += n > 0 ? (size_t)n : 0) {
        assert_in_range(posed_next(&pair.server, 0, &packet), 0, 1);
        n = recv(pair.far, bytes, sizeof bytes, MSG_DONTWAIT);
    }
    assert_int_equal(got, 16 + sent * posed_write_open(bytes, 0, 1, path));
    pair_close(&pair);
    free(queue);
    free(path);
}

TEST(client_refuses_bad_arguments)
{
    struct posed server = {0};
    unsigned char memory[256];
    struct posed_options options = {.memory = memory, .memory_bytes = 255};
    assert_int_equal(posed_connect(&server, "localhost:1", &options), POSED_E_ARGUMENT);
    options.memory_bytes = 256;
    assert_int_equal(posed_connect(&server, "nowhere", &options), POSED_E_ARGUMENT);
    assert_int_equal(posed_connect(&server, ":7879", &options), POSED_E_ARGUMENT);
    assert_int_equal(posed_connect(&server, "/no/such/socket", &options), POSED_E_SYSTEM);
    assert_non_null(strstr(server.error.message, "cannot connect"));
    assert_int_equal(posed_ping(&server), POSED_E_ARGUMENT);
    posed_disconnect(&server);
}

TEST(client_escapes_names_as_all_clients_do)
{
    static const struct {
        const char *path, *escaped;
    } NAMES[] = {
#define X(path, escaped) {path, escaped},
#include "protocol/names.def"
#undef X
    };
    for (size_t i = 0; i < sizeof NAMES / sizeof *NAMES; i++) {
        char out[128] = "?";
        const size_t size = strlen(NAMES[i].escaped) + 1;
        assert_int_equal(posed_escape(out, size - 1, NAMES[i].path), size);
        assert_string_equal(out, "?");
        assert_int_equal(posed_escape(out, size, NAMES[i].path), size);
        assert_string_equal(out, NAMES[i].escaped);
    }
}
