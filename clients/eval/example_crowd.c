/* example_crowd.c - plays a crowd, by the library in this process or by a server, with the same bits.
 *
 *   example_crowd hero.posed                                   in this process
 *   example_crowd hero.posed --server 127.0.0.1:7879 hero.fbx  by a server that has the model as hero.fbx
 *       --entities N   how many characters (120)     --threads N   which share them (1)
 *       --ticks N      frames of the game (60)       --seconds S   at least so long, again and again
 *
 * Each character plays a clip of its own at a time of its own; a tick asks for the palettes of all. Prints how long a
 * tick takes and a hash of all floats, which is the same for both ways. Exit status: 0, 1 when the file cannot be
 * opened, the server cannot be asked or a later round has other floats than the first, 2 for wrong arguments. */
#include "posed.h"
#include "posed_eval.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { MATRIX_FLOATS = 16, THREADS_MAX = 64, MEMORY_BYTES = 1 << 20, RATE = 60 };

struct crowd {
    const char *file, *address, *path; /* address NULL: in this process */
    uint32_t entities, ticks, threads;
    double seconds;
    struct pe_model *model; /* all threads share it */
    uint32_t clips, joints; /* joints of skin 0 */
};

/* One thread and its share of the crowd. */
struct player {
    const struct crowd *crowd;
    pthread_t thread;
    uint32_t first, end; /* its entities */
    float *palette;
    struct pe_evaluator *evaluator; /* in this process */
    struct posed server;            /* or by a server */
    struct posed_model remote;
    unsigned char *memory;
    uint64_t *hashes; /* [end - first], of the round */
    uint64_t rounds, hash, ticks;
    char failure[PE_MESSAGE_MAX];
};

static double now_s(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* FNV-1a, but for words of 32 bits. */
static uint64_t hash_more(uint64_t hash, const void *words, size_t count)
{
    const unsigned char *at = words;
    uint32_t word;
    for (size_t i = 0; i < count; i++, at += sizeof word) {
        memcpy(&word, at, sizeof word);
        hash = (hash ^ word) * UINT64_C(0x100000001b3);
    }
    return hash;
}

static int fail(struct player *player, const char *message)
{
    snprintf(player->failure, sizeof player->failure, "%s", message);
    return -1;
}

/* --- what a character does --- */

static double time_of(uint32_t entity, uint32_t tick) { return 0.13 * entity + (double)tick / RATE; }
static int32_t clip_of(const struct crowd *crowd, uint32_t entity)
{
    return crowd->clips == 0 ? PE_REST_POSE : (int32_t)(entity % crowd->clips);
}

/* --- the two ways --- */

static int start(struct player *player)
{
    const struct crowd *crowd = player->crowd;
    struct pe_error error;
    struct posed_options options = {0};
    player->palette = malloc((size_t)crowd->joints * MATRIX_FLOATS * sizeof(float));
    player->hashes = malloc((player->end - player->first + 1) * sizeof *player->hashes);
    player->memory = malloc(MEMORY_BYTES);
    if (player->palette == NULL || player->hashes == NULL || player->memory == NULL)
        return fail(player, "no memory");
    if (crowd->address == NULL) {
        if (pe_evaluator_new(&player->evaluator, &error) < 0 ||
            pe_evaluator_reserve(player->evaluator, crowd->model, 1, &error) < 0)
            return fail(player, error.message);
        return 0; /* nothing is allocated from here on */
    }
    options.memory = player->memory;
    options.memory_bytes = MEMORY_BYTES;
    if (posed_connect(&player->server, crowd->address, &options) < 0 ||
        posed_open(&player->server, crowd->path, &player->remote) < 0)
        return fail(player, player->server.error.message);
    return 0;
}

static void stop(struct player *player)
{
    pe_evaluator_free(player->evaluator);
    if (player->crowd->address != NULL)
        posed_disconnect(&player->server);
    free(player->palette);
    free(player->hashes);
    free(player->memory);
}

/* The palette of skin 0 of one character, until the next call. */
static const float *play_here(struct player *player, int32_t clip, double time_s)
{
    struct pe_error error;
    const struct pe_entity entity = {.model = player->crowd->model, .clip = clip, .time_s = time_s};
    if (pe_evaluate(player->evaluator, &entity, &error) == 0 &&
        pe_palette(player->evaluator, 0, PE_MAT4, player->palette, (size_t)player->crowd->joints * MATRIX_FLOATS,
                   &error) == 0)
        return player->palette;
    fail(player, error.message);
    return NULL;
}

static const float *play_there(struct player *player, int32_t clip, double time_s)
{
    const uint32_t skin = 0;
    struct posed_query query;
    struct posed_frames frames;
    posed_query_init(&query);
    query.clip = clip;
    query.times = &time_s;
    query.time_count = 1;
    query.indices = &skin;
    query.index_count = 1;
    if (posed_palette(&player->server, &player->remote, &query, &frames) == 0)
        return posed_frames_floats(&frames, 0, 0);
    fail(player, player->server.error.message);
    return NULL;
}

/* --- rounds of ticks --- */

static int play_round(struct player *player)
{
    const struct crowd *crowd = player->crowd;
    for (uint32_t e = player->first; e < player->end; e++)
        player->hashes[e - player->first] = UINT64_C(0xcbf29ce484222325);
    for (uint32_t tick = 0; tick < crowd->ticks; tick++)
        for (uint32_t e = player->first; e < player->end; e++) {
            const int32_t clip = clip_of(crowd, e);
            const double time_s = time_of(e, tick);
            const float *palette =
                crowd->address == NULL ? play_here(player, clip, time_s) : play_there(player, clip, time_s);
            if (palette == NULL)
                return -1;
            uint64_t *hash = &player->hashes[e - player->first];
            *hash = hash_more(*hash, palette, (size_t)crowd->joints * MATRIX_FLOATS);
        }
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

static int play_all(const struct crowd *crowd)
{
    struct player *players = calloc(crowd->threads, sizeof *players);
    const char *failure = NULL;
    uint64_t hash = 0, ticks = UINT64_MAX;
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
           " ticks, %.1f us each, hash %016" PRIx64 "\n",
           crowd->entities, crowd->joints, crowd->threads, ticks, 1e6 * passed_s / (double)ticks, hash);
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
    crowd->clips = info.clip_count;
    crowd->joints = skin.joint_count;
    return 0;
}

static int usage(void)
{
    fputs("usage: example_crowd FILE.posed [--server ADDRESS MODEL] [--entities N] [--ticks N] [--seconds S] "
          "[--threads N]\n",
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
        } else if (argv[i][0] != '-' && crowd.file == NULL) {
            crowd.file = argv[i];
        } else {
            return usage();
        }
    }
    if (crowd.file == NULL || crowd.entities == 0 || crowd.ticks == 0 || crowd.threads == 0 ||
        crowd.threads > THREADS_MAX)
        return usage();
    const int status = open_file(&crowd) != 0 ? 1 : play_all(&crowd);
    pe_model_close(crowd.model);
    return status;
}
