/* no_allocation_crowd.c - many entities in one call, valid and invalid ones. */
#include "tests/eval/no_allocation.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CROWD = 42 };

/* Fills the members of a crowd: blends with masks, worlds, all kinds of wanted matrices in turn. */
static void fill_crowd(const struct walk *walk, const struct pe_pose *pose, struct pe_entity *entities,
                       struct pe_layer (*layers)[2], struct pe_member *members)
{
    static const struct pe_mask MASK = {0, PE_SUBTREE};
    static const double WORLD[16] = {0, 2, 0, 0, -3, 0, 0, 0, 0, 0, 1, 0, 5, 6, 7, 1};
    static const uint32_t FIRST = 0;
    const size_t share = FLOATS_MAX / CROWD;
    for (uint32_t i = 0; i < CROWD; i++) {
        for (uint32_t l = 0; l < 2; l++)
            layers[i][l] = (struct pe_layer){
                .clip = walk->info.clip_count == 0 ? PE_REST_POSE : (int32_t)((i + l) % walk->info.clip_count),
                .time_s = 0.07 * i,
                .weight = 1 - 0.4 * l,
                .mask_count = l == 1 && i % 2 == 0,
                .masks = &MASK,
                .pose = l == 1 && i % 2 == 1 ? pose : NULL};
        entities[i] = (struct pe_entity){.model = walk->model, .time_s = 0.05 * i};
        if (i % 3 > 0) {
            entities[i].layers = layers[i];
            entities[i].layer_count = i % 3;
        }
        entities[i].world_from_scene = i % 4 == 0 ? WORLD : NULL;
        members[i] = (struct pe_member){.entity = &entities[i],
                                        .what = i % 5 == 0 ? PE_MATRICES : PE_PALETTE,
                                        .layout = (int32_t)(i % 2),
                                        .items = i % 7 == 0 ? &FIRST : NULL,
                                        .item_count = i % 7 == 0,
                                        .out = walk->floats + i * share,
                                        .capacity = share};
    }
}

/* After a reserve that fails, a crowd has the previous room, and reports it. */
static void fail_to_reserve(const struct walk *walk)
{
    static struct pe_layer layers[PE_LAYERS_MAX];
    static float out[FLOATS_MAX / CROWD];
    struct pe_error error;
    struct pe_crowd *crowd;
    const struct pe_entity entity = {.model = walk->model, .layers = layers, .layer_count = PE_LAYERS_MAX};
    struct pe_member member = {.entity = &entity, .out = out, .capacity = FLOATS_MAX / CROWD};
    for (int i = 0; i < PE_LAYERS_MAX; i++)
        layers[i].weight = 1;
    if (pe_crowd_new(&crowd, &error) < 0 || pe_crowd_reserve(crowd, walk->model, 8, 1, 0, &error) < 0 ||
        pe_crowd_reserve(crowd, walk->model, 8, PE_LAYERS_MAX + 1, 0, &error) != PE_E_ARGUMENT ||
        pe_crowd_evaluate(crowd, &member, 1, &error) != PE_E_RESERVE) {
        fprintf(stderr, "a crowd that could not be reserved: %s\n", error.message);
        exit(1);
    }
    pe_crowd_free(crowd);
}

/* Members that want the same of two models need as many floats as the joints of their own. */
static void be_short(const struct walk *walk)
{
    const struct pe_model *models[2] = {walk->stranger, walk->model};
    struct pe_error error;
    struct pe_crowd *crowd;
    if (pe_crowd_new(&crowd, &error) < 0 || pe_crowd_reserve(crowd, models[0], 2, 1, 0, &error) < 0 ||
        pe_crowd_reserve(crowd, models[1], 2, 1, 0, &error) < 0)
        exit(1);
    for (int order = 0; order < 2; order++) {
        struct pe_entity entities[2];
        struct pe_member members[2];
        for (int i = 0; i < 2; i++) {
            struct pe_skin skin;
            const struct pe_model *model = models[i ^ order];
            pe_skin_at(model, 0, &skin);
            entities[i] = (struct pe_entity){.model = model};
            members[i] = (struct pe_member){.entity = &entities[i], .out = walk->floats};
            members[i].capacity = 16 * (size_t)skin.joint_count - (size_t)i; /* the second one lacks a float */
        }
        if (pe_crowd_evaluate(crowd, members, 2, &error) != PE_E_ARGUMENT ||
            strstr(error.message, "member 1") == NULL) {
            fprintf(stderr, "a member without enough capacity is not refused: %s\n", error.message);
            exit(1);
        }
    }
    pe_crowd_free(crowd);
}

/* A crowd has the floats of its entities one by one. */
void play_crowd(const struct walk *walk)
{
    static float alone[FLOATS_MAX / CROWD];
    static struct pe_entity entities[CROWD];
    static struct pe_layer layers[CROWD][2];
    static struct pe_member members[CROWD];
    static const uint32_t FIRST = 0;
    static struct filled_pose filled;
    struct pe_error error;
    struct pe_crowd *crowd = NULL;
    struct pe_skin skin;
    fail_to_reserve(walk);
    be_short(walk);
    if (pe_crowd_new(&crowd, &error) < 0 || pe_crowd_reserve(crowd, walk->model, CROWD, 2, CROWD, &error) < 0) {
        fprintf(stderr, "%s\n", error.message);
        exit(1);
    }
    pe_skin_at(walk->model, 0, &skin);
    fill_pose(walk, &filled);
    fill_crowd(walk, &filled.pose, entities, layers, members);
    if (pe_crowd_evaluate(crowd, members, CROWD, &error) != PE_E_RESERVE ||
        strstr(error.message, "no room for a pose") == NULL ||
        pe_crowd_reserve_poses(crowd, CROWD * filled.pose.node_count, CROWD * filled.weights_most, &error) < 0) {
        fprintf(stderr, "a crowd without room for poses: %s\n", error.message);
        exit(1);
    }
    counting_start();
    const int failed = pe_crowd_evaluate(crowd, members, CROWD, &error);
    for (uint32_t i = 0; i < CROWD && failed == 0; i++) {
        const int32_t layout = members[i].layout;
        const uint32_t count = members[i].item_count > 0        ? 1
                               : members[i].what == PE_MATRICES ? walk->info.node_count
                                                                : skin.joint_count;
        pe_evaluate(walk->evaluator, &entities[i], &error);
        if (members[i].what == PE_MATRICES)
            pe_nodes(walk->evaluator, members[i].item_count > 0 ? &FIRST : NULL, count, layout, alone,
                     FLOATS_MAX / CROWD, &error);
        else
            pe_palette(walk->evaluator, 0, layout, alone, FLOATS_MAX / CROWD, &error);
        if (memcmp(alone, members[i].out, (size_t)count * pe_layout_floats(layout) * sizeof *alone) != 0) {
            fprintf(stderr, "member %u of the crowd is not what its entity is alone\n", i);
            exit(1);
        }
        evaluations++;
    }
    members[3].skin = 9999;
    if (failed != 0 || pe_crowd_evaluate(crowd, members, CROWD, &error) != PE_E_ARGUMENT ||
        strstr(error.message, "member 3") == NULL ||
        pe_crowd_evaluate(crowd, members, CROWD + 1, &error) != PE_E_RESERVE) {
        fprintf(stderr, "%d members failed, or a wrong one is not refused: %s\n", failed, error.message);
        exit(1);
    }
    counting_stop();
    pe_crowd_free(crowd);
}
