#include "tests/eval/probe_pose.h"

#include <stdlib.h>
#include <string.h>

enum {
    NODES_MAX = 1 << 17,
    WEIGHTS_MAX = 1 << 14,
    POSES_MAX = 1 << 13,
    FRAMES_MAX = 256,
    MOTIONS_MAX = 1024,
    NAMES = 16
};

static struct pe_given_node nodes[NODES_MAX];
static struct pe_given_weight weights[WEIGHTS_MAX];
static struct pe_given_expression expressions[WEIGHTS_MAX];
static struct pe_look look;
static struct pe_pose poses[POSES_MAX];
static uint32_t node_count, weight_count, expression_count, pose_count;
static uint32_t node_first, weight_first, expression_first; /* of the pose that is being collected */
static const struct pe_pose *frames[FRAMES_MAX];
static double times_s[FRAMES_MAX];
static uint32_t frame_count, motion_count;
static struct pe_given *motions[MOTIONS_MAX];
static char names[NAMES][128];

void probe_give(char *words)
{
    struct pe_given_node *node = &nodes[node_count++];
    double *const parts[] = {node->translation, node->rotation, node->scale};
    node->node = (uint32_t)strtoul(words, &words, 10);
    node->parts = (uint32_t)strtoul(words, &words, 10);
    for (int p = 0; p < 3; p++)
        for (int i = 0; i < (p == 1 ? 4 : 3); i++)
            parts[p][i] = strtod(words, &words);
}

void probe_give_weight(const char *words)
{
    char *end;
    struct pe_given_weight *weight = &weights[weight_count++];
    weight->node = (uint32_t)strtoul(words, &end, 10);
    weight->target = (uint32_t)strtoul(end, &end, 10);
    weight->weight = strtod(end, NULL);
}

void probe_give_expression(const char *words)
{
    char *end;
    struct pe_given_expression *given = &expressions[expression_count++];
    given->expression = (uint32_t)strtoul(words, &end, 10);
    given->weight = strtod(end, NULL);
}

void probe_give_look(const char *words)
{
    char *end;
    look = (struct pe_look){.kind = (int32_t)strtol(words, &end, 10)};
    look.yaw_deg = strtod(end, &end);
    look.pitch_deg = strtod(end, &end);
    for (int i = 0; i < 3; i++)
        look.point[i] = strtod(end, &end);
}

void probe_give_name(const char *words)
{
    const int index = atoi(words);
    strncpy(names[index], strchr(words, ' ') + 1, sizeof names[index] - 1);
}

const struct pe_pose *probe_pose(int relative_to)
{
    struct pe_pose *pose = &poses[pose_count++];
    *pose = (struct pe_pose){.nodes = nodes + node_first,
                             .weights = weights + weight_first,
                             .node_count = node_count - node_first,
                             .weight_count = weight_count - weight_first,
                             .relative_to = relative_to,
                             .expression_count = expression_count - expression_first,
                             .expressions = expressions + expression_first,
                             .look = look};
    node_first = node_count;
    weight_first = weight_count;
    expression_first = expression_count;
    look = (struct pe_look){0};
    return pose;
}

void probe_frame(double time_s)
{
    times_s[frame_count] = time_s;
    frames[frame_count++] = probe_pose(0);
}

static void put_frame(uint32_t f, double *transforms, double *numbers, double *shown)
{
    const struct pe_pose *pose = frames[f];
    for (uint32_t n = 0; n < pose->node_count; n++) {
        double *at = transforms + 10 * ((size_t)f * frames[0]->node_count + n);
        memcpy(at, pose->nodes[n].translation, 3 * sizeof *at);
        memcpy(at + 3, pose->nodes[n].rotation, 4 * sizeof *at);
        memcpy(at + 7, pose->nodes[n].scale, 3 * sizeof *at);
    }
    for (uint32_t w = 0; w < pose->weight_count; w++)
        numbers[(size_t)f * frames[0]->weight_count + w] = pose->weights[w].weight;
    for (uint32_t e = 0; e < pose->expression_count; e++)
        shown[(size_t)f * frames[0]->expression_count + e] = pose->expressions[e].weight;
}

int probe_motion(const struct pe_model *model, double rate, int relative_to, struct pe_error *error)
{
    const struct pe_pose *first = frames[0];
    uint32_t indices[4096], parts[4096];
    const char *called[NAMES];
    double *transforms = calloc((size_t)frame_count * first->node_count * 10 + 1, sizeof *transforms);
    double *numbers = calloc((size_t)frame_count * first->weight_count + 1, sizeof *numbers);
    double *shown = calloc((size_t)frame_count * first->expression_count + 1, sizeof *shown);
    for (uint32_t n = 0; n < first->node_count; n++) {
        indices[n] = first->nodes[n].node;
        parts[n] = first->nodes[n].parts;
    }
    for (uint32_t n = 0; n < NAMES; n++)
        called[n] = names[n][0] != '\0' ? names[n] : NULL;
    for (uint32_t f = 0; f < frame_count; f++)
        put_frame(f, transforms, numbers, shown);
    const struct pe_given_frames given = {.frame_count = frame_count,
                                          .node_count = first->node_count,
                                          .weight_count = first->weight_count,
                                          .nodes = indices,
                                          .names = first->node_count <= NAMES ? called : NULL,
                                          .parts = parts,
                                          .weights = first->weights,
                                          .transforms = transforms,
                                          .weight_values = numbers,
                                          .times_s = times_s[0] >= 0 ? times_s : NULL,
                                          .rate = rate,
                                          .relative_to = relative_to,
                                          .expression_count = first->expression_count,
                                          .expressions = first->expressions,
                                          .expression_values = shown,
                                          .look = first->look};
    const int rc = pe_given_new(&motions[motion_count], model, &given, error);
    free(transforms);
    free(numbers);
    free(shown);
    frame_count = 0;
    memset(names, 0, sizeof names);
    return rc < 0 ? rc : (int)motion_count++;
}

const struct pe_given *probe_motion_at(int index) { return motions[index]; }

void probe_motions_free(void)
{
    for (uint32_t m = 0; m < motion_count; m++)
        pe_given_free(motions[m]);
}
