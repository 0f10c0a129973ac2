/* Data from a server to the C client. The input is the bytes of a connection. No crash and no read outside the bytes.
 * Each packet is read as every kind, and every item of every frame is touched. Then the same bytes come through a
 * socket to a connection with little memory, which must end or go on, never hang. */
#include "clients/c/posed.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { MEMORY_BYTES = 512, SOCKET_MAX = 1 << 16, FRAMES_TOUCHED = 16 };

static volatile unsigned sum;

static void touch(const void *bytes, size_t size)
{
    const unsigned char *at = bytes;
    for (size_t i = 0; i < size; i++)
        sum += at[i];
}

static void touch_frames(const void *bytes, size_t size)
{
    struct posed_frames frames;
    if (posed_read_frames(bytes, size, &frames) < 0)
        return;
    for (uint32_t block = 0; block < frames.block_count && block < FRAMES_TOUCHED; block++) {
        const struct posed_block found = posed_frames_block(&frames, block);
        for (uint32_t frame = 0; frame < frames.frame_count && frame < FRAMES_TOUCHED; frame++)
            touch(posed_frames_items(&frames, block, frame), (size_t)found.count * found.item_bytes);
        if (frames.frame_count > 0) {
            const uint32_t last = frames.frame_count - 1;
            touch(posed_frames_items(&frames, block, last), (size_t)found.count * found.item_bytes);
            const double time_s = posed_frames_clip_time(&frames, last) + posed_frames_time(&frames, last);
            touch(&time_s, sizeof time_s);
        }
    }
    if (posed_frames_items(&frames, frames.block_count, 0) != NULL ||
        posed_frames_find(&frames, 0, POSED_BLOCK_PALETTE, UINT32_MAX) >= (int64_t)frames.block_count)
        abort();
}

static void read_as_all(const struct posed_packet *packet)
{
    struct posed_hello hello;
    struct posed_error error;
    struct posed_model model;
    struct posed_found found;
    struct posed_stream_frame stream;
    struct posed_change change;
    size_t value_bytes;
    touch(packet->data, packet->data_bytes);
    const char *value = posed_note(packet, "Content-Type", &value_bytes);
    touch(value, value_bytes);
    if (posed_read_hello(packet, &hello) == 0)
        touch(hello.server, strlen(hello.server));
    if (posed_read_error(packet, &error) == 0) {
        touch(error.message, strlen(error.message));
        touch(error.json, error.json_bytes);
    }
    if (posed_read_opened(packet, &model) == 0)
        touch(&model, sizeof model);
    if (posed_read_found(packet, &found) == 0) {
        touch(found.joints, found.joint_count * sizeof *found.joints);
        touch(found.name, found.name_bytes);
    }
    if (posed_read_stream(packet, &stream) == 0)
        touch_frames(stream.frames, stream.frames_bytes);
    if (posed_read_changed(packet, &change) == 0)
        touch(change.message, change.message_bytes);
    touch_frames(packet->data, packet->data_bytes);
}

static void parse_all(const unsigned char *bytes, size_t size)
{
    for (size_t at = 0; at < size;) {
        struct posed_packet packet;
        size_t packet_bytes;
        if (posed_parse(bytes + at, size - at, &packet, &packet_bytes) != 1)
            return;
        if (packet_bytes == 0 || packet_bytes > size - at || packet_bytes % POSED_ALIGN != 0)
            abort();
        read_as_all(&packet);
        at += packet_bytes;
    }
}

static void connect_to(const uint8_t *data, size_t size)
{
    int ends[2];
    unsigned char memory[MEMORY_BYTES];
    struct posed server = {0};
    struct posed_options options = {0};
    struct posed_model model = {0};
    struct posed_packet packet;
    if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends) < 0)
        abort();
    if (size > 0 && size <= SOCKET_MAX && write(ends[1], data, size) != (ssize_t)size)
        abort();
    (void)shutdown(ends[1], SHUT_WR);
    options.memory = memory;
    options.memory_bytes = sizeof memory;
    options.timeout_ms = -1;
    if (posed_attach(&server, ends[0], &options) == 0) {
        while (posed_ping(&server) == 0)
            touch(&server.error, sizeof server.error);
        (void)posed_info(&server, &model, &packet);
        int rc;
        while ((rc = posed_next(&server, -1, &packet)) == 1 || rc == POSED_E_TOO_LARGE)
            if (rc == 1)
                read_as_all(&packet);
        if (rc == 0)
            abort();
    }
    posed_disconnect(&server);
    (void)close(ends[1]);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    unsigned char *copy = malloc(size == 0 ? 1 : size); /* aligned, and ASan knows its end */
    if (copy == NULL)
        abort();
    if (size > 0)
        memcpy(copy, data, size);
    parse_all(copy, size);
    free(copy);
    connect_to(data, size);
    return 0;
}
