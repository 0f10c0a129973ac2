/* The C client in a C++ program that waits only in its own poll(): poll_loop ADDRESS MODEL COUNT requests COUNT
 * palettes, at 0, 0.01, 0.02, .. seconds, as far ahead as the queue has room, and writes the answers to stdout. */
#include "clients/c/posed.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <poll.h>
#include <vector>

struct Loop {
    posed server;
    posed_model model;
    uint32_t wanted, sent, got, turns;
    bool is_open;
};

static int fail(const Loop &loop, const char *what)
{
    std::fprintf(stderr, "%s: %s\n", what, loop.server.error.message);
    return 1;
}

/* Sends as many requests as the queue accepts. */
static int send_ahead(Loop &loop)
{
    while (loop.is_open && loop.sent < loop.wanted) {
        unsigned char bytes[256];
        posed_query query;
        const double time_s = loop.sent / 100.0;
        posed_query_init(&query);
        query.times = &time_s;
        query.time_count = 1;
        const uint32_t id = posed_new_id(&loop.server);
        const size_t size = posed_write_query(bytes, sizeof bytes, POSED_PALETTE, id, &loop.model, &query);
        const int rc = posed_send(&loop.server, bytes, size);
        if (rc == POSED_E_AGAIN)
            return 0;
        if (rc < 0)
            return rc;
        loop.sent++;
    }
    return 0;
}

/* Takes the packets that have arrived. The hello and the opened model come first. */
static int take(Loop &loop)
{
    posed_packet packet;
    int rc;
    while ((rc = posed_next(&loop.server, 0, &packet)) == 1) {
        if (packet.kind == POSED_ERROR)
            return posed_read_error(&packet, &loop.server.error), -1;
        if (packet.kind == POSED_OPENED) {
            if (posed_read_opened(&packet, &loop.model) < 0)
                return -1;
            loop.is_open = true;
        }
        if (packet.kind != POSED_FRAMES)
            continue;
        posed_frames frames;
        if (posed_read_frames(packet.data, packet.data_bytes, &frames) < 0)
            return -1;
        std::fwrite(packet.data, 1, packet.data_bytes, stdout);
        loop.got++;
    }
    return rc;
}

int main(int argc, char **argv)
{
    if (argc != 4)
        return 2;
    std::vector<unsigned char> memory(1 << 18);
    Loop loop = Loop();
    posed_options options = posed_options();
    unsigned char bytes[256];
    options.memory = memory.data();
    options.memory_bytes = memory.size();
    options.is_nonblocking = 1;
    loop.wanted = static_cast<uint32_t>(std::strtoul(argv[3], nullptr, 10));
    if (posed_connect(&loop.server, argv[1], &options) < 0)
        return fail(loop, "connect");
    if (posed_send(&loop.server, bytes, posed_write_open(bytes, sizeof bytes, posed_new_id(&loop.server), argv[2])) < 0)
        return fail(loop, "open");
    while (loop.got < loop.wanted) {
        if (take(loop) < 0 || send_ahead(loop) < 0)
            return fail(loop, "loop");
        pollfd socket = {loop.server.fd, POLLIN, 0};
        if (posed_wants_write(&loop.server))
            socket.events |= POLLOUT;
        if (loop.got < loop.wanted && poll(&socket, 1, 30000) <= 0)
            return fail(loop, "poll");
        loop.turns++;
    }
    posed_disconnect(&loop.server);
    return loop.turns > 1 ? 0 : 3; /* it returned to its loop meanwhile */
}
