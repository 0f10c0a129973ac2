/* crowd - measures a game server's tick of a crowd, in C, with every character at times of its own.
 *
 *   crowd ADDRESS MODEL CHARACTERS NODE         by a server, which has the model as MODEL
 *   crowd process FILE.posed CHARACTERS NODE    in this process, by libposed-eval
 *
 * There are one layer or two. The second has half of the weight and moves NODE with all nodes below it. The program
 * answers each line on stdin with a line of JSON: "measure LAYERS SECONDS" returns the nanoseconds of a tick, in
 * elapsed time, from the times of the characters to the floats of all palettes (mat4), in place. In this process,
 * "compare LAYERS SECONDS" returns how long the crowd takes in units of single calls for the same characters, in
 * processor time, as the median of ratios of turns beside each other. "given JOINTS SECONDS" returns how long a crowd
 * takes whose second layer is a given pose, in units of the crowd whose second layer is a clip, likewise: of the
 * rotations of so many joints in the middle of the skin, or, with 0, of all of each joint. It is another one for each
 * character and turn. */
#include "clients/c/posed.h"
#include "clients/eval/posed_eval.h"
#include "tests/bench/programs/measure.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    CHARACTERS_MAX = 4096,
    LAYERS = 2,
    MEMORY_BYTES = 1 << 24,
    SEND_BYTES = 1 << 20,
    FLOATS_MAX = 1 << 22,
    GIVEN_MAX = 1 << 16
};

struct bench {
    uint32_t characters;
    double duration_s; /* of the clip */
    struct posed server;
    struct posed_model model;
    const struct posed_model *models[1];
    struct posed_mask_node mask_node;
    struct posed_mask mask;
    struct posed_layer layers[CHARACTERS_MAX][LAYERS];
    struct posed_entity entities[CHARACTERS_MAX];
    struct pe_model *file; /* in this process; else NULL */
    struct pe_crowd *crowd;
    struct pe_mask node;
    struct pe_layer own_layers[CHARACTERS_MAX][LAYERS];
    struct pe_entity own_entities[CHARACTERS_MAX];
    struct pe_member members[CHARACTERS_MAX];
    uint32_t palette_floats;
    struct pe_given_node given[GIVEN_MAX];
    struct pe_pose poses[CHARACTERS_MAX];
    struct pe_layer given_layers[CHARACTERS_MAX][LAYERS];
};

static struct bench bench;
static float floats[FLOATS_MAX];
static unsigned char memory[MEMORY_BYTES], sent[SEND_BYTES];

static void fail(const char *why)
{
    fprintf(stderr, "crowd: %s\n", why);
    exit(1);
}

static double now_ns(void) { return clock_ns(CLOCK_MONOTONIC); }

static double next_time_s(void) { return next_random() * bench.duration_s; }

/* --- by a server --- */

static void connect_to(const char *address, const char *path, uint32_t node)
{
    struct posed_options options = {
        .memory = memory, .memory_bytes = sizeof memory, .send_memory = sent, .send_bytes = sizeof sent};
    struct posed_found clip;
    if (posed_connect(&bench.server, address, &options) < 0 || posed_open(&bench.server, path, &bench.model) < 0 ||
        posed_find_index(&bench.server, &bench.model, POSED_WHAT_CLIP, 0, &clip) < 0)
        fail(bench.server.error.message);
    bench.duration_s = clip.duration_s;
    bench.models[0] = &bench.model;
    bench.mask_node = (struct posed_mask_node){node, POSED_MASK_SUBTREE};
    bench.mask = (struct posed_mask){&bench.mask_node, 1};
    for (uint32_t i = 0; i < bench.characters; i++) {
        for (int k = 0; k < LAYERS; k++)
            posed_layer_init(&bench.layers[i][k]);
        bench.layers[i][1].weight = 0.5;
        bench.layers[i][1].mask = 1;
        bench.entities[i].layers = bench.layers[i];
    }
}

static void tick_server(uint32_t layer_count)
{
    struct posed_entities found;
    const struct posed_crowd crowd = {.models = bench.models,
                                      .model_count = 1,
                                      .masks = &bench.mask,
                                      .mask_count = 1,
                                      .entities = bench.entities,
                                      .entity_count = bench.characters};
    for (uint32_t i = 0; i < bench.characters; i++) {
        bench.entities[i].layer_count = (uint16_t)layer_count;
        for (uint32_t k = 0; k < layer_count; k++)
            bench.layers[i][k].time_s = next_time_s();
    }
    if (posed_pose_crowd(&bench.server, &crowd, &found) < 0)
        fail(bench.server.error.message);
    if (found.error_count > 0)
        fail("an entity is wrong");
}

/* --- in this process --- */

static void open_file(const char *path, uint32_t node)
{
    struct pe_error error;
    struct pe_clip clip;
    struct pe_skin skin;
    if (pe_model_open(path, 0, &bench.file, &error) < 0 || pe_crowd_new(&bench.crowd, &error) < 0 ||
        pe_crowd_reserve(bench.crowd, bench.file, bench.characters, LAYERS, bench.characters, &error) < 0)
        fail(error.message);
    if (pe_clip_at(bench.file, 0, &clip) < 0 || pe_skin_at(bench.file, 0, &skin) < 0)
        fail("the model has no clip or no skin");
    bench.duration_s = clip.duration_s;
    bench.palette_floats = 16 * skin.joint_count;
    bench.node = (struct pe_mask){node, PE_SUBTREE};
    if ((uint64_t)bench.palette_floats * bench.characters > FLOATS_MAX)
        fail("too many floats");
    for (uint32_t i = 0; i < bench.characters; i++) {
        struct pe_layer *layers = bench.own_layers[i];
        layers[0] = (struct pe_layer){.weight = 1};
        layers[1] = (struct pe_layer){.weight = 0.5, .masks = &bench.node, .mask_count = 1};
        bench.own_entities[i] = (struct pe_entity){.model = bench.file, .layers = layers};
        bench.members[i] = (struct pe_member){.entity = &bench.own_entities[i],
                                              .layout = PE_MAT4,
                                              .out = floats + (size_t)i * bench.palette_floats,
                                              .capacity = bench.palette_floats};
    }
}

static void next_times(uint32_t layer_count)
{
    for (uint32_t i = 0; i < bench.characters; i++) {
        bench.own_entities[i].layer_count = layer_count;
        for (uint32_t k = 0; k < layer_count; k++)
            bench.own_layers[i][k].time_s = next_time_s();
    }
}

static void tick_process(uint32_t layer_count)
{
    struct pe_error error;
    next_times(layer_count);
    if (pe_crowd_evaluate(bench.crowd, bench.members, bench.characters, &error) != 0)
        fail(error.message);
}

static double crowd_ns(void)
{
    struct pe_error error;
    const double begin_ns = clock_ns(CLOCK_THREAD_CPUTIME_ID);
    if (pe_crowd_evaluate(bench.crowd, bench.members, bench.characters, &error) != 0)
        fail(error.message);
    return clock_ns(CLOCK_THREAD_CPUTIME_ID) - begin_ns;
}

static double single_ns(struct pe_evaluator *evaluator)
{
    struct pe_error error;
    const double begin_ns = clock_ns(CLOCK_THREAD_CPUTIME_ID);
    for (uint32_t i = 0; i < bench.characters; i++) {
        const struct pe_member *member = &bench.members[i];
        if (pe_evaluate(evaluator, member->entity, &error) < 0 ||
            pe_palette(evaluator, 0, member->layout, member->out, member->capacity, &error) < 0)
            fail(error.message);
    }
    return clock_ns(CLOCK_THREAD_CPUTIME_ID) - begin_ns;
}

static void compare(uint32_t layer_count, double seconds)
{
    enum { TURNS_MAX = 10000 };
    static double ratios[TURNS_MAX];
    struct pe_error error;
    struct pe_evaluator *evaluator;
    const double begin_ns = now_ns();
    uint32_t turns = 0;
    if (bench.file == NULL)
        fail("only a crowd in this process can be compared");
    if (pe_evaluator_new(&evaluator, &error) < 0 || pe_evaluator_reserve(evaluator, bench.file, LAYERS, &error) < 0)
        fail(error.message);
    for (; turns < TURNS_MAX && (turns < 3 || now_ns() - begin_ns < seconds * 1e9); turns++) {
        next_times(layer_count);
        const double crowd = crowd_ns();
        ratios[turns] = crowd / single_ns(evaluator);
    }
    qsort(ratios, turns, sizeof *ratios, by_size);
    printf("{\"ratio\":%.4f,\"turns\":%u,\"characters\":%u}\n", ratios[turns / 2], turns, bench.characters);
    fflush(stdout);
    pe_evaluator_free(evaluator);
}

/* --- given poses --- */

/* Gives each character a pose of its own, with rotations as programs have them: of unit length, in floats. */
static void give_poses(uint32_t joint_count)
{
    struct pe_skin skin;
    struct pe_error error;
    pe_skin_at(bench.file, 0, &skin);
    const uint32_t count = joint_count > 0 ? joint_count : skin.joint_count;
    const uint32_t first = joint_count > 0 ? skin.joint_count / 2 : 0;
    if (first + count > skin.joint_count || (uint64_t)count * bench.characters > GIVEN_MAX ||
        pe_crowd_reserve_poses(bench.crowd, count * bench.characters, 0, &error) < 0)
        fail("too many joints");
    for (uint32_t i = 0; i < bench.characters; i++) {
        struct pe_given_node *nodes = bench.given + (size_t)i * count;
        bench.poses[i] = (struct pe_pose){.nodes = nodes, .node_count = count};
        memcpy(bench.given_layers[i], bench.own_layers[i], sizeof bench.given_layers[i]);
        bench.given_layers[i][1] = (struct pe_layer){.weight = 1, .pose = &bench.poses[i]};
        for (uint32_t n = 0; n < count; n++) {
            struct pe_node rest;
            double length = 0;
            pe_joint_at(bench.file, 0, first + n, &nodes[n].node, NULL);
            pe_node_at(bench.file, nodes[n].node, &rest);
            nodes[n].parts = joint_count > 0 ? PE_ROTATION : PE_WHOLE;
            for (int k = 0; k < 4; k++) {
                nodes[n].rotation[k] = (double)rest.rotation[k] + 0.2 * next_random();
                length += nodes[n].rotation[k] * nodes[n].rotation[k];
            }
            for (int k = 0; k < 4; k++)
                nodes[n].rotation[k] = (double)(float)(nodes[n].rotation[k] / sqrt(length));
            for (int k = 0; k < 3; k++) {
                nodes[n].translation[k] = (double)rest.translation[k];
                nodes[n].scale[k] = (double)rest.scale[k];
            }
        }
    }
}

static void set_layers(struct pe_layer (*layers)[LAYERS])
{
    for (uint32_t i = 0; i < bench.characters; i++)
        bench.own_entities[i].layers = layers[i];
}

static void compare_given(uint32_t joint_count, double seconds)
{
    enum { TURNS_MAX = 10000 };
    static double ratios[TURNS_MAX];
    const double begin_ns = now_ns();
    uint32_t turns = 0;
    if (bench.file == NULL)
        fail("only a crowd in this process can be compared");
    for (; turns < TURNS_MAX && (turns < 3 || now_ns() - begin_ns < seconds * 1e9); turns++) {
        next_times(LAYERS);
        give_poses(joint_count);
        set_layers(bench.given_layers);
        const double given = crowd_ns();
        set_layers(bench.own_layers);
        ratios[turns] = given / crowd_ns();
    }
    qsort(ratios, turns, sizeof *ratios, by_size);
    printf("{\"ratio\":%.4f,\"turns\":%u,\"characters\":%u}\n", ratios[turns / 2], turns, bench.characters);
    fflush(stdout);
}

static void measure(uint32_t layer_count, double seconds)
{
    const double begin_ns = now_ns();
    double spent_ns = 0;
    uint64_t ticks = 0;
    for (; spent_ns < seconds * 1e9; spent_ns = now_ns() - begin_ns, ticks++) {
        if (bench.file != NULL)
            tick_process(layer_count);
        else
            tick_server(layer_count);
    }
    printf("{\"ns\":%.1f,\"ticks\":%llu,\"characters\":%u}\n", spent_ns / (double)ticks, (unsigned long long)ticks,
           bench.characters);
    fflush(stdout);
}

int main(int argc, char **argv)
{
    char line[256];
    if (argc != 5) {
        fprintf(stderr, "crowd ADDRESS|process MODEL|FILE.posed CHARACTERS NODE\n");
        return 2;
    }
    bench.characters = (uint32_t)strtoul(argv[3], NULL, 10);
    if (bench.characters < 1 || bench.characters > CHARACTERS_MAX)
        fail("how many characters?");
    if (strcmp(argv[1], "process") == 0)
        open_file(argv[2], (uint32_t)strtoul(argv[4], NULL, 10));
    else
        connect_to(argv[1], argv[2], (uint32_t)strtoul(argv[4], NULL, 10));
    while (fgets(line, sizeof line, stdin) != NULL) {
        char what[8];
        unsigned layers;
        double seconds;
        if (sscanf(line, "%7s %u %lf", what, &layers, &seconds) != 3 ||
            (strcmp(what, "given") != 0 && (layers < 1 || layers > LAYERS)))
            fail("measure or compare LAYERS SECONDS, or given JOINTS SECONDS");
        if (strcmp(what, "given") == 0)
            compare_given(layers, seconds);
        else if (strcmp(what, "compare") == 0)
            compare(layers, seconds);
        else
            measure(layers, seconds);
    }
    return 0;
}
