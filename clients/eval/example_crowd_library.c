/* example_crowd_library.c - a thread's share of the crowd in this process: one call evaluates it, and shots are cast at
 * the same characters. */
#include "example_crowd.h"

#include <stdlib.h>

static int start_shots(struct player *player, struct pe_error *error)
{
    const struct crowd *crowd = player->crowd;
    struct library_share *library = &player->library;
    const uint32_t count = player->end - player->first;
    if (pe_scene_new(&library->scene, error) < 0 ||
        pe_scene_reserve(library->scene, crowd->hitboxes, count, 1, error) < 0 ||
        pe_caster_new(&library->caster, error) < 0)
        return -1;
    return pe_caster_reserve(library->caster, crowd->mesh, 1, crowd->shots, crowd->shots, error);
}

int library_start(struct player *player)
{
    const struct crowd *crowd = player->crowd;
    struct library_share *library = &player->library;
    const uint32_t count = player->end - player->first;
    const size_t floats = (size_t)crowd->joints * MATRIX_FLOATS;
    struct pe_error error;
    library->entities = calloc(count + 1, sizeof *library->entities);
    library->members = calloc(count + 1, sizeof *library->members);
    library->targets = calloc(count + 1, sizeof *library->targets);
    library->palettes = malloc((count + 1) * floats * sizeof *library->palettes);
    library->rays = calloc(crowd->shots + 1, sizeof *library->rays);
    library->hits = calloc(2 * (size_t)crowd->shots + 1, sizeof *library->hits);
    if (library->entities == NULL || library->members == NULL || library->targets == NULL ||
        library->palettes == NULL || library->rays == NULL || library->hits == NULL)
        return fail(player, "no memory");
    for (uint32_t i = 0; i < count; i++) {
        library->members[i].entity = &library->entities[i];
        library->members[i].out = library->palettes + i * floats;
        library->members[i].capacity = floats;
        library->targets[i].mesh = crowd->mesh;
        library->targets[i].begin = &library->entities[i];
    }
    if (pe_crowd_new(&library->crowd, &error) < 0 ||
        pe_crowd_reserve(library->crowd, crowd->model, count, 1, 0, &error) < 0 ||
        (crowd->shots > 0 && start_shots(player, &error) < 0))
        return fail(player, error.message);
    return 0; /* nothing is allocated from here on */
}

/* Aims shots from all sides, the same in each round. */
static void aim(const struct player *player, uint32_t tick)
{
    for (uint32_t r = 0; r < player->crowd->shots; r++) {
        struct pe_ray *ray = &player->library.rays[r];
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
    const struct library_share *library = &player->library;
    const uint32_t shots = player->crowd->shots, count = player->end - player->first;
    struct pe_error error;
    uint32_t at_volumes = 0, at_meshes = 0;
    aim(player, tick);
    pe_scene_clear(library->scene);
    for (uint32_t i = 0; i < count; i++)
        if (pe_scene_add(library->scene, player->crowd->hitboxes, &library->entities[i], NULL, 0, &error) < 0)
            return fail(player, error.message);
    if (pe_raycast(library->scene, library->rays, shots, PE_NEAREST, library->hits, shots, &at_volumes, &error) < 0 ||
        pe_raycast_meshes(library->caster, library->targets, count, library->rays, shots, PE_NEAREST,
                          library->hits + at_volumes, shots, &at_meshes, &error) < 0)
        return fail(player, error.message);
    for (uint32_t h = 0; h < at_volumes + at_meshes; h++)
        player->hashes[0] = hash_more(player->hashes[0], &library->hits[h].distance, 1);
    player->hit_count += at_volumes + at_meshes;
    return 0;
}

int library_tick(struct player *player, uint32_t tick)
{
    const struct crowd *crowd = player->crowd;
    const struct library_share *library = &player->library;
    const uint32_t count = player->end - player->first;
    struct pe_error error;
    for (uint32_t i = 0; i < count; i++) {
        library->entities[i].model = crowd->model;
        library->entities[i].clip = clip_of(crowd, player->first + i);
        library->entities[i].time_s = time_of(player->first + i, tick);
    }
    if (pe_crowd_evaluate(library->crowd, library->members, count, &error) != 0)
        return fail(player, error.message);
    for (uint32_t i = 0; i < count; i++)
        player->hashes[i] =
            hash_more(player->hashes[i], library->members[i].out, (size_t)crowd->joints * MATRIX_FLOATS);
    return crowd->shots > 0 && count > 0 ? shoot(player, tick) : 0;
}

void library_stop(struct player *player)
{
    struct library_share *library = &player->library;
    pe_crowd_free(library->crowd);
    pe_scene_free(library->scene);
    pe_caster_free(library->caster);
    free(library->entities);
    free(library->members);
    free(library->targets);
    free(library->palettes);
    free(library->rays);
    free(library->hits);
}
