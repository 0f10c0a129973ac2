/* export_skins.c - writes skins: joints in order and inverse bind matrices (glTF 2.0, 3.7.3), and all joints and
 * weights of vertices in sets of four (3.7.3.3). */
#include "wire/encode/json.h"
#include "wire/export/export_optimize.h"
#include "wire/optimize/quantize.h"
#include "anim/model/mat.h"

#include <math.h>

/* Fills the matrices from positions as the file has them to joints. */
static void fill_binds(const struct export *e, uint32_t s, struct mat4 *out)
{
    const struct skin *skin = &e->model->skins[s];
    const struct grid *grid = export_grid_of_skin(e, s);
    struct dmat4 bind_from_grid = DMAT4_IDENTITY;
    for (int i = 0; grid != NULL && i < 3; i++) {
        bind_from_grid.m[5 * i] = grid->side;
        bind_from_grid.m[12 + i] = grid->middle[i];
    }
    for (uint32_t j = 0; j < skin->joint_count; j++) {
        const struct mat4 *joint_from_bind = &e->model->joints[skin->joint_first + j].joint_from_bind;
        const struct dmat4 wide = dmat4_from_mat4(joint_from_bind), product = dmat4_mul(&wide, &bind_from_grid);
        out[j] = grid == NULL ? *joint_from_bind : mat4_from_dmat4(&product);
    }
}

bool export_put_skins(struct export *e)
{
    const struct model *model = e->model;
    struct mat4 *binds = export_array(e, model->joint_count, sizeof *binds);
    bool is_first = true;
    for (uint32_t s = 0; binds != NULL && s < model->skin_count && !buf_failed(e->out); s++) {
        const struct skin *skin = &model->skins[s];
        if (e->skin_places[s] == GLB_NONE)
            continue;
        buf_put_text(e->out, is_first ? ",\"skins\":[{" : ",{");
        is_first = false;
        fill_binds(e, s, binds);
        glb_put_name(e->out, model, skin->name);
        json_printf(e->out,
                    "\"inverseBindMatrices\":%u,\"joints\":", glb_add(e->glb, GLB_MATRIX, binds, skin->joint_count));
        for (uint32_t j = 0; j < skin->joint_count && !buf_failed(e->out); j++) {
            buf_put_char(e->out, j == 0 ? '[' : ',');
            json_put_uint(e->out, e->joint_places[skin->joint_first + j]);
        }
        buf_put_char(e->out, ']');
        if (e->skeletons[s] != GLB_NONE)
            json_printf(e->out, ",\"skeleton\":%u", e->skeletons[s]);
        export_put_extras(e, CARRY_SKIN, s);
        buf_put_char(e->out, '}');
    }
    if (!is_first)
        buf_put_char(e->out, ']');
    return binds != NULL;
}

/* --- vertices --- */

enum { SET_SIZE = 4 };

/* --- sets of joints and weights --- */

/* What the vertices of a primitive need. */
struct sets {
    const struct primitive *primitive;
    const uint32_t *places; /* of optimize=1, or NULL: each vertex has its own */
    uint32_t row_count;
    int bits; /* of a weight; 0: floats */
    uint32_t count, joint_most;
    bool has_small_joints;
};

static bool read_vertex(const struct export *e, const struct sets *sets, uint32_t v, struct export_influences *out,
                        uint16_t *weights)
{
    if (!export_merge_influences(e->model, sets->primitive->vertex_first + v, out))
        return false;
    if (sets->bits > 0)
        export_round_influences(out, sets->bits, weights);
    return true;
}

/* False: *vertex has too many influences. */
static bool look_at(const struct export *e, struct sets *sets, uint32_t *vertex)
{
    struct export_influences influences;
    uint16_t weights[EXPORT_INFLUENCES_MAX];
    uint32_t most = 1;
    for (*vertex = 0; *vertex < sets->primitive->vertex_count; ++*vertex) {
        if (!read_vertex(e, sets, *vertex, &influences, weights))
            return false;
        most = influences.count > most ? influences.count : most;
        for (uint32_t i = 0; i < influences.count; i++)
            sets->joint_most = influences.all[i].joint > sets->joint_most ? influences.all[i].joint : sets->joint_most;
    }
    sets->count = (most + SET_SIZE - 1) / SET_SIZE;
    sets->has_small_joints = sets->joint_most <= UINT8_MAX;
    return true;
}

static size_t joint_bytes(const struct sets *sets) { return sets->has_small_joints ? 1 : sizeof(uint16_t); }
static size_t weight_bytes(const struct sets *sets) { return sets->bits == 0 ? sizeof(float) : sizeof(uint16_t); }

/* Fills the sets of all vertices, set after set, with four joints and weights per vertex. Unused entries are joint 0
 * with weight 0. */
static void fill(const struct export *e, const struct sets *sets, void *joints, void *weights)
{
    struct export_influences influences;
    uint16_t rounded[EXPORT_INFLUENCES_MAX];
    for (uint32_t v = 0; v < sets->primitive->vertex_count; v++) {
        const uint32_t place = sets->places == NULL ? v : sets->places[v];
        if (place == WELDED_AWAY)
            continue;
        read_vertex(e, sets, v, &influences, rounded);
        for (uint32_t i = 0; i < influences.count && influences.all[i].weight > 0; i++) {
            const size_t at = ((size_t)(i / SET_SIZE) * sets->row_count + place) * SET_SIZE + i % SET_SIZE;
            if (sets->has_small_joints)
                ((uint8_t *)joints)[at] = (uint8_t)influences.all[i].joint;
            else
                ((uint16_t *)joints)[at] = (uint16_t)influences.all[i].joint;
            if (sets->bits == 0)
                ((float *)weights)[at] = influences.all[i].weight;
            else
                ((uint16_t *)weights)[at] = rounded[i];
        }
    }
}

static void put_sets(struct export *e, const struct sets *sets, const char *joints, const char *weights)
{
    const size_t row = (size_t)sets->row_count * SET_SIZE;
    for (uint32_t set = 0; set < sets->count && !glb_failed(e->glb); set++) {
        const uint32_t joint_accessor = glb_add(e->glb, sets->has_small_joints ? GLB_JOINTS : GLB_LARGE_JOINTS,
                                                joints + set * row * joint_bytes(sets), sets->row_count);
        const uint32_t weight_accessor = glb_add(e->glb, sets->bits == 0 ? GLB_WEIGHTS : GLB_SHORT_WEIGHTS,
                                                 weights + set * row * weight_bytes(sets), sets->row_count);
        json_printf(e->out, ",\"JOINTS_%u\":%u,\"WEIGHTS_%u\":%u", set, joint_accessor, set, weight_accessor);
    }
}

static struct sets sets_of(const struct export *e, const struct primitive *p)
{
    const struct export_optimizing *optimizing = e->optimizing;
    struct sets sets = {.primitive = p, .row_count = p->vertex_count};
    if (optimizing != NULL) {
        sets.places = optimizing->places + optimizing->place_firsts[p - e->model->primitives];
        sets.row_count = optimizing->place_counts[p - e->model->primitives];
        sets.bits = optimizing->weight_bits;
    }
    return sets;
}

bool export_put_influences(struct export *e, const struct primitive *p)
{
    struct workspace *workspace = e->context->workspace;
    struct sets sets = sets_of(e, p);
    uint32_t vertex;
    if (!export_is_affordable(e, export_merge_steps(e->model, p->vertex_first, p->vertex_count)))
        return false;
    if (!look_at(e, &sets, &vertex))
        return export_refuse(e, "vertex %u of mesh %u has more than %d joints", vertex, p->mesh, EXPORT_INFLUENCES_MAX);
    if (sets.joint_most > UINT16_MAX)
        return export_refuse(
            e, "mesh %u has a vertex that follows joint %u of its skin; the last that a file can name is %d", p->mesh,
            sets.joint_most, UINT16_MAX);
    const size_t count = (size_t)sets.row_count * sets.count * SET_SIZE;
    if (count * (joint_bytes(&sets) + weight_bytes(&sets)) > e->context->limit_bytes)
        return context_fail_too_large(e->context);
    void *joints = context_array(e->context, &workspace->vertices, count, joint_bytes(&sets));
    void *weights = context_array(e->context, &workspace->floats, count, weight_bytes(&sets));
    if (joints == NULL || weights == NULL)
        return false;
    memset(joints, 0, count * joint_bytes(&sets));
    memset(weights, 0, count * weight_bytes(&sets));
    fill(e, &sets, joints, weights);
    put_sets(e, &sets, joints, weights);
    return true;
}
