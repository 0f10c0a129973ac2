/* example_skin.c - skins a vertex with a palette of posed.
 *
 *   example_skin ADDRESS MODEL CLIP TIME X Y Z NODE:WEIGHT...
 *   example_skin 127.0.0.1:7879 robot.glb wave 0.3  0.77 1.35 0  hand_right:0.75 forearm_right:0.25
 *
 * X Y Z is the vertex in the file (bind space). The weights name joints of the model's first skin and say how much the
 * vertex follows each; they sum to 1. The program prints the position of the vertex at that time of the clip, in scene
 * space. Exit status: 0, 1 if the server does not answer or refuses, 2 for wrong arguments.
 *
 * An engine does the same for every vertex, in a shader. The palette goes to the GPU unchanged. The vertex buffer has
 * the weights, with joint numbers instead of names. */
#include "posed.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { INFLUENCES_MAX = 16, NAME_MAX_BYTES = 128, ARGUMENTS_BEFORE = 8 };

struct influence {
    uint32_t joint; /* index in the skin, and so in its palette */
    float weight;
};

/* scene <- bind: the sum of weight * palette[joint] * position, where palette[joint] = scene_from_joint *
 * joint_from_bind. A matrix is column-major: row r, column c at 4*c+r. */
static void skin_vertex(const float *palette, const struct influence *influences, size_t influence_count,
                        const float bind[3], float scene[3])
{
    size_t i;
    int row;
    for (row = 0; row < 3; row++) {
        double sum = 0;
        for (i = 0; i < influence_count; i++) {
            const float *m = palette + (size_t)16 * influences[i].joint;
            sum += (double)influences[i].weight *
                   ((double)m[row] * (double)bind[0] + (double)m[4 + row] * (double)bind[1] +
                    (double)m[8 + row] * (double)bind[2] + (double)m[12 + row]);
        }
        scene[row] = (float)sum;
    }
}

/* Parses "hand_right:0.75": finds the node of that name, and its index among the joints of skin 0. */
static int find_influence(struct posed *server, struct posed_model *model, const char *text, struct influence *out)
{
    char name[NAME_MAX_BYTES];
    struct posed_found node, skin;
    const char *colon = strrchr(text, ':');
    uint32_t i, node_index;
    if (colon == NULL || (size_t)(colon - text) >= sizeof name)
        return 2;
    memcpy(name, text, (size_t)(colon - text));
    name[colon - text] = '\0';
    out->weight = strtof(colon + 1, NULL);
    if (posed_find(server, model, POSED_WHAT_NODE, name, &node) < 0)
        return 1;
    node_index = node.index; /* results of a call are valid until the next call */
    if (posed_find_index(server, model, POSED_WHAT_SKIN, 0, &skin) < 0)
        return 1;
    for (i = 0; i < skin.joint_count; i++)
        if (skin.joints[i] == node_index) {
            out->joint = i;
            return 0;
        }
    fprintf(stderr, "'%s' is no joint of the first skin\n", name);
    return 2;
}

static int run(struct posed *server, char **argv, int influence_count)
{
    static const uint32_t first_skin = 0;
    struct influence influences[INFLUENCES_MAX];
    struct posed_model model;
    struct posed_found clip;
    struct posed_query query;
    struct posed_frames frames;
    const double time_s = strtod(argv[4], NULL);
    const float bind[3] = {strtof(argv[5], NULL), strtof(argv[6], NULL), strtof(argv[7], NULL)};
    float scene[3];
    int i;
    if (posed_open(server, argv[2], &model) < 0)
        return 1;
    for (i = 0; i < influence_count; i++) {
        const int rc = find_influence(server, &model, argv[ARGUMENTS_BEFORE + i], &influences[i]);
        if (rc != 0)
            return rc;
    }
    if (posed_find(server, &model, POSED_WHAT_CLIP, argv[3], &clip) < 0)
        return 1;
    posed_query_init(&query);
    query.clip = (int32_t)clip.index;
    query.times = &time_s;
    query.time_count = 1;
    query.indices = &first_skin;
    query.index_count = 1;
    if (posed_palette(server, &model, &query, &frames) < 0)
        return 1;
    skin_vertex(posed_frames_floats(&frames, 0, 0), influences, (size_t)influence_count, bind, scene);
    printf("%.9g %.9g %.9g\n", (double)scene[0], (double)scene[1], (double)scene[2]);
    return posed_close(server, &model) < 0 ? 1 : 0;
}

int main(int argc, char **argv)
{
    static unsigned char memory[1 << 20]; /* receives packets; the palettes are used in place */
    struct posed server;
    struct posed_options options;
    int rc;
    if (argc <= ARGUMENTS_BEFORE || argc > ARGUMENTS_BEFORE + INFLUENCES_MAX) {
        fprintf(stderr, "example_skin ADDRESS MODEL CLIP TIME X Y Z NODE:WEIGHT...\n");
        return 2;
    }
    memset(&server, 0, sizeof server);
    memset(&options, 0, sizeof options);
    options.memory = memory;
    options.memory_bytes = sizeof memory;
    rc = posed_connect(&server, argv[1], &options) < 0 ? 1 : run(&server, argv, argc - ARGUMENTS_BEFORE);
    if (rc == 1)
        fprintf(stderr, "%s: %s\n", argv[1], server.error.message);
    posed_disconnect(&server);
    return rc;
}
