/* example_hit.c - shoots at a joint of a character that plays a clip: example_hit HERO.posed CLIP JOINT SECONDS
 *
 * From 10 units in front of the joint's hitbox, through its middle. Prints what the shot meets, the nearest
 * first. Exit status: 0 when the joint is among it, else 1; 2 for an error. */
#include "posed_eval.h"

#include <stdio.h>
#include <stdlib.h>

enum { HITS_MAX = 64 };

int main(int argc, char **argv)
{
    struct pe_error error = {.message = "usage: example_hit FILE.posed CLIP JOINT SECONDS"};
    struct pe_model *hero;
    struct pe_evaluator *evaluator;
    struct pe_hitboxes *hitboxes;
    struct pe_scene *scene;
    struct pe_layer clip;
    struct pe_entity entity;
    struct pe_info info;
    struct pe_hitbox box = {.node = UINT32_MAX};
    struct pe_ray shot;
    struct pe_hit hits[HITS_MAX];
    float m[16]; /* world_from_joint */
    uint32_t joint, count = 0;
    int status = 1;
    pe_layer_init(&clip);
    pe_entity_init(&entity);
    pe_ray_init(&shot);
    if (argc != 5 || pe_model_open(argv[1], 0, &hero, &error) < 0 || pe_evaluator_new(&evaluator, &error) < 0 ||
        pe_evaluator_reserve(evaluator, hero, 1, &error) < 0 || pe_find_clip(hero, argv[2], &clip.clip, &error) < 0 ||
        pe_find_node(hero, argv[3], &joint, &error) < 0 || pe_hitboxes_new(hero, PE_CAPSULE, &hitboxes, &error) < 0 ||
        pe_scene_new(&scene, &error) < 0 || pe_scene_reserve(scene, hitboxes, 1, &error) < 0)
        goto failed;
    /* nothing is allocated from here on */
    for (uint32_t v = 0; box.node != joint && pe_hitbox_at(hitboxes, v, &box) == 0; v++) { /* that of the joint */
    }
    clip.time_s = strtod(argv[4], NULL);
    entity.model = hero;
    entity.layers = &clip;
    entity.layer_count = 1;
    pe_model_info(hero, &info);
    if (pe_evaluate(evaluator, &entity, &error) < 0 || pe_nodes(evaluator, &joint, 1, PE_MAT4, m, 16, &error) < 0)
        goto failed;
    for (int i = 0; i < 3; i++) {
        double at = (double)m[12 + i]; /* the middle of the hitbox in the world */
        for (int k = 0; k < 3; k++)
            at += (double)m[4 * k + i] * ((double)box.center[k] + (double)box.end[k]) / 2;
        shot.direction[i] = -(double)info.forward[i];
        shot.origin[i] = at - 10 * shot.direction[i];
    }
    if (pe_scene_add(scene, evaluator, hitboxes, &entity, NULL, UINT32_MAX, &error) < 0 ||
        pe_raycast(scene, &shot, 1, PE_ALL, hits, HITS_MAX, &count, &error) < 0)
        goto failed;
    for (uint32_t h = 0; h < count; h++) {
        struct pe_node node;
        pe_node_at(hero, hits[h].node, &node);
        printf("%s after %g units, at %g %g %g\n", node.name != NULL ? node.name : "a joint", (double)hits[h].distance,
               (double)hits[h].point[0], (double)hits[h].point[1], (double)hits[h].point[2]);
        status = hits[h].node == joint ? 0 : status;
    }
    pe_scene_free(scene);
    pe_hitboxes_free(hitboxes);
    pe_evaluator_free(evaluator);
    pe_model_close(hero);
    return status;
failed:
    fprintf(stderr, "%s\n", error.message);
    return 2;
}
