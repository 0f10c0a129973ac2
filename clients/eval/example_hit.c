/* example_hit.c - shoots at the head of a character that plays a clip: example_hit HERO.posed CLIP JOINT SECONDS
 *
 * Prints whether a ray from in front of it meets the joint's hitbox, and where. Exit status: 0 a hit, 1 none, 2 an
 * error. */
#include "posed_eval.h"

#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
    struct pe_error error = {.message = "usage: example_hit FILE.posed CLIP JOINT SECONDS"};
    struct pe_model *hero = NULL;
    struct pe_evaluator *evaluator = NULL;
    struct pe_hitboxes *hitboxes = NULL;
    struct pe_scene *scene = NULL;
    struct pe_layer clip;
    struct pe_entity entity;
    struct pe_info info;
    struct pe_ray shot;
    struct pe_hit hit;
    float head[16];
    uint32_t joint, hits = 0;
    pe_layer_init(&clip);
    pe_entity_init(&entity);
    pe_ray_init(&shot);
    if (argc != 5 || pe_model_open(argv[1], 0, &hero, &error) < 0 || pe_evaluator_new(&evaluator, &error) < 0 ||
        pe_evaluator_reserve(evaluator, hero, 1, &error) < 0 || pe_find_clip(hero, argv[2], &clip.clip, &error) < 0 ||
        pe_find_node(hero, argv[3], &joint, &error) < 0 || pe_hitboxes_new(hero, PE_CAPSULE, &hitboxes, &error) < 0 ||
        pe_scene_new(&scene, &error) < 0 || pe_scene_reserve(scene, hitboxes, 1, &error) < 0) {
        fprintf(stderr, "%s\n", error.message);
        return 2;
    }
    /* nothing is allocated from here on */
    clip.time_s = strtod(argv[4], NULL);
    entity.model = hero;
    entity.layers = &clip;
    entity.layer_count = 1;
    pe_model_info(hero, &info);
    int rc = pe_evaluate(evaluator, &entity, &error); /* where is the head now? */
    if (rc == 0)
        rc = pe_nodes(evaluator, &joint, 1, PE_MAT4, head, 16, &error);
    for (int i = 0; i < 3 && rc == 0; i++) { /* shot from in front, 10 units away */
        shot.origin[i] = (double)head[12 + i] + 10 * (double)info.forward[i];
        shot.direction[i] = -(double)info.forward[i];
    }
    if (rc < 0 || pe_scene_add(scene, evaluator, hitboxes, &entity, NULL, UINT32_MAX, &error) < 0 ||
        pe_raycast(scene, &shot, 1, PE_NEAREST, &hit, 1, &hits, &error) < 0) {
        fprintf(stderr, "%s\n", error.message);
        return 2;
    }
    if (hits == 1)
        printf("node %u%s hit after %g units, at %g %g %g\n", (unsigned)hit.node,
               hit.node == joint ? ", as aimed," : "", (double)hit.distance, (double)hit.point[0], (double)hit.point[1],
               (double)hit.point[2]);
    pe_scene_free(scene);
    pe_hitboxes_free(hitboxes);
    pe_evaluator_free(evaluator);
    pe_model_close(hero);
    return hits == 1 && hit.node == joint ? 0 : 1;
}
