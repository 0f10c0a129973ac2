/* example_hit.c - shoots at a joint of a character that plays a clip: example_hit HERO.posed CLIP JOINT SECONDS
 *
 * From 10 units in front of the joint's hitbox, through its middle. Prints what the shot meets, the nearest
 * first. Exit status: 0 when the joint is among it, else 1; 2 for an error. */
#include "posed_eval_hits.h"

#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
    struct pe_error error = {.message = "usage: example_hit FILE.posed CLIP JOINT SECONDS"};
    struct pe_model *hero;
    struct pe_hitboxes *hitboxes;
    struct pe_scene *scene;
    struct pe_entity entity;
    struct pe_info info;
    struct pe_node node;
    struct pe_ray shot = {0};
    struct pe_hit hits[64];
    double middle[3] = {0};
    uint32_t joint, count = 0, is_hit = 0;
    if (argc != 5 || pe_model_open(argv[1], 0, &hero, &error) < 0 || pe_find_node(hero, argv[3], &joint, &error) < 0 ||
        pe_entity_clip(&entity, hero, argv[2], strtod(argv[4], NULL), &error) < 0 ||
        pe_hitboxes_new(hero, PE_CAPSULE, &hitboxes, &error) < 0 || pe_scene_new(&scene, &error) < 0 ||
        pe_scene_reserve(scene, hitboxes, 1, 1, &error) < 0 || /* nothing is allocated from here on */
        pe_scene_add(scene, hitboxes, &entity, NULL, 0, &error) < 0 ||
        pe_scene_middle(scene, 0, joint, 0, middle, &error) < 0)
        return fprintf(stderr, "%s\n", error.message), 2;
    pe_model_info(hero, &info);
    for (int i = 0; i < 3; i++) {
        shot.direction[i] = -(double)info.forward[i];
        shot.origin[i] = middle[i] - 10 * shot.direction[i];
    }
    if (pe_raycast(scene, &shot, 1, PE_ALL, hits, 64, &count, &error) < 0)
        return fprintf(stderr, "%s\n", error.message), 2;
    for (uint32_t h = 0; h < count; h++) {
        pe_node_at(hero, hits[h].node, &node);
        printf("%s after %g units, at %g %g %g\n", node.name != NULL ? node.name : "a joint", (double)hits[h].distance,
               (double)hits[h].point[0], (double)hits[h].point[1], (double)hits[h].point[2]);
        is_hit |= hits[h].node == joint;
    }
    pe_scene_free(scene);
    pe_hitboxes_free(hitboxes);
    pe_model_close(hero);
    return is_hit ? 0 : 1;
}
