/* gltf_influence.c - which joints move each vertex of a primitive, with weights that sum to 1. */
#include "import/gltf/gltf_primitive.h"

#include <math.h>
#include <stdio.h>

/* A smaller deviation from 1 is rounding: a byte's step is 1/255, and exporters round each of four weights.
 */
static const double SUM_TOLERANCE = 1e-3;

struct influence_source {
    struct accessor joints[JOINT_SETS_MAX], weights[JOINT_SETS_MAX];
    uint32_t set_count;
    uint32_t joint_count; /* of the smallest skin that the mesh is drawn with */
    int32_t skin;
};

static int open_sets(const struct primitive_reader *reader, struct influence_source *source, struct err *err)
{
    for (uint32_t set = 0; set < reader->set_count; set++) {
        const int64_t joints = reader->joints[set], weights = reader->weights[set];
        if (joints < 0 && weights < 0)
            continue;
        if (joints < 0 || weights < 0)
            return err_set(err, ERR_BAD_MODEL, "%s has %s_%u without %s_%u", reader->where,
                           joints < 0 ? "WEIGHTS" : "JOINTS", set, joints < 0 ? "JOINTS" : "WEIGHTS", set);
        char joints_name[24], weights_name[24];
        snprintf(joints_name, sizeof joints_name, "JOINTS_%u", set);
        snprintf(weights_name, sizeof weights_name, "WEIGHTS_%u", set);
        struct accessor *weight_rows = &source->weights[source->set_count];
        if (primitive_open(reader, joints_name, joints, ACCESSOR_VEC4, ACCESSOR_U8 | ACCESSOR_U16,
                           &source->joints[source->set_count], err) < 0 ||
            primitive_open(reader, weights_name, weights, ACCESSOR_VEC4, ACCESSOR_F32 | ACCESSOR_U8 | ACCESSOR_U16,
                           weight_rows, err) < 0)
            return err->code;
        weight_rows->is_normalized = weight_rows->component != ACCESSOR_F32; /* the only meaning integers have here */
        source->set_count++;
    }
    return 0;
}

/* The influences of a vertex with weights above 0, as the file gives them; *count of them. */
static int gather(const struct primitive_reader *reader, const struct influence_source *source, uint32_t vertex,
                  uint32_t *joints, double *weights, uint32_t *count, struct err *err)
{
    *count = 0;
    for (uint32_t set = 0; set < source->set_count; set++) {
        uint32_t joint[4];
        double weight[4];
        accessor_row_u32(&source->joints[set], vertex, joint);
        accessor_row(&source->weights[set], vertex, weight);
        for (int i = 0; i < 4; i++) {
            if (!isfinite(weight[i]) || weight[i] < 0)
                return err_set(err, ERR_BAD_MODEL, "%s: vertex %u has the joint weight %g", reader->where, vertex,
                               weight[i]);
            if (weight[i] == 0)
                continue;
            if (joint[i] >= source->joint_count)
                return err_set(err, ERR_BAD_MODEL, "%s: vertex %u names joint %u, but skins[%d] has %u joints",
                               reader->where, vertex, joint[i], source->skin, source->joint_count);
            joints[*count] = joint[i];
            weights[(*count)++] = weight[i];
        }
    }
    return 0;
}

/* Adds them with weights that sum to 1. Returns 1 when the weights of the file did not, 0, or a negative code. */
static int add_influences(struct gltf *gltf, const uint32_t *joints, const double *weights, uint32_t count,
                          struct err *err)
{
    double sum = 0;
    for (uint32_t i = 0; i < count; i++)
        sum += weights[i];
    struct influence *influences = bake_add_influence(gltf->builder, count);
    if (influences == NULL)
        return import_full(gltf->import, err);
    uint32_t kept = 0;
    for (uint32_t i = 0; i < count; i++) {
        const float weight = (float)(weights[i] / sum);
        if (weight > 0)
            influences[kept++] = (struct influence){.joint = joints[i], .weight = weight};
    }
    gltf->builder->influence_count -= count - kept;
    return fabs(sum - 1) > SUM_TOLERANCE ? 1 : 0;
}

static int read_vertices(const struct primitive_reader *reader, const struct influence_source *source, uint32_t *firsts,
                         struct err *err)
{
    struct bake_builder *builder = reader->gltf->builder;
    uint32_t repaired = 0, without = 0;
    for (uint32_t v = 0; v < reader->out.vertex_count; v++) {
        uint32_t joints[4 * JOINT_SETS_MAX], count;
        double weights[4 * JOINT_SETS_MAX];
        firsts[v] = builder->influence_count;
        if (gather(reader, source, v, joints, weights, &count, err) < 0)
            return err->code;
        without += count == 0;
        const int rc = count == 0 ? 0 : add_influences(reader->gltf, joints, weights, count, err);
        if (rc < 0)
            return rc;
        repaired += (uint32_t)rc;
    }
    if (repaired > 0)
        bake_warn(builder, "weights_renormalised", "%s: the joint weights of %u of %u vertices do not sum to 1",
                  reader->where, repaired, reader->out.vertex_count);
    if (without > 0)
        bake_warn(builder, "vertices_without_joints",
                  "%s: %u of %u vertices have no joint weights: they follow joint 0", reader->where, without,
                  reader->out.vertex_count);
    return 0;
}

int primitive_read_influences(struct primitive_reader *reader, struct err *err)
{
    struct gltf *gltf = reader->gltf;
    const struct gltf_mesh_use *use = &gltf->mesh_uses[reader->out.mesh];
    struct influence_source source = {.joint_count = use->joint_count, .skin = use->skin};
    uint32_t *firsts = bake_add_influence_first(gltf->builder, reader->out.vertex_count);
    if (firsts == NULL)
        return import_full(gltf->import, err);
    if (open_sets(reader, &source, err) < 0)
        return err->code;
    if (use->skin >= 0 && source.set_count > 0)
        return read_vertices(reader, &source, firsts, err);
    if (use->skin >= 0)
        bake_warn(gltf->builder, "joints_missing", "%s has no JOINTS_0: it follows joint 0 of skins[%d]", reader->where,
                  use->skin);
    else if (source.set_count > 0)
        bake_warn(gltf->builder, "joints_without_skin", "%s has joints, but no node draws it with a skin",
                  reader->where);
    for (uint32_t v = 0; v < reader->out.vertex_count; v++)
        firsts[v] = gltf->builder->influence_count;
    return 0;
}
