/* scene.h - reads the scenes of crowd_scene.py and raycast_scene.py into structs of the C client. */
#pragma once

#include "clients/c/posed.h"

enum {
    THINGS_MAX = 8,
    ITEMS_MAX = 16,
    ENTITIES_MAX = 1024,
    LAYERS_MAX = 4,
    WORLD_NUMBERS = 12,
    PATH_BYTES = 64,
    GIVEN_NODES_MAX = 8,
    GIVEN_NUMBERS_MAX = 10 * GIVEN_NODES_MAX,
    RAYS_MAX = 1024,
    CASTS_MAX = 32
};

/* crowd and raycast point to the lists. The caller, which opens paths[crowd.model_count], fills crowd.models. */
struct scene {
    char paths[THINGS_MAX][PATH_BYTES];
    struct posed_model models[THINGS_MAX];
    const struct posed_model *model_list[THINGS_MAX];
    struct posed_mask_node mask_nodes[THINGS_MAX][ITEMS_MAX];
    struct posed_mask masks[THINGS_MAX];
    uint32_t items[THINGS_MAX][ITEMS_MAX];
    struct posed_wanted wanted[THINGS_MAX];
    struct posed_layer layers[ENTITIES_MAX][LAYERS_MAX];
    double worlds[ENTITIES_MAX][WORLD_NUMBERS];
    struct posed_entity entities[ENTITIES_MAX];
    struct posed_given_node given_nodes[THINGS_MAX][GIVEN_NODES_MAX];
    float given_numbers[THINGS_MAX][GIVEN_NUMBERS_MAX];
    struct posed_given_pose poses[THINGS_MAX];
    struct posed_crowd crowd;
    struct posed_target targets[ENTITIES_MAX];
    struct posed_ray rays[RAYS_MAX];
    struct posed_raycast raycast; /* with the members of a cast */
    struct {
        uint8_t fit, test, which;
    } casts[CASTS_MAX];
    uint32_t cast_count;
};

/* Reads a scene's file into a zeroed struct. Returns 0, or -1 with a line on stderr. */
int read_scene(const char *path, struct scene *scene);

/* Prints the hits of cast `index` in the canonical form of raycast_scene.py. */
void print_hits(const struct scene *scene, uint32_t index, const struct posed_hit *hits, uint32_t count);
