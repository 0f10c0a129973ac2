/* gltf_skin.c - skins: joints in file order and their inverse bind matrices. */
#include "import/gltf/gltf_accessor.h"

#include <math.h>
#include <stdio.h>

static const struct mat4 IDENTITY = {{1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1}};

/* joint_from_bind of joints[count]. The last row must be 0, 0, 0, 1 (glTF 2.0, 3.7.3.1). */
static int read_matrices(struct gltf *gltf, uint32_t skin, uint32_t accessor_index, uint32_t count,
                         struct joint *joints, struct err *err)
{
    char where[64];
    snprintf(where, sizeof where, "skins[%u].inverseBindMatrices", skin);
    const struct accessor_use use = {where, ACCESSOR_MAT4, ACCESSOR_F32};
    struct accessor accessor;
    if (accessor_open(gltf, accessor_index, &use, &accessor, err) < 0)
        return err->code;
    if (accessor.count < count)
        return err_set(err, ERR_BAD_MODEL, "%s has %u matrices for %u joints", where, accessor.count, count);
    if (accessor.count > count)
        bake_warn(gltf->builder, "matrices_ignored", "%s has %u matrices for %u joints", where, accessor.count, count);
    accessor.count = count;
    static const float LAST_ROW[4] = {0, 0, 0, 1};
    bool is_repaired = false;
    for (uint32_t i = 0; i < count; i++) {
        double values[16];
        accessor_row(&accessor, i, values);
        for (uint32_t e = 0; e < 16; e++) {
            if (!isfinite(values[e]))
                return err_set(err, ERR_BAD_MODEL, "%s: matrix %u has a number that is not finite", where, i);
            is_repaired |= e % 4 == 3 && (float)values[e] != LAST_ROW[e / 4];
            joints[i].joint_from_bind.m[e] = e % 4 == 3 ? LAST_ROW[e / 4] : (float)values[e];
        }
    }
    if (is_repaired)
        bake_warn(gltf->builder, "matrix_row_repaired", "%s has last rows other than 0, 0, 0, 1", where);
    return 0;
}

static int read_skin(struct gltf *gltf, uint32_t index, struct err *err)
{
    struct bake_builder *builder = gltf->builder;
    const cJSON *json = gltf_item(gltf, GLTF_SKINS, index);
    const uint32_t count = (uint32_t)cJSON_GetArraySize(json_member(json, "joints"));
    if (count == 0)
        return err_set(err, ERR_BAD_MODEL, "skins[%u].joints is empty", index);
    builder->skins[index].name = gltf_name(gltf, json, GLTF_SKINS, index);
    builder->skins[index].joint_first = builder->joint_count;
    builder->skins[index].joint_count = count;
    builder->skins[index].mesh_node = -1;
    struct joint *joints = bake_add_joint(builder, count);
    if (joints == NULL)
        return import_full(gltf->import, err);
    const cJSON *item = json_first(json, "joints");
    for (uint32_t i = 0; i < count; i++, item = item->next)
        joints[i] = (struct joint){.joint_from_bind = IDENTITY, .node = (uint32_t)item->valuedouble};
    const int64_t matrices = json_index(json, "inverseBindMatrices");
    return matrices < 0 ? 0 : read_matrices(gltf, index, (uint32_t)matrices, count, joints, err);
}

int gltf_read_skins(struct gltf *gltf, struct err *err)
{
    const uint32_t count = gltf->lists[GLTF_SKINS].count;
    if (bake_add_skin(gltf->builder, count) == NULL)
        return import_full(gltf->import, err);
    for (uint32_t i = 0; i < count; i++)
        if (read_skin(gltf, i, err) < 0)
            return err->code;
    return 0;
}
