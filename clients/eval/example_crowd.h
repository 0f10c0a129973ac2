/* example_crowd.h - shared by the parts of the example: the crowd, and how a thread plays its characters, in this
 * process (example_crowd_library.c) or by a server (example_crowd_server.c). */
#pragma once

#include "posed.h"
#include "posed_eval_hits.h"

#include <pthread.h>
#include <stddef.h>
#include <stdint.h>

enum { MATRIX_FLOATS = 16 };

struct crowd {
    const char *file, *address, *path; /* address NULL: play in this process */
    uint32_t entities, ticks, threads, shots;
    double seconds;
    struct pe_model *model; /* all threads share these three */
    struct pe_hitboxes *hitboxes;
    struct pe_mesh *mesh;
    uint32_t clips, joints; /* number of joints of skin 0 */
};

/* The state of a thread that plays in this process. */
struct library_share {
    struct pe_crowd *crowd;
    struct pe_scene *scene;
    struct pe_caster *caster;
    struct pe_entity *entities; /* one for each character; also the next two */
    struct pe_member *members;
    struct pe_target *targets;
    float *palettes; /* of all characters */
    struct pe_ray *rays;
    struct pe_hit *hits; /* [2 * shots]; half as many rays */
};

/* The state of a thread that plays by a server. */
struct server_share {
    struct posed server;
    struct posed_model model;
    unsigned char *memory;
};

/* One thread and its share of the crowd. */
struct player {
    const struct crowd *crowd;
    pthread_t thread;
    uint32_t first, end; /* its characters */
    struct library_share library;
    struct server_share server;
    uint64_t *hashes; /* [end - first]: hash of all floats of a character in this round */
    uint64_t rounds, hash, ticks, hit_count;
    char failure[PE_MESSAGE_MAX];
};

/* The clip and the time that a character plays. */
double time_of(uint32_t entity, uint32_t tick);
int32_t clip_of(const struct crowd *crowd, uint32_t entity);

/* Extends a hash by `count` words of 32 bits. */
uint64_t hash_more(uint64_t hash, const void *words, size_t count);
/* Stores the message; returns -1. */
int fail(struct player *player, const char *message);

/* Return 0 or fail(). A tick requests the palettes of the share, and hashes them. */
int library_start(struct player *player);
int library_tick(struct player *player, uint32_t tick);
void library_stop(struct player *player);

int server_start(struct player *player);
int server_tick(struct player *player, uint32_t tick);
void server_stop(struct player *player);
