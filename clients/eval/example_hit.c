/* example_hit FILE.posed CLIP JOINT SECONDS: shoots at a joint from the front. Exit status: 0 hit, 1 miss, 2 error. */
#include "posed_eval_hits.h"
#include <stdio.h>

int main(int argc, char **argv)
{
    struct pe_error error = {0, 0, "usage: example_hit FILE.posed CLIP JOINT SECONDS"};
    struct pe_model *model = NULL;
    struct pe_hitboxes *boxes = NULL;
    struct pe_scene *scene = NULL;
    struct pe_entity pose;
    struct pe_info info;
    struct pe_ray shot = {0};
    struct pe_hit hit;
    uint32_t joint, count = 0;
    int failed = argc != 5 || pe_scene_new(&scene, &error) || pe_model_open(argv[1], 0, &model, &error) ||
                 pe_find_node(model, argv[3], &joint, &error) || pe_hitboxes_new(model, PE_CAPSULE, &boxes, &error) ||
                 pe_scene_reserve(scene, boxes, 1, 0, &error) || pe_entity_clip(&pose, model, argv[2], 0, &error) ||
                 sscanf(argv[4], "%lf", &pose.time_s) != 1 || pe_scene_add(scene, boxes, &pose, NULL, 0, &error) ||
                 pe_scene_middle(scene, 0, joint, 0, shot.origin, &error);
    if (!failed)
        pe_model_info(model, &info);
    for (int i = 0; i < 3 && !failed; i++) {
        shot.direction[i] = -(double)info.forward[i];
        shot.origin[i] -= 10 * shot.direction[i];
    }
    failed = failed || pe_raycast(scene, &shot, 1, PE_NEAREST, &hit, 1, &count, &error);
    int is_hit = count == 1 && pe_node_is_below(model, hit.node, joint);
    if (failed)
        fprintf(stderr, "%s\n", error.message);
    else if (is_hit)
        printf("hit after %g units at (%g, %g, %g)\n", (double)hit.distance, (double)hit.point[0], (double)hit.point[1],
               (double)hit.point[2]);
    else
        printf("missed\n");
    pe_scene_free(scene);
    pe_hitboxes_free(boxes);
    pe_model_close(model);
    return failed ? 2 : !is_hit;
}
