/* no_allocation_hits.c - rays and balls at many entities, again and again in the same memory. */
#include "tests/eval/no_allocation.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SCENE_ENTITIES = 64, RAYS = 100, HITS_MAX = 1 << 16 };

/* Fills scenes with all the entities that they have room for, including moving ones, and casts rays and balls at them,
 * again and again. */
static void cast(const struct walk *walk, struct pe_scene *scene, const struct pe_hitboxes *hitboxes)
{
    static struct pe_hit hits[HITS_MAX];
    struct pe_error error;
    struct pe_ray rays[RAYS];
    struct pe_entity entities[2];
    for (int round = 0; round < 3; round++) {
        uint32_t count = 0;
        for (uint32_t e = 0; e < SCENE_ENTITIES; e++) {
            const double world[16] = {1, 0, 0, 0, 0, 2, 0, 0, 0, 0, 1, 0, 5.0 * (e % 7), 0, 3.0 * e, 1};
            for (int pose = 0; pose < 2; pose++) {
                entities[pose] =
                    (struct pe_entity){.model = walk->model,
                                       .clip = (int32_t)(e % (walk->info.clip_count + !walk->info.clip_count)),
                                       .time_s = 0.1 * e + 0.03 * pose,
                                       .world_from_scene = world};
            }
            if (pe_scene_add(scene, hitboxes, &entities[0], e % 2 == 0 ? &entities[1] : NULL, 0, &error) < 0) {
                fprintf(stderr, "%s\n", error.message);
                exit(1);
            }
        }
        for (uint32_t r = 0; r < RAYS; r++) {
            rays[r] = (struct pe_ray){.direction = {0, 0, -1}};
            rays[r].origin[0] = 0.3 * r - 1;
            rays[r].origin[1] = 0.2 * (r % 20);
            rays[r].origin[2] = 500;
            rays[r].at = 0.01 * r;
            rays[r].radius = r % 3 == 0 ? 0.2 : 0;
        }
        for (int which = PE_NEAREST; which <= PE_ALL; which++)
            if (pe_raycast(scene, rays, RAYS, which, hits, HITS_MAX, &count, &error) < 0 || count == 0) {
                fprintf(stderr, "no ray hits anybody\n");
                exit(1);
            }
        if (pe_scene_add(scene, hitboxes, &entities[0], NULL, 1, &error) != PE_E_RESERVE)
            exit(1);
        pe_scene_clear(scene);
    }
}

/* The hits of each kind of volume, in memory of their own. */
void play_hits(const struct walk *walk)
{
    struct pe_error error;
    for (int fit = PE_CAPSULE; fit <= PE_SPHERE; fit++) {
        struct pe_hitboxes *hitboxes = NULL;
        struct pe_scene *scene = NULL;
        if (pe_hitboxes_new(walk->model, fit, &hitboxes, &error) < 0 || pe_scene_new(&scene, &error) < 0 ||
            pe_scene_reserve(scene, hitboxes, SCENE_ENTITIES / 2, 1, &error) < 0 ||
            pe_scene_reserve(scene, hitboxes, SCENE_ENTITIES / 2, 1, &error) < 0) {
            fprintf(stderr, "%s\n", error.message);
            exit(1);
        }
        counting_start();
        cast(walk, scene, hitboxes);
        counting_stop();
        pe_scene_free(scene);
        pe_hitboxes_free(hitboxes);
    }
}

/* The same rays at the triangles of all entities. */
void play_meshes(const struct walk *walk)
{
    static struct pe_hit hits[HITS_MAX];
    static struct pe_entity entities[SCENE_ENTITIES][2];
    static double worlds[SCENE_ENTITIES][16];
    struct pe_target targets[SCENE_ENTITIES];
    struct pe_ray rays[RAYS];
    struct pe_error error;
    struct pe_mesh *mesh = NULL;
    struct pe_caster *caster = NULL;
    uint32_t count = 0;
    if (pe_mesh_new(walk->model, &mesh, &error) < 0 || pe_caster_new(&caster, &error) < 0 ||
        pe_caster_reserve(caster, mesh, 1, RAYS, HITS_MAX, &error) < 0) {
        fprintf(stderr, "%s\n", error.message);
        exit(1);
    }
    counting_start();
    for (uint32_t e = 0; e < SCENE_ENTITIES; e++) {
        const double world[16] = {1, 0, 0, 0, 0, 2, 0, 0, 0, 0, 1, 0, 5.0 * (e % 7), 0, 3.0 * e, 1};
        memcpy(worlds[e], world, sizeof world);
        for (int pose = 0; pose < 2; pose++)
            entities[e][pose] = (struct pe_entity){
                .model = walk->model, .time_s = 0.1 * e + 0.03 * pose, .world_from_scene = worlds[e]};
        targets[e] =
            (struct pe_target){.mesh = mesh, .begin = &entities[e][0], .end = e % 2 == 0 ? &entities[e][1] : NULL};
    }
    for (uint32_t r = 0; r < RAYS; r++)
        rays[r] = (struct pe_ray){.origin = {0.3 * r - 1, 0.2 * (r % 20), 500},
                                  .direction = {0, 0, -1},
                                  .at = 0.01 * r,
                                  .radius = r % 3 == 0 ? 0.05 : 0};
    for (int which = PE_NEAREST; which <= PE_ALL; which++)
        if (pe_raycast_meshes(caster, targets, SCENE_ENTITIES, rays, RAYS, which, hits, HITS_MAX, &count, &error) < 0 ||
            count == 0) {
            fprintf(stderr, "no ray hits a mesh\n");
            exit(1);
        }
    if (pe_raycast_meshes(caster, targets, SCENE_ENTITIES, rays, RAYS, PE_ALL, hits, 1, &count, &error) !=
        PE_E_ARGUMENT)
        exit(1);
    counting_stop();
    pe_caster_free(caster);
    pe_mesh_free(mesh);
}
