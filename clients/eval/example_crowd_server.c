/* example_crowd_server.c - a thread's share of the crowd by a server: its own connection, and a request for each
 * character. */
#include "example_crowd.h"

#include <stdlib.h>

enum { MEMORY_BYTES = 1 << 20 };

int server_start(struct player *player)
{
    struct server_share *there = &player->server;
    struct posed_options options = {0};
    there->memory = malloc(MEMORY_BYTES);
    if (there->memory == NULL)
        return fail(player, "no memory");
    options.memory = there->memory;
    options.memory_bytes = MEMORY_BYTES;
    if (posed_connect(&there->server, player->crowd->address, &options) < 0 ||
        posed_open(&there->server, player->crowd->path, &there->model) < 0)
        return fail(player, there->server.error.message);
    return 0;
}

int server_tick(struct player *player, uint32_t tick)
{
    struct server_share *there = &player->server;
    const uint32_t skin = 0;
    for (uint32_t e = player->first; e < player->end; e++) {
        const double time_s = time_of(e, tick);
        struct posed_query query;
        struct posed_frames frames;
        posed_query_init(&query);
        query.clip = clip_of(player->crowd, e);
        query.times = &time_s;
        query.time_count = 1;
        query.indices = &skin;
        query.index_count = 1;
        if (posed_palette(&there->server, &there->model, &query, &frames) < 0)
            return fail(player, there->server.error.message);
        uint64_t *hash = &player->hashes[e - player->first];
        *hash = hash_more(*hash, posed_frames_floats(&frames, 0, 0), (size_t)player->crowd->joints * MATRIX_FLOATS);
    }
    return 0;
}

void server_stop(struct player *player)
{
    posed_disconnect(&player->server.server);
    free(player->server.memory);
}
