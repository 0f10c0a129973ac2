/* influence.c - sums the weights of vertices and elements by node. */
#include "render/pose/influence.h"

#include <math.h>
#include <stdlib.h>

/* The context of visiting the influences of a draw's vertices. */
struct influenced {
    const struct model *model;
    const struct joint *joints; /* of its skin */
    uint32_t vertex_first;
    const uint32_t *indices;
};

static struct influenced of_draw(const struct model *model, const struct draw *draw)
{
    const struct primitive *primitive = &model->primitives[draw->primitive];
    return (struct influenced){.model = model,
                               .joints = model->joints + model->skins[draw->skin].joint_first,
                               .vertex_first = primitive->vertex_first,
                               .indices = model->indices + primitive->index_first};
}

/* Returns the influences of a vertex of the draw. A vertex without any gets one of joint 0. */
static uint32_t influences_of(const struct influenced *in, uint32_t vertex, const struct influence **first)
{
    static const struct influence ALONE = {.joint = 0, .weight = 1};
    const uint32_t from = in->model->influence_firsts[in->vertex_first + vertex];
    const uint32_t end = in->model->influence_firsts[in->vertex_first + vertex + 1];
    *first = end > from ? in->model->influences + from : &ALONE;
    return end > from ? end - from : 1;
}

float influence_weight(const struct model *model, const struct draw *draw, uint32_t vertex, uint32_t node)
{
    const struct influenced in = of_draw(model, draw);
    const struct influence *influences;
    const uint32_t count = influences_of(&in, vertex, &influences);
    double sum = 0;
    for (uint32_t i = 0; i < count; i++)
        sum += in.joints[influences[i].joint].node == node ? (double)influences[i].weight : 0;
    return (float)fmin(sum, 1);
}

/* Returns the node with the larger sum. */
static uint32_t larger(const double *sums, uint32_t a, uint32_t b)
{
    const double of_a = sums[a], of_b = sums[b];
    if (of_a == of_b)
        return a < b ? a : b;
    return of_a > of_b ? a : b;
}

/* Returns the node with the largest sum over one or more vertices. sums: [node_count], all zero before and after. */
static uint32_t find_most(const struct influenced *in, const uint32_t *vertices, uint32_t vertex_count, double *sums)
{
    const struct influence *influences;
    influences_of(in, vertices[0], &influences);
    uint32_t most = in->joints[influences[0].joint].node;
    for (uint32_t v = 0; v < vertex_count; v++) {
        const uint32_t count = influences_of(in, vertices[v], &influences);
        for (uint32_t i = 0; i < count; i++)
            sums[in->joints[influences[i].joint].node] += (double)influences[i].weight;
    }
    for (uint32_t v = 0; v < vertex_count; v++) {
        const uint32_t count = influences_of(in, vertices[v], &influences);
        for (uint32_t i = 0; i < count; i++)
            most = larger(sums, most, in->joints[influences[i].joint].node);
    }
    for (uint32_t v = 0; v < vertex_count; v++) {
        const uint32_t count = influences_of(in, vertices[v], &influences);
        for (uint32_t i = 0; i < count; i++)
            sums[in->joints[influences[i].joint].node] = 0;
    }
    return most;
}

uint32_t influence_element_count(const struct primitive *primitive)
{
    return primitive->index_count / primitive_corner_count(primitive);
}

uint32_t *influence_nodes(const struct model *model, const struct draw *draw, bool is_by_element, struct err *err)
{
    const struct influenced in = of_draw(model, draw);
    const struct primitive *primitive = &model->primitives[draw->primitive];
    const uint32_t corners = is_by_element ? primitive_corner_count(primitive) : 1;
    const uint32_t count = is_by_element ? influence_element_count(primitive) : primitive->vertex_count;
    uint32_t *nodes = malloc(((size_t)count + 1) * sizeof *nodes);
    double *sums = calloc((size_t)model->node_count + 1, sizeof *sums);
    if (nodes == NULL || sums == NULL) {
        err_set(err, ERR_NO_MEMORY, "no memory for the weights of %u nodes", model->node_count);
        free(nodes);
        free(sums);
        return NULL;
    }
    for (uint32_t i = 0; i < count; i++)
        nodes[i] = find_most(&in, is_by_element ? in.indices + (size_t)i * corners : &i, corners, sums);
    free(sums);
    return nodes;
}

/* Smith: Color Gamut Transform Pairs, SIGGRAPH 1978: hue, saturation and value, each 0..1. */
static struct rgba8 from_hsv(double hue, double saturation, double value)
{
    double rgb[3];
    for (int i = 0; i < 3; i++) {
        const double away = fabs(fmod(6 * hue + (i == 0 ? 0 : i == 1 ? 4 : 2), 6) - 3) - 1;
        rgb[i] = value * (1 + saturation * (fmin(fmax(away, 0), 1) - 1));
    }
    return (struct rgba8){(uint8_t)lround(255 * rgb[0]), (uint8_t)lround(255 * rgb[1]), (uint8_t)lround(255 * rgb[2]),
                          255};
}

struct rgba8 influence_color(uint32_t node)
{
    static const double GOLDEN = 0.6180339887498949; /* (sqrt(5) - 1) / 2 */
    static const double SATURATIONS[3] = {0.65, 0.80, 0.45}, VALUES[3] = {0.95, 0.75, 0.90};
    return from_hsv(fmod(node * GOLDEN, 1), SATURATIONS[node % 3], VALUES[node % 3]);
}

uint32_t influence_id_color(uint32_t node) { return (node + 1) * UINT32_C(0x9E3779) & 0xffffff; }
