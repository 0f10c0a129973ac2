/* gltf_influence.c - reads the joints that influence each vertex of a primitive. */
#include "import/gltf/gltf_primitive.h"
#include "import/mesh/influences.h"

#include <stdio.h>

struct influence_source {
    struct accessor joints[JOINT_SETS_MAX], weights[JOINT_SETS_MAX];
    uint32_t set_count;
    uint32_t joint_count; /* joint count of the smallest skin with which the mesh is drawn */
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
        weight_rows->is_normalized = weight_rows->component != ACCESSOR_F32; /* the only meaning of integers here */
        source->set_count++;
    }
    return 0;
}

/* Reads the weights of a vertex, four from each set. */
static void gather(const struct influence_source *source, uint32_t vertex, struct joint_weight *out)
{
    for (uint32_t set = 0; set < source->set_count; set++) {
        uint32_t joint[4];
        double weight[4];
        accessor_row_u32(&source->joints[set], vertex, joint);
        accessor_row(&source->weights[set], vertex, weight);
        for (int i = 0; i < 4; i++)
            *out++ = (struct joint_weight){.weight = weight[i], .joint = joint[i]};
    }
}

static int read_vertices(const struct primitive_reader *reader, const struct influence_source *source, struct err *err)
{
    struct weight_repairs repairs = {0};
    for (uint32_t v = 0; v < reader->out.vertex_count; v++) {
        struct joint_weight weights[4 * JOINT_SETS_MAX];
        struct influence influences[4 * JOINT_SETS_MAX];
        gather(source, v, weights);
        const uint32_t count =
            influences_of_vertex(weights, 4 * source->set_count, source->joint_count, influences, &repairs);
        if (influences_put(reader->gltf->import, influences, count, err) < 0)
            return err->code;
    }
    influences_warn(reader->gltf->builder, &repairs, reader->out.vertex_count, reader->where);
    return 0;
}

int primitive_read_influences(struct primitive_reader *reader, struct err *err)
{
    struct gltf *gltf = reader->gltf;
    const struct gltf_mesh_use *use = &gltf->mesh_uses[reader->out.mesh];
    struct influence_source source = {.joint_count = use->joint_count};
    if (open_sets(reader, &source, err) < 0)
        return err->code;
    if (use->skin >= 0 && source.set_count > 0)
        return read_vertices(reader, &source, err);
    if (use->skin >= 0)
        bake_warn(gltf->builder, "joints_missing", "%s has no JOINTS_0: it follows joint 0 of skins[%d]", reader->where,
                  use->skin);
    else if (source.set_count > 0) {
        bake_warn(gltf->builder, "joints_without_skin", "%s has joints, but no node draws it with a skin",
                  reader->where);
        import_drop(gltf->import, "attribute", "JOINTS and WEIGHTS, which no skin needs", reader->where);
    }
    return influences_put_none(gltf->import, reader->out.vertex_count, err);
}
