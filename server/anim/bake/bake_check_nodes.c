/* bake_check_nodes.c - checks nodes, joints, skins, cameras and bones of humans. */
#include "anim/bake/bake_check.h"

#include <stdlib.h>
#include <string.h>

static const struct mat4 IDENTITY = {{1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1}};

static const char *joint_fault(const struct model *model, uint32_t j)
{
    const struct joint *joint = &model->joints[j];
    return !bake_is_affine(&joint->joint_from_bind)                              ? "joint_from_bind"
           : joint->node >= model->node_count                                    ? "node"
           : (joint->reserved[0] | joint->reserved[1] | joint->reserved[2]) != 0 ? "reserved"
                                                                                 : NULL;
}

/* The file's skins come first, then the rigid ones, whose single joint is the mesh node itself. */
static bool is_skin_kind(const struct model *model, uint32_t s)
{
    const struct skin *skin = &model->skins[s];
    if (skin->flags == 0)
        return s == 0 || model->skins[s - 1].flags == 0;
    const struct joint *joint = &model->joints[skin->joint_first];
    return skin->flags == SKIN_RIGID && skin->method == METHOD_LINEAR && skin->joint_count == 1 &&
           skin->mesh_node >= 0 && joint->node == (uint32_t)skin->mesh_node &&
           memcmp(&joint->joint_from_bind, &IDENTITY, sizeof IDENTITY) == 0;
}

static bool is_user(const struct model *model, uint32_t s)
{
    const struct skin *skin = &model->skins[s];
    if (skin->mesh_node < 0)
        return true;
    const struct node *node = &model->nodes[skin->mesh_node];
    return node->mesh >= 0 && node->skin == (skin->flags == SKIN_RIGID ? -1 : (int32_t)s);
}

int bake_check_skins(const struct model *model, struct err *err)
{
    const int rc = bake_check_each(model, "joints", model->joint_count, joint_fault, err);
    if (rc < 0)
        return rc;
    uint64_t joints = 0;
    for (uint32_t s = 0; s < model->skin_count; s++) {
        const struct skin *skin = &model->skins[s];
        joints += skin->joint_count;
        const char *field = !bake_is_str(model, skin->name) ? "name"
                            : skin->joint_count == 0 || joints > model->joint_count ||
                                    !bake_is_range(skin->joint_first, skin->joint_count, model->joint_count)
                                ? "joints"
                            : !bake_is_index(skin->mesh_node, model->node_count) ? "mesh_node"
                            : skin->method > METHOD_BLENDED                      ? "method"
                            : !is_skin_kind(model, s)                            ? "flags"
                            : !is_user(model, s)                                 ? "mesh_node"
                                                                                 : NULL;
        if (field != NULL)
            return bake_check_fail(err, "skins", s, field);
    }
    return 0;
}

/* With is_user(): each file skin's mesh_node is its first user, and each unskinned mesh node has its own rigid skin. */
static int check_skin_users(const struct model *model, struct err *err)
{
    uint32_t rigid = 0;
    while (rigid < model->skin_count && model->skins[rigid].flags == 0)
        rigid++;
    for (uint32_t n = 0; n < model->node_count; n++) {
        const struct node *node = &model->nodes[n];
        if (node->mesh < 0)
            continue;
        bool is_found;
        if (node->skin >= 0) {
            const int32_t user = model->skins[node->skin].mesh_node;
            is_found = user >= 0 && (uint32_t)user <= n;
        } else {
            is_found = rigid < model->skin_count && model->skins[rigid].mesh_node == (int32_t)n;
            rigid++;
        }
        if (!is_found)
            return bake_check_fail(err, "nodes", n, "skin");
    }
    return rigid == model->skin_count ? 0 : bake_check_fail(err, "skins", rigid, "mesh_node");
}

static int check_node(const struct model *model, uint32_t n, uint64_t *weights, struct err *err)
{
    const struct node *node = &model->nodes[n];
    const uint32_t flags = NODE_IN_SCENE | NODE_SHEAR | NODE_JOINT | NODE_SCALES | NODE_HIDDEN | NODE_HIDES,
                   scales = node->flags & NODE_SCALES;
    *weights += node->weight_count;
    const char *field =
        !bake_is_str(model, node->name)                          ? "name"
        : !bake_is_index(node->parent, model->node_count)        ? "parent"
        : !bake_is_index(node->mesh, model->mesh_count)          ? "mesh"
        : !bake_is_index(node->skin, model->skin_count)          ? "skin"
        : node->skin >= 0 && model->skins[node->skin].flags != 0 ? "skin"
        : !bake_is_index(node->matrix, model->node_matrix_count) ? "matrix"
        : !floats_are_finite(node->translation, 3)               ? "translation"
        : !floats_are_finite(node->rotation, 4)                  ? "rotation"
        : !floats_are_finite(node->scale, 3)                     ? "scale"
        : *weights > model->weight_count || !bake_is_range(node->weight_first, node->weight_count, model->weight_count)
            ? "weights"
        : (node->flags & ~flags) != 0 || ((node->flags & NODE_SHEAR) != 0 && node->matrix < 0) ||
                (node->flags & (NODE_HIDDEN | NODE_HIDES)) == NODE_HIDES || scales == NODE_SCALES ||
                (scales != 0 && node->matrix >= 0)
            ? "flags"
            : NULL;
    return field == NULL ? 0 : bake_check_fail(err, "nodes", n, field);
}

/* `seen` is zeroed, one byte a node. */
static int check_order(const struct model *model, unsigned char *seen, struct err *err)
{
    if (model->order_count != model->node_count)
        return err_set(err, ERR_BAD_BAKE, "node_order has %u elements for %u nodes", model->order_count,
                       model->node_count);
    for (uint32_t i = 0; i < model->order_count; i++) {
        const uint32_t n = model->node_order[i];
        if (n >= model->node_count || seen[n] || (model->nodes[n].parent >= 0 && !seen[model->nodes[n].parent]))
            return bake_check_fail(err, "node_order", i, "node");
        seen[n] = 1;
    }
    return 0;
}

/* Checks the flags that follow from scene_roots and from the file's skins. `derived` is zeroed, one byte a node. */
static int check_flags(const struct model *model, unsigned char *derived, struct err *err)
{
    for (uint32_t r = 0; r < model->root_count; r++) {
        const uint32_t n = model->scene_roots[r];
        if (n >= model->node_count || derived[n] != 0)
            return bake_check_fail(err, "scene_roots", r, "node");
        derived[n] = NODE_IN_SCENE;
    }
    for (uint32_t s = 0; s < model->skin_count && model->skins[s].flags == 0; s++)
        for (uint32_t j = 0; j < model->skins[s].joint_count; j++)
            derived[model->joints[model->skins[s].joint_first + j].node] |= NODE_JOINT;
    for (uint32_t i = 0; i < model->order_count; i++) {
        const uint32_t n = model->node_order[i];
        const struct node *node = &model->nodes[n];
        if (node->parent >= 0)
            derived[n] |= derived[node->parent] & NODE_IN_SCENE;
        if ((node->flags & (NODE_IN_SCENE | NODE_JOINT)) != derived[n])
            return bake_check_fail(err, "nodes", n, "flags");
    }
    return 0;
}

static bool is_camera_view(const struct model_camera *camera)
{
    const float view[4] = {camera->height, camera->width, camera->z_near, camera->z_far};
    if (!floats_are_finite(view, 4) || !(camera->height > 0) || !(camera->width >= 0))
        return false;
    if (camera->kind == CAMERA_ORTHOGRAPHIC)
        return camera->width > 0 && camera->z_near >= 0 && camera->z_far > camera->z_near;
    return camera->height < 3.14159f && camera->z_near > 0 && (camera->z_far <= 0 || camera->z_far > camera->z_near) &&
           camera->z_far >= 0;
}

static const char *camera_fault(const struct model *model, uint32_t i)
{
    const struct model_camera *camera = &model->cameras[i];
    return camera->node >= model->node_count || (i > 0 && camera[-1].node >= camera->node) ? "node"
           : camera->kind > CAMERA_ORTHOGRAPHIC                                            ? "kind"
           : camera->facing > CAMERA_FACING_X                                              ? "facing"
           : !is_camera_view(camera)                                                       ? "view"
           : !bake_is_str(model, camera->name)                                             ? "name"
                                                                                           : NULL;
}

static bool is_light_cone(const struct model_light *light)
{
    if (light->kind != LIGHT_KIND_SPOT)
        return light->inner_cone == 0 && light->outer_cone == 0; /* false for NaN */
    return light->inner_cone >= 0 && light->inner_cone < light->outer_cone && light->outer_cone <= 1.5708f;
}

static const char *light_fault(const struct model *model, uint32_t i)
{
    const struct model_light *light = &model->lights[i];
    const float numbers[5] = {light->color[0], light->color[1], light->color[2], light->intensity, light->range};
    bool is_good = floats_are_finite(numbers, 5);
    for (int k = 0; k < 5; k++)
        is_good = is_good && numbers[k] >= 0;
    return light->node >= model->node_count || (i > 0 && light[-1].node >= light->node) ? "node"
           : light->kind >= LIGHT_KIND_COUNT                                            ? "kind"
           : !is_good || (light->kind == LIGHT_KIND_DIRECTIONAL && light->range > 0)    ? "power"
           : !is_light_cone(light)                                                      ? "cone"
           : !bake_is_str(model, light->name)                                           ? "name"
                                                                                        : NULL;
}

/* MODEL_OWN_SCALES must say whether some node has such a flag, because evaluation only looks at it. */
static int check_scales(const struct model *model, struct err *err)
{
    uint32_t flags = 0;
    for (uint32_t n = 0; n < model->node_count; n++)
        flags |= model->nodes[n].flags & NODE_SCALES;
    const bool is_said = (model->infos[0].flags & MODEL_OWN_SCALES) != 0;
    return is_said == (flags != 0) ? 0 : bake_check_fail(err, "infos", 0, "flags");
}

bool bake_is_before(const struct model *model, struct str a, struct str b)
{
    const uint32_t least = a.size_bytes < b.size_bytes ? a.size_bytes : b.size_bytes;
    const int order = memcmp(model->text + a.offset, model->text + b.offset, least);
    return order < 0 || (order == 0 && a.size_bytes < b.size_bytes);
}

static const char *humanoid_fault(const struct model *model, uint32_t i)
{
    const struct humanoid_bone *bone = &model->humanoid_bones[i];
    return i >= HUMANOID_BONES_MAX                                            ? "count"
           : !bake_is_str(model, bone->name) || bone->name.offset == STR_NONE ? "name"
           : i > 0 && !bake_is_before(model, bone[-1].name, bone->name)       ? "name"
           : bone->node >= model->node_count                                  ? "node"
           : bone->reserved != 0                                              ? "reserved"
                                                                              : NULL;
}

static const char *hitbox_fault(const struct model *model, uint32_t i)
{
    const struct hitbox *hitbox = &model->hitboxes[i];
    const struct hit_volume *volume = &hitbox->volume;
    float length = 0;
    for (int k = 0; k < 4; k++)
        length += fabsf(volume->rotation[k]);
    const bool is_shape = floats_are_finite(volume->center, 3) && floats_are_finite(volume->end, 3) &&
                          floats_are_finite(volume->rotation, 4) && floats_are_finite(volume->half, 3) &&
                          isfinite(volume->radius) && volume->radius >= 0 && volume->half[0] >= 0 &&
                          volume->half[1] >= 0 && volume->half[2] >= 0 && length > 0.1f;
    return i >= HITBOXES_MAX                   ? "count"
           : hitbox->rule > HITBOX_NONE        ? "rule"
           : volume->node >= model->node_count ? "node"
           : volume->kind >= VOLUME_KIND_COUNT ? "kind"
           : !is_shape                         ? "shape"
           : !bake_is_str(model, volume->name) ? "name"
                                               : NULL;
}

int bake_check_nodes(const struct model *model, struct err *err)
{
    int rc = 0;
    uint64_t weights = 0;
    for (uint32_t n = 0; n < model->node_count && rc == 0; n++)
        rc = check_node(model, n, &weights, err);
    if (rc == 0)
        rc = check_scales(model, err);
    for (uint32_t m = 0; m < model->node_matrix_count && rc == 0; m++)
        if (!bake_is_affine(&model->node_matrices[m]))
            rc = bake_check_fail(err, "node_matrices", m, "m");
    if (rc == 0 && !floats_are_finite(model->weights, model->weight_count))
        rc = err_set(err, ERR_BAD_BAKE, "weights has a value that is not finite");
    if (rc == 0)
        rc = check_skin_users(model, err);
    if (rc < 0)
        return rc;
    unsigned char *scratch = calloc((size_t)model->node_count + 1, 2);
    if (scratch == NULL)
        return err_set(err, ERR_NO_MEMORY, "no memory to check %u nodes", model->node_count);
    rc = check_order(model, scratch, err);
    if (rc == 0)
        rc = check_flags(model, scratch + model->node_count, err);
    if (rc == 0)
        rc = bake_check_each(model, "cameras", model->camera_count, camera_fault, err);
    if (rc == 0)
        rc = bake_check_each(model, "lights", model->light_count, light_fault, err);
    if (rc == 0)
        rc = bake_check_each(model, "humanoid_bones", model->humanoid_bone_count, humanoid_fault, err);
    if (rc == 0)
        rc = bake_check_each(model, "hitboxes", model->hitbox_count, hitbox_fault, err);
    free(scratch);
    return rc;
}
