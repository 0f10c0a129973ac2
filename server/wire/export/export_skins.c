/* export_skins.c - writes skins: joints in order and inverse bind matrices (glTF 2.0, 3.7.3), and all joints and
 * weights of vertices in sets of four (3.7.3.3). */
#include "wire/encode/json.h"
#include "wire/export/export_internal.h"

#include <math.h>

bool export_put_skins(struct export *e)
{
    const struct model *model = e->model;
    struct mat4 *binds = export_array(e, model->joint_count, sizeof *binds);
    bool is_first = true;
    for (uint32_t j = 0; binds != NULL && j < model->joint_count; j++)
        binds[j] = model->joints[j].joint_from_bind;
    for (uint32_t s = 0; binds != NULL && s < model->skin_count && !buf_failed(e->out); s++) {
        const struct skin *skin = &model->skins[s];
        if (e->skin_places[s] == GLB_NONE)
            continue;
        buf_put_text(e->out, is_first ? ",\"skins\":[{" : ",{");
        is_first = false;
        glb_put_name(e->out, model, skin->name);
        json_printf(e->out, "\"inverseBindMatrices\":%u,\"joints\":",
                    glb_add(e->glb, GLB_MATRIX, binds + skin->joint_first, skin->joint_count));
        for (uint32_t j = 0; j < skin->joint_count && !buf_failed(e->out); j++) {
            buf_put_char(e->out, j == 0 ? '[' : ',');
            json_put_uint(e->out, e->joint_places[skin->joint_first + j]);
        }
        buf_put_char(e->out, ']');
        export_put_extras(e, CARRY_SKIN, s);
        buf_put_char(e->out, '}');
    }
    if (!is_first)
        buf_put_char(e->out, ']');
    return binds != NULL;
}

/* --- vertices --- */

/* The importer accepts at most this many influences of a vertex, in sets of four. */
enum { INFLUENCES_MAX = 256, SET_SIZE = 4 };

/* The joints of a vertex, each once, by descending weight; the weights sum to 1. */
struct influences {
    uint32_t count;
    struct influence all[INFLUENCES_MAX];
};

/* Sorts by descending weight, because readers with only four joints use the first set. */
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
    if (out->count == 0) { /* such a vertex follows joint 0 (model.h) */
        out->all[out->count++].joint = 0;
        sum = sums[0] = 1;
    }
    const bool is_whole = fabs(sum - 1) <= 1e-7 * out->count;
    for (uint32_t i = 0; i < out->count; i++)
        out->all[i].weight = (float)(is_whole ? sums[i] : sums[i] / sum);
    sort(out);
    return true;
}

/* Determines what the vertices of a primitive need. False: a vertex has too many influences. */
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

/* Fills the sets of all vertices, set after set, with four joints and weights per vertex; joints are bytes if is_small.
 * Unused entries are joint 0 with weight 0. */
static void fill(const struct export *e, const struct primitive *p, bool is_small, void *joints, float *weights)
{
    struct influences influences;
    uint8_t *small = joints;
    uint16_t *large = joints;
    for (uint32_t v = 0; v < p->vertex_count; v++) {
        merge(e->model, p->vertex_first + v, &influences);
        for (uint32_t i = 0; i < influences.count && influences.all[i].weight > 0; i++) {
            const size_t at = ((size_t)(i / SET_SIZE) * p->vertex_count + v) * SET_SIZE + i % SET_SIZE;
            if (is_small)
                small[at] = (uint8_t)influences.all[i].joint;
            else
                large[at] = (uint16_t)influences.all[i].joint;
            weights[at] = influences.all[i].weight;
        }
    }
}

/* Merging searches the previous joints of a vertex for each of its joints. */
static uint64_t merge_steps(const struct model *model, const struct primitive *p)
{
    enum { LOOKS_PER_STEP = 256 };
    uint64_t looks = 0;
    for (uint32_t v = p->vertex_first; v < p->vertex_first + p->vertex_count; v++) {
        const uint64_t count = model->influence_firsts[v + 1] - model->influence_firsts[v];
        looks += count * (count < INFLUENCES_MAX ? count : INFLUENCES_MAX);
    }
    return looks / LOOKS_PER_STEP;
}

static void put_sets(struct export *e, const struct primitive *p, uint32_t sets, bool is_small, const void *joints,
                     const float *weights)
{
    const size_t row = (size_t)p->vertex_count * SET_SIZE;
    for (uint32_t set = 0; set < sets && !glb_failed(e->glb); set++) {
        const uint32_t joint_accessor =
            glb_add(e->glb, is_small ? GLB_JOINTS : GLB_LARGE_JOINTS,
                    (const char *)joints + set * row * (is_small ? 1 : sizeof(uint16_t)), p->vertex_count);
        const uint32_t weight_accessor = glb_add(e->glb, GLB_WEIGHTS, weights + set * row, p->vertex_count);
        json_printf(e->out, ",\"JOINTS_%u\":%u,\"WEIGHTS_%u\":%u", set, joint_accessor, set, weight_accessor);
    }
}

bool export_put_influences(struct export *e, const struct primitive *p)
{
    struct workspace *workspace = e->context->workspace;
    uint32_t sets, joint_most, vertex;
    if (!export_is_affordable(e, merge_steps(e->model, p)))
        return false;
    if (!look_at(e, p, &sets, &joint_most, &vertex))
        return export_refuse(e, "vertex %u of mesh %u has more than %d joints", vertex, p->mesh, INFLUENCES_MAX);
    if (joint_most > UINT16_MAX)
        return export_refuse(
            e, "mesh %u has a vertex that follows joint %u of its skin; the last that a file can name is %d", p->mesh,
            joint_most, UINT16_MAX);
    const bool is_small = joint_most <= UINT8_MAX;
    const size_t count = (size_t)p->vertex_count * sets * SET_SIZE, joint_bytes = is_small ? 1 : sizeof(uint16_t);
    if (count * (joint_bytes + sizeof(float)) > e->context->limit_bytes)
        return context_fail_too_large(e->context);
    void *joints = context_array(e->context, &workspace->vertices, count, joint_bytes);
    float *weights = context_array(e->context, &workspace->floats, count, sizeof *weights);
    if (joints == NULL || weights == NULL)
        return false;
    memset(joints, 0, count * joint_bytes);
    memset(weights, 0, count * sizeof *weights);
    fill(e, p, is_small, joints, weights);
    put_sets(e, p, sets, is_small, joints, weights);
    return true;
}
