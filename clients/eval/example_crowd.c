/* example_crowd.c - plays a crowd with the library in this process or by a server, with the same bits.
 *
 *   example_crowd hero.posed                                   in this process
 *   example_crowd hero.posed --server 127.0.0.1:7879 hero.fbx  by a server that has the model as hero.fbx
 *       --entities N   number of characters (120)    --threads N   threads that share them (1)
 *       --ticks N      frames of the game (60)       --seconds S   repeats the ticks for at least this long
 *       --shots N      rays in each tick at the characters' volumes and at their meshes (0), in this process
 *
 * Each character plays its own clip at its own time. A tick requests the palettes of all characters; in this process,
 * each thread does so for its share in one call. Prints the duration of a tick and a hash of all floats, which is the
 * same for both ways. Exit status: 0; 1 when the file cannot be opened, a request to the server fails or a later round
 * has other floats than the first; 2 for wrong arguments.
 *
 * This file has the arguments, the threads and their rounds. example_crowd_library.c and example_crowd_server.c pose
 * the characters. */
#include "example_crowd.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { THREADS_MAX = 64, RATE = 60 };

static double now_s(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* FNV-1a, but for words of 32 bits. */
uint64_t hash_more(uint64_t hash, const void *words, size_t count)
{
    const unsigned char *at = words;
    uint32_t word;
    for (size_t i = 0; i < count; i++, at += sizeof word) {
        memcpy(&word, at, sizeof word);
        hash = (hash ^ word) * UINT64_C(0x100000001b3);
    }
    return hash;
}

int fail(struct player *player, const char *message)
{
    snprintf(player->failure, sizeof player->failure, "%s", message);
    return -1;
}

/* --- what a character plays --- */

double time_of(uint32_t entity, uint32_t tick) { return 0.13 * entity + (double)tick / RATE; }
int32_t clip_of(const struct crowd *crowd, uint32_t entity)
{
    return crowd->clips == 0 ? PE_REST_POSE : (int32_t)(entity % crowd->clips);
}

/* --- one thread --- */

static int start(struct player *player)
{
    player->hashes = malloc((player->end - player->first + 1) * sizeof *player->hashes);
    if (player->hashes == NULL)
        return fail(player, "no memory");
    return player->crowd->address == NULL ? library_start(player) : server_start(player);
}

static void stop(struct player *player)
{
    if (player->crowd->address == NULL)
        library_stop(player);
    else
        server_stop(player);
    free(player->hashes);
}

static int play_round(struct player *player)
{
    const struct crowd *crowd = player->crowd;
    for (uint32_t e = player->first; e < player->end; e++)
        player->hashes[e - player->first] = UINT64_C(0xcbf29ce484222325);
    for (uint32_t tick = 0; tick < crowd->ticks; tick++)
        if ((crowd->address == NULL ? library_tick(player, tick) : server_tick(player, tick)) < 0)
            return -1;
    uint64_t hash = 0;
    for (uint32_t e = player->first; e < player->end; e++)
        hash ^= hash_more(player->hashes[e - player->first], &e, 1);
    if (player->rounds > 0 && hash != player->hash)
        return fail(player, "a later round has other floats than the first");
    player->hash = hash;
    player->rounds++;
    player->ticks += crowd->ticks;
    return 0;
}

static void *play(void *context)
{
    struct player *player = context;
    const double end_s = now_s() + player->crowd->seconds;
    while (play_round(player) == 0 && now_s() < end_s) {
    }
    return NULL;
}

/* --- all threads --- */

static int play_all(const struct crowd *crowd)
{
    struct player *players = calloc(crowd->threads, sizeof *players);
    const char *failure = NULL;
    uint64_t hash = 0, ticks = UINT64_MAX, hits = 0;
    if (players == NULL)
        return 1;
    for (uint32_t t = 0; t < crowd->threads; t++) {
        players[t].crowd = crowd;
        players[t].first = (uint32_t)((uint64_t)crowd->entities * t / crowd->threads);
        players[t].end = (uint32_t)((uint64_t)crowd->entities * (t + 1) / crowd->threads);
        if (start(&players[t]) < 0)
            failure = players[t].failure;
    }
    const double start_s = now_s();
    uint32_t running = 0;
    while (failure == NULL && running < crowd->threads &&
           pthread_create(&players[running].thread, NULL, play, &players[running]) == 0)
        running++;
    for (uint32_t t = 0; t < running; t++)
        pthread_join(players[t].thread, NULL);
    const double passed_s = now_s() - start_s;
    if (failure == NULL && running < crowd->threads)
        failure = "a thread cannot be started";
    for (uint32_t t = 0; t < crowd->threads; t++) {
        failure = players[t].failure[0] != '\0' ? players[t].failure : failure;
        hash ^= players[t].hash;
        hits += players[t].hit_count;
        ticks = players[t].ticks < ticks ? players[t].ticks : ticks;
        stop(&players[t]);
    }
    if (failure != NULL) {
        fprintf(stderr, "example_crowd: %s\n", failure);
        free(players);
        return 1;
    }
    free(players);
    printf("%" PRIu32 " entities of %" PRIu32 " joints on %" PRIu32 " threads: %" PRIu64
           " ticks, %.1f us each, %" PRIu64 " hits, hash %016" PRIx64 "\n",
           crowd->entities, crowd->joints, crowd->threads, ticks, 1e6 * passed_s / (double)ticks, hits, hash);
    return 0;
}

static int open_file(struct crowd *crowd)
{
    struct pe_error error;
    struct pe_info info;
    struct pe_skin skin;
    if (pe_model_open(crowd->file, 0, &crowd->model, &error) < 0) {
        fprintf(stderr, "example_crowd: %s\n", error.message);
        return 1;
    }
    pe_model_info(crowd->model, &info);
    if (pe_skin_at(crowd->model, 0, &skin) < 0) {
        fprintf(stderr, "example_crowd: '%s' has no skin\n", crowd->file);
        return 1;
    }
    if (crowd->shots > 0 && (pe_hitboxes_new(crowd->model, PE_CAPSULE, &crowd->hitboxes, &error) < 0 ||
                             pe_mesh_new(crowd->model, &crowd->mesh, &error) < 0)) {
        fprintf(stderr, "example_crowd: %s\n", error.message);
        return 1;
    }
    crowd->clips = info.clip_count;
    crowd->joints = skin.joint_count;
    return 0;
}

static int usage(void)
{
    fputs("usage: example_crowd FILE.posed [--server ADDRESS MODEL] [--entities N] [--ticks N] [--seconds S] "
          "[--threads N] [--shots N]\n",
          stderr);
    return 2;
}

int main(int argc, char **argv)
{
    struct crowd crowd = {.entities = 120, .ticks = 60, .threads = 1};
    for (int i = 1; i < argc; i++) {
        const int rest = argc - i - 1;
        if (strcmp(argv[i], "--server") == 0 && rest >= 2) {
            crowd.address = argv[++i];
            crowd.path = argv[++i];
        } else if (strcmp(argv[i], "--entities") == 0 && rest >= 1) {
            crowd.entities = (uint32_t)strtoul(argv[++i], NULL, 10);
        } else if (strcmp(argv[i], "--ticks") == 0 && rest >= 1) {
            crowd.ticks = (uint32_t)strtoul(argv[++i], NULL, 10);
        } else if (strcmp(argv[i], "--seconds") == 0 && rest >= 1) {
            crowd.seconds = strtod(argv[++i], NULL);
        } else if (strcmp(argv[i], "--threads") == 0 && rest >= 1) {
            crowd.threads = (uint32_t)strtoul(argv[++i], NULL, 10);
        } else if (strcmp(argv[i], "--shots") == 0 && rest >= 1) {
            crowd.shots = (uint32_t)strtoul(argv[++i], NULL, 10);
        } else if (argv[i][0] != '-' && crowd.file == NULL) {
            crowd.file = argv[i];
        } else {
            return usage();
        }
    }
    if (crowd.file == NULL || crowd.entities == 0 || crowd.ticks == 0 || crowd.threads == 0 ||
        crowd.threads > THREADS_MAX || (crowd.shots > 0 && crowd.address != NULL))
        return usage();
    const int status = open_file(&crowd) != 0 ? 1 : play_all(&crowd);
    pe_hitboxes_free(crowd.hitboxes);
    pe_mesh_free(crowd.mesh);
    pe_model_close(crowd.model);
    return status;
}
