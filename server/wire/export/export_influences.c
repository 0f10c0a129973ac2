/* export_influences.c - joints and weights of vertices: all that a vertex has, four in a set (glTF 2.0, 3.7.3.3). */
#include "wire/encode/json.h"
#include "wire/export/export_parts.h"

#include <math.h>

/* So many sets of four are read again. */
enum { INFLUENCES_MAX = 256, SET_SIZE = 4 };

/* A vertex' joints, each once, by falling weight; their weights sum to 1. */
struct influences {
    uint32_t count;
    struct influence all[INFLUENCES_MAX];
};

/* Readers that take four joints alone then take the ones that count. */
static void sort(struct influences *influences)
{
    for (uint32_t i = 1; i < influences->count; i++) {
        const struct influence moved = influences->all[i];
        uint32_t at = i;
        for (; at > 0 && influences->all[at - 1].weight < moved.weight; at--)
            influences->all[at] = influences->all[at - 1];
        influences->all[at] = moved;
    }
}

static bool merge(const struct model *model, uint32_t vertex, struct influences *out)
{
    const uint32_t first = model->influence_firsts[vertex], end = model->influence_firsts[vertex + 1];
    double sums[INFLUENCES_MAX], sum = 0;
    out->count = 0;
    for (uint32_t i = first; i < end; i++) {
        const struct influence *from = &model->influences[i];
        uint32_t at = 0;
        while (at < out->count && out->all[at].joint != from->joint)
            at++;
        if (at == INFLUENCES_MAX)
            return false;
        if (at == out->count) {
            out->all[out->count++].joint = from->joint;
            sums[at] = 0;
        }
        sums[at] += (double)from->weight;
        sum += (double)from->weight;
    }
    if (out->count == 0) { /* it follows joint 0 (model.h) */
        out->all[out->count++].joint = 0;
        sum = sums[0] = 1;
    }
    const bool is_whole = fabs(sum - 1) <= 1e-7 * out->count;
    for (uint32_t i = 0; i < out->count; i++)
        out->all[i].weight = (float)(is_whole ? sums[i] : sums[i] / sum);
    sort(out);
    return true;
}

/* What all vertices of a primitive need. False: a vertex has too many. */
static bool look_at(const struct export *e, const struct primitive *p, uint32_t *sets, uint32_t *joint_most,
                    uint32_t *vertex)
{
    struct influences influences;
    uint32_t most = 1;
    *joint_most = 0;
    for (*vertex = 0; *vertex < p->vertex_count; ++*vertex) {
        if (!merge(e->model, p->vertex_first + *vertex, &influences))
            return false;
        most = influences.count > most ? influences.count : most;
        for (uint32_t i = 0; i < influences.count; i++)
            *joint_most = influences.all[i].joint > *joint_most ? influences.all[i].joint : *joint_most;
    }
    *sets = (most + SET_SIZE - 1) / SET_SIZE;
    return true;
}

/* One set of all vertices, into arrays of four for each: as bytes where is_small. What is not there is joint 0 with
 * weight 0. */
static void fill(const struct export *e, const struct primitive *p, uint32_t set, bool is_small, void *joints,
                 float *weights)
{
    struct influences influences;
    uint8_t *small = joints;
    uint16_t *large = joints;
    for (uint32_t v = 0; v < p->vertex_count; v++) {
        merge(e->model, p->vertex_first + v, &influences);
        for (uint32_t i = 0; i < SET_SIZE; i++) {
            const uint32_t at = set * SET_SIZE + i;
            const bool is_there = at < influences.count && influences.all[at].weight > 0;
            const uint32_t joint = is_there ? influences.all[at].joint : 0;
            if (is_small)
                *small++ = (uint8_t)joint;
            else
                *large++ = (uint16_t)joint;
            *weights++ = is_there ? influences.all[at].weight : 0;
        }
    }
}

bool export_put_influences(struct export *e, const struct primitive *p)
{
    struct workspace *workspace = e->context->workspace;
    uint32_t sets, joint_most, vertex;
    if (!look_at(e, p, &sets, &joint_most, &vertex))
        return export_refuse(e, "vertex %u of mesh %u has more than %d joints", vertex, p->mesh, INFLUENCES_MAX);
    if (joint_most > UINT16_MAX)
        return export_refuse(e,
                             "mesh %u has a vertex that follows joint %u of its skin; the last that a file can name "
                             "is %d",
                             p->mesh, joint_most, UINT16_MAX);
    const bool is_small = joint_most <= UINT8_MAX;
    void *joints =
        context_array(e->context, &workspace->vertices, (size_t)p->vertex_count * SET_SIZE, is_small ? 1 : 2);
    float *weights = context_array(e->context, &workspace->floats, (size_t)p->vertex_count * SET_SIZE, sizeof *weights);
    if (joints == NULL || weights == NULL)
        return false;
    for (uint32_t set = 0; set < sets && !glb_failed(e->glb); set++) {
        fill(e, p, set, is_small, joints, weights);
        const enum glb_array array = is_small ? GLB_JOINTS : GLB_LARGE_JOINTS;
        const uint32_t joint_accessor = glb_add(e->glb, array, joints, p->vertex_count);
        const uint32_t weight_accessor = glb_add(e->glb, GLB_WEIGHTS, weights, p->vertex_count);
        json_printf(e->out, ",\"JOINTS_%u\":%u,\"WEIGHTS_%u\":%u", set, joint_accessor, set, weight_accessor);
    }
    return true;
}
