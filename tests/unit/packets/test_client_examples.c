/* The files of protocol/examples and the C client: it reads every packet of the server, and writes every packet of the
 * client with the same bytes. */
#include "clients/c/posed.h"
#include "tests/unit/support/check.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PACKET_MAX = 1 << 16, LIST_MAX = 64, BYTES_OF_QUERY = 64, BYTES_WITH_MORE = 96 };

static struct {
    unsigned written, read, kinds_written;
} seen;

static uint32_t u32(const unsigned char *at)
{
    return at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 | (uint32_t)at[3] << 24;
}
static uint16_t u16(const unsigned char *at) { return (uint16_t)(at[0] | at[1] << 8); }
static double f64(const unsigned char *at)
{
    double value;
    memcpy(&value, at, sizeof value);
    return value;
}

struct lists {
    double times[LIST_MAX];
    uint32_t indices[LIST_MAX];
    char text[1024], body[1024];
};

static struct posed_query query_of(const unsigned char *at, size_t fields, struct lists *lists)
{
    struct posed_query query = {.clip = (int32_t)u32(at),
                                .wrap = at[4],
                                .layout = at[5],
                                .space = at[6],
                                .what = at[7],
                                .flags = u32(at + 8),
                                .times = lists->times,
                                .time_count = u32(at + 12),
                                .indices = lists->indices,
                                .index_count = u32(at + 16),
                                .mesh = (int32_t)u32(at + 20),
                                .root = (int32_t)u32(at + 24),
                                .from_s = f64(at + 32),
                                .to_s = f64(at + 40),
                                .speed = f64(at + 48),
                                .phase = f64(at + 56)};
    assert_in_range(query.time_count, 0, LIST_MAX);
    assert_in_range(query.index_count, 0, LIST_MAX);
    memcpy(lists->times, at + fields, query.time_count * 8);
    memcpy(lists->indices, at + fields + query.time_count * 8, query.index_count * 4);
    return query;
}

static size_t write_again(int kind, const unsigned char *at, size_t size, uint32_t id, const struct posed_model *model,
                          unsigned char *out, struct lists *lists)
{
    struct posed_query query;
    memset(lists, 0, sizeof *lists);
    switch (kind) {
    case POSED_CLOSE:
    case POSED_INFO:
    case POSED_PING:
        return posed_write_plain(out, PACKET_MAX, kind, id, model);
    case POSED_OPEN:
        memcpy(lists->text, at, size);
        return posed_write_open(out, PACKET_MAX, id, lists->text);
    case POSED_FIND:
        memcpy(lists->text, at + 16, size - 16);
        return posed_write_find(out, PACKET_MAX, id, model, u16(at), u16(at + 2) == 0 ? lists->text : NULL,
                                u32(at + 4));
    case POSED_PALETTE:
    case POSED_POSE:
    case POSED_MESH:
        query = query_of(at, BYTES_OF_QUERY, lists);
        return posed_write_query(out, PACKET_MAX, kind, id, model, &query);
    case POSED_RENDER: {
        struct posed_picture picture = {
            u32(at + 64), u32(at + 68), {at[72], at[73], at[74], at[75]}, f64(at + 80), f64(at + 88)};
        query = query_of(at, BYTES_WITH_MORE, lists);
        return posed_write_render(out, PACKET_MAX, id, model, &query, &picture);
    }
    case POSED_SUBSCRIBE: {
        struct posed_subscription subscription = {u16(at + 64), u16(at + 66), u32(at + 68),
                                                  f64(at + 72), f64(at + 80), f64(at + 88), NULL};
        query = query_of(at, BYTES_WITH_MORE, lists);
        return posed_write_subscribe(out, PACKET_MAX, id, model, &query, &subscription);
    }
    case POSED_CALL:
        memcpy(lists->text, at + 16, u32(at + 4));
        memcpy(lists->body, at + 16 + u32(at + 4), u32(at + 8));
        return posed_write_call(out, PACKET_MAX, id, model, lists->text, u16(at) == 0 ? NULL : lists->body,
                                u32(at + 8));
    case POSED_CONTROL: {
        struct posed_steering steering = {u32(at + 4), f64(at + 8), f64(at + 16), f64(at + 24)};
        return posed_write_control(out, PACKET_MAX, id, u32(at), &steering);
    }
    case POSED_CREDIT:
        return posed_write_credit(out, PACKET_MAX, u32(at), u32(at + 4));
    case POSED_UNSUBSCRIBE:
        return posed_write_unsubscribe(out, PACKET_MAX, id, u32(at));
    case POSED_WATCH:
        return posed_write_watch(out, PACKET_MAX, id, model, (int)u32(at));
    default:
        fail_msg("an example has the unknown kind %d", kind);
        return 0;
    }
}

static void check_client(const char *name, const unsigned char *bytes, size_t size)
{
    unsigned char *out = calloc(1, PACKET_MAX);
    struct lists lists;
    if (bytes[0] == 0x89) {
        memset(&lists, 0, sizeof lists);
        memcpy(lists.text, bytes + 16, u32(bytes + 12));
        assert_int_equal(posed_write_hello(out, PACKET_MAX, lists.text), size);
    } else {
        const struct posed_model model = {.handle = u32(bytes + 12), .wanted = u32(bytes + 16)};
        const int kind = u16(bytes + 4);
        const bool is_credit = kind == POSED_CREDIT; /* has no answer, and so an id of no meaning, here 0 */
        const uint32_t id = u32(bytes + 8);
        if (kind > POSED_PING) { /* an example of what nobody should send */
            free(out);
            return;
        }
        assert_int_equal(write_again(kind, bytes + POSED_HEADER_BYTES, u32(bytes), id, &model, out, &lists), size);
        if (is_credit)
            memcpy(out + 8, bytes + 8, 4);
        seen.kinds_written |= 1u << kind;
    }
    for (size_t i = 0; i < size; i++)
        if (out[i] != bytes[i])
            fail_msg("%s: byte %zu of a packet is %02x, written %02x", name, i, bytes[i], out[i]);
    seen.written++;
    free(out);
}

static void check_server(const unsigned char *bytes, size_t size)
{
    struct posed_packet packet;
    size_t packet_bytes;
    assert_int_equal(posed_parse(bytes, size, &packet, &packet_bytes), 1);
    assert_int_equal(packet_bytes, size);
    struct posed_hello hello;
    struct posed_error error;
    struct posed_model model;
    struct posed_found found;
    struct posed_frames frames;
    struct posed_stream_frame stream;
    struct posed_change change;
    int rc = 0;
    switch (packet.kind) {
    case POSED_HELLO:
        rc = posed_read_hello(&packet, &hello);
        break;
    case POSED_ERROR:
        rc = posed_read_error(&packet, &error);
        break;
    case POSED_OPENED:
        rc = posed_read_opened(&packet, &model);
        break;
    case POSED_FOUND:
        rc = posed_read_found(&packet, &found);
        break;
    case POSED_FRAMES:
        rc = posed_read_frames(packet.data, packet.data_bytes, &frames);
        break;
    case POSED_STREAM:
        rc = posed_read_stream(&packet, &stream);
        if (rc == 0)
            rc = posed_read_frames(stream.frames, stream.frames_bytes, &frames);
        break;
    case POSED_CHANGED:
        rc = posed_read_changed(&packet, &change);
        break;
    default:
        break;
    }
    assert_int_equal(rc, 0);
    seen.read++;
}

struct step {
    bool is_client, has_rest; /* the rest of the packet is not said */
    size_t size;
    unsigned char *bytes;
};

static void check_step(const char *name, const struct step *step)
{
    if (step->size == 0)
        return;
    unsigned char *exact = malloc(step->size); /* aligned, and ASan sees its end */
    assert_non_null(exact);
    memcpy(exact, step->bytes, step->size);
    if (step->is_client)
        check_client(name, exact, step->size);
    else if (!step->has_rest)
        check_server(exact, step->size);
    free(exact);
}

/* "0010  01 ?? 00", "0020  *" */
static void take_line(struct step *step, const char *line)
{
    for (const char *at = line + 6; at[0] != ' ' && at[0] != '\0' && at[0] != '\n'; at += 3) {
        if (at[0] == '*')
            step->has_rest = true;
        if (at[0] == '*')
            return;
        assert_in_range(step->size, 0, PACKET_MAX - 1);
        step->bytes[step->size++] = at[0] == '?' ? 0 : (unsigned char)strtoul(at, NULL, 16);
        if (at[2] != ' ')
            return;
    }
}

static void check_file(const char *path)
{
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    static char line[PACKET_MAX];
    struct step step = {.bytes = malloc(PACKET_MAX)};
    assert_non_null(step.bytes);
    while (fgets(line, sizeof line, file) != NULL) {
        if (line[0] == '>' || line[0] == '<') {
            check_step(path, &step);
            step.size = 0;
            step.has_rest = false;
            step.is_client = line[0] == '>';
        } else if (strncmp(line, "after", 5) != 0 && strlen(line) > 6)
            take_line(&step, line);
    }
    check_step(path, &step);
    free(step.bytes);
    fclose(file);
}

TEST(client_reads_and_writes_the_examples)
{
    DIR *folder = opendir("protocol/examples");
    if (folder == NULL)
        fail_msg("cannot open protocol/examples: run the tests in the project's root");
    const struct dirent *entry;
    while ((entry = readdir(folder)) != NULL) {
        char path[512];
        if (strstr(entry->d_name, ".txt") == NULL || strcmp(entry->d_name, "malformed.txt") == 0)
            continue;
        snprintf(path, sizeof path, "protocol/examples/%s", entry->d_name);
        check_file(path);
    }
    closedir(folder);
    assert_true(seen.written >= 15);
    assert_true(seen.read >= 10);
    for (int kind = POSED_OPEN; kind <= POSED_PING; kind++)
        if (kind != POSED_CLOSE && (seen.kinds_written & 1u << kind) == 0)
            print_message("no example of kind %d\n", kind);
}
