/* example_crowd.c - plays a crowd, by the library in this process or by a server, with the same bits.
 *
 *   example_crowd hero.posed                                   in this process
 *   example_crowd hero.posed --server 127.0.0.1:7879 hero.fbx  by a server that has the model as hero.fbx
 *       --entities N   how many characters (120)     --threads N   which share them (1)
 *       --ticks N      frames of the game (60)       --seconds S   at least so long, again and again
 *       --shots N      rays in each tick at the characters' volumes and at their meshes (0), in this process
 *
 * Each character plays a clip of its own at a time of its own; a tick asks for the palettes of all, in this process in
 * one call for the share of a thread. Prints how long a
 * tick takes and a hash of all floats, which is the same for both ways. Exit status: 0, 1 when the file cannot be
 * opened, the server cannot be asked or a later round has other floats than the first, 2 for wrong arguments. */
#include "posed.h"
#include "posed_eval_hits.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { MATRIX_FLOATS = 16, THREADS_MAX = 64, MEMORY_BYTES = 1 << 20, RATE = 60 };

struct crowd {
    const char *file, *address, *path; /* address NULL: in this process */
    uint32_t entities, ticks, threads, shots;
    double seconds;
    struct pe_model *model; /* all threads share these three */
    struct pe_hitboxes *hitboxes;
    struct pe_mesh *mesh;
    uint32_t clips, joints; /* joints of skin 0 */
};

/* One thread and its share of the crowd. */
struct player {
    const struct crowd *crowd;
    pthread_t thread;
    uint32_t first, end;             /* its entities */
    struct pe_crowd *crowd_of_share; /* in this process */
    struct pe_scene *scene;
    struct pe_caster *caster;
    struct pe_entity *entities; /* [end - first], as are the next two */
    struct pe_member *members;
    struct pe_target *targets;
    float *palettes; /* of all of them */
    struct pe_ray *rays;
    struct pe_hit *hits; /* [2 * shots], as are the rays half as many */
    struct posed server; /* or by a server */
    struct posed_model remote;
    unsigned char *memory;
    uint64_t *hashes; /* [end - first], of the round */
    uint64_t rounds, hash, ticks, hit_count;
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

/* --- in this process --- */

static int start_shots(struct player *player, struct pe_error *error)
{
    const struct crowd *crowd = player->crowd;
    const uint32_t count = player->end - player->first;
    if (pe_scene_new(&player->scene, error) < 0 ||
        pe_scene_reserve(player->scene, crowd->hitboxes, count, 1, error) < 0 ||
        pe_caster_new(&player->caster, error) < 0)
        return -1;
    return pe_caster_reserve(player->caster, crowd->mesh, 1, crowd->shots, crowd->shots, error);
}

static int start_here(struct player *player)
{
    const struct crowd *crowd = player->crowd;
    const uint32_t count = player->end - player->first;
    const size_t floats = (size_t)crowd->joints * MATRIX_FLOATS;
    struct pe_error error;
    player->entities = calloc(count + 1, sizeof *player->entities);
    player->members = calloc(count + 1, sizeof *player->members);
    player->targets = calloc(count + 1, sizeof *player->targets);
    player->palettes = malloc((count + 1) * floats * sizeof *player->palettes);
    player->rays = calloc(crowd->shots + 1, sizeof *player->rays);
    player->hits = calloc(2 * (size_t)crowd->shots + 1, sizeof *player->hits);
    if (player->entities == NULL || player->members == NULL || player->targets == NULL || player->palettes == NULL ||
        player->rays == NULL || player->hits == NULL)
        return fail(player, "no memory");
    for (uint32_t i = 0; i < count; i++) {
        player->members[i].entity = &player->entities[i];
        player->members[i].out = player->palettes + i * floats;
        player->members[i].room = floats;
        player->targets[i].mesh = crowd->mesh;
        player->targets[i].begin = &player->entities[i];
    }
    if (pe_crowd_new(&player->crowd_of_share, &error) < 0 ||
        pe_crowd_reserve(player->crowd_of_share, crowd->model, count, 1, 0, &error) < 0 ||
        (crowd->shots > 0 && start_shots(player, &error) < 0))
        return fail(player, error.message);
    return 0; /* nothing is allocated from here on */
}

/* Shots from all sides, which are the same in each round. */
static void aim(const struct player *player, uint32_t tick)
{
    for (uint32_t r = 0; r < player->crowd->shots; r++) {
        struct pe_ray *ray = &player->rays[r];
        ray->origin[0] = 3.0 * (r % 7) - 9;
        ray->origin[1] = 0.25 * (r % 11);
        ray->origin[2] = 40;
        ray->direction[0] = 0.02 * ((r + tick) % 13) - 0.1;
        ray->direction[2] = -1;
        ray->radius = r % 4 == 0 ? 0.1 : 0;
    }
}

/* All hits of a tick go into the hash of the thread's first character. */
static int shoot(struct player *player, uint32_t tick)
{
    const uint32_t shots = player->crowd->shots, count = player->end - player->first;
    struct pe_error error;
    uint32_t at_volumes = 0, at_meshes = 0;
    aim(player, tick);
    pe_scene_clear(player->scene);
    for (uint32_t i = 0; i < count; i++)
        if (pe_scene_add(player->scene, player->crowd->hitboxes, &player->entities[i], NULL, 0, &error) < 0)
            return fail(player, error.message);
    if (pe_raycast(player->scene, player->rays, shots, PE_NEAREST, player->hits, shots, &at_volumes, &error) < 0 ||
        pe_raycast_meshes(player->caster, player->targets, count, player->rays, shots, PE_NEAREST,
                          player->hits + at_volumes, shots, &at_meshes, &error) < 0)
        return fail(player, error.message);
    for (uint32_t h = 0; h < at_volumes + at_meshes; h++)
        player->hashes[0] = hash_more(player->hashes[0], &player->hits[h].distance, 1);
    player->hit_count += at_volumes + at_meshes;
    return 0;
}

static int tick_here(struct player *player, uint32_t tick)
{
    const struct crowd *crowd = player->crowd;
    const uint32_t count = player->end - player->first;
    struct pe_error error;
    for (uint32_t i = 0; i < count; i++) {
        player->entities[i].model = crowd->model;
        player->entities[i].clip = clip_of(crowd, player->first + i);
        player->entities[i].time_s = time_of(player->first + i, tick);
    }
    if (pe_crowd_evaluate(player->crowd_of_share, player->members, count, &error) != 0)
        return fail(player, error.message);
    for (uint32_t i = 0; i < count; i++)
        player->hashes[i] = hash_more(player->hashes[i], player->members[i].out, (size_t)crowd->joints * MATRIX_FLOATS);
    return crowd->shots > 0 && count > 0 ? shoot(player, tick) : 0;
}

/* --- by a server --- */

static int start_there(struct player *player)
{
    struct posed_options options = {0};
    player->memory = malloc(MEMORY_BYTES);
    if (player->memory == NULL)
        return fail(player, "no memory");
    options.memory = player->memory;
    options.memory_bytes = MEMORY_BYTES;
    if (posed_connect(&player->server, player->crowd->address, &options) < 0 ||
        posed_open(&player->server, player->crowd->path, &player->remote) < 0)
        return fail(player, player->server.error.message);
    return 0;
}

static int tick_there(struct player *player, uint32_t tick)
{
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
        if (posed_palette(&player->server, &player->remote, &query, &frames) < 0)
            return fail(player, player->server.error.message);
        uint64_t *hash = &player->hashes[e - player->first];
        *hash = hash_more(*hash, posed_frames_floats(&frames, 0, 0), (size_t)player->crowd->joints * MATRIX_FLOATS);
    }
    return 0;
}

/* --- both --- */

static int start(struct player *player)
{
    player->hashes = malloc((player->end - player->first + 1) * sizeof *player->hashes);
    if (player->hashes == NULL)
        return fail(player, "no memory");
    return player->crowd->address == NULL ? start_here(player) : start_there(player);
}

static void stop(struct player *player)
{
    pe_crowd_free(player->crowd_of_share);
    pe_scene_free(player->scene);
    pe_caster_free(player->caster);
    if (player->crowd->address != NULL)
        posed_disconnect(&player->server);
    free(player->entities);
    free(player->members);
    free(player->targets);
    free(player->palettes);
    free(player->rays);
    free(player->hits);
    free(player->hashes);
    free(player->memory);
}

/* --- rounds of ticks --- */

static int play_round(struct player *player)
{
    const struct crowd *crowd = player->crowd;
    for (uint32_t e = player->first; e < player->end; e++)
        player->hashes[e - player->first] = UINT64_C(0xcbf29ce484222325);
    for (uint32_t tick = 0; tick < crowd->ticks; tick++)
        if ((crowd->address == NULL ? tick_here(player, tick) : tick_there(player, tick)) < 0)
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
