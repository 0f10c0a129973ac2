/* gltf_node.c - reads nodes and their parents, the scene, the nodes' morph weights and cameras. */
#include "import/gltf/gltf.h"

#include "base/mem.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A quaternion further from unit length than this gets a warning; a smaller deviation is rounding. */
static const double UNIT_TOLERANCE = 1e-3;

/* The element (row 3, column c) must be 0, 0, 0, 1 (glTF 2.0, 3.5.2), or points would need a division. */
static void read_matrix(struct gltf *gltf, const cJSON *json, uint32_t index)
{
    struct mat4 *matrix = bake_add_node_matrix(gltf->builder, 1);
    if (matrix == NULL)
        return;
    json_floats(json, "matrix", 16, matrix->m);
    gltf->builder->nodes[index].matrix = (int32_t)gltf->builder->node_matrix_count - 1;
    const float last[4] = {0, 0, 0, 1};
    bool is_repaired = false;
    for (int c = 0; c < 4; c++) {
        is_repaired |= matrix->m[4 * c + 3] != last[c];
        matrix->m[4 * c + 3] = last[c];
    }
    if (is_repaired)
        bake_warn(gltf->builder, "matrix_row_repaired", "nodes[%u].matrix has a last row other than 0, 0, 0, 1", index);
}

static void read_rotation(struct gltf *gltf, const cJSON *json, uint32_t index)
{
    float *q = gltf->builder->nodes[index].rotation;
    if (!json_floats(json, "rotation", 4, q))
        return;
    double square = 0;
    for (int i = 0; i < 4; i++)
        square += (double)q[i] * (double)q[i];
    if (fabs(sqrt(square) - 1) > UNIT_TOLERANCE)
        bake_warn(gltf->builder, "rotation_normalised", "nodes[%u].rotation has the length %.6g: it is normalised",
                  index, sqrt(square));
    if (square == 0)
        q[3] = 1;
}

static void read_node(struct gltf *gltf, uint32_t index)
{
    const cJSON *json = gltf_item(gltf, GLTF_NODES, index);
    struct node *node = &gltf->builder->nodes[index];
    *node = (struct node){.parent = -1, .matrix = -1, .rotation = {0, 0, 0, 1}, .scale = {1, 1, 1}};
    node->name = gltf_name(gltf, json, GLTF_NODES, index);
    node->mesh = (int32_t)json_index(json, "mesh");
    node->skin = (int32_t)json_index(json, "skin");
    if (node->skin >= 0 && node->mesh < 0) {
        bake_warn(gltf->builder, "skin_without_mesh", "nodes[%u] has a skin but no mesh: the skin is not used there",
                  index);
        node->skin = -1;
    }
    json_floats(json, "translation", 3, node->translation);
    json_floats(json, "scale", 3, node->scale);
    read_rotation(gltf, json, index);
    if (json_member(json, "matrix") != NULL)
        read_matrix(gltf, json, index);
}

struct label {
    char text[96];
};

/* "nodes[3] ('Hips')", or "nodes[3]" for one without a name. */
static struct label label_of(const struct gltf *gltf, uint32_t node)
{
    struct label label;
    const char *name = json_text(gltf_item(gltf, GLTF_NODES, node), "name");
    if (name == NULL)
        snprintf(label.text, sizeof label.text, "nodes[%u]", node);
    else
        snprintf(label.text, sizeof label.text, "nodes[%u] ('%.60s')", node, name);
    return label;
}

static int read_children(struct gltf *gltf, uint32_t index, struct err *err)
{
    const cJSON *item = json_first(gltf_item(gltf, GLTF_NODES, index), "children");
    for (; item != NULL; item = item->next) {
        const uint32_t child = (uint32_t)item->valuedouble;
        struct node *node = &gltf->builder->nodes[child];
        if (child == index)
            return err_set(err, ERR_BAD_MODEL, "%s is its own child", label_of(gltf, index).text);
        if (node->parent >= 0)
            return err_set(err, ERR_BAD_MODEL, "%s is a child of %s and again of %s", label_of(gltf, child).text,
                           label_of(gltf, (uint32_t)node->parent).text, label_of(gltf, index).text);
        node->parent = (int32_t)index;
    }
    return 0;
}

/* Each node has at most one parent, so a node is in a cycle if the walk up from it returns to it. Each node is visited
 * once: `walk` holds the number of the walk that visited it. */
static int check_cycles(struct gltf *gltf, struct err *err)
{
    const uint32_t count = gltf->builder->node_count;
    uint32_t *walk = mem_zalloc(count, sizeof *walk);
    int rc = 0;
    for (uint32_t start = 0; start < count && rc == 0; start++) {
        int32_t at = (int32_t)start;
        while (at >= 0 && walk[at] == 0) {
            walk[at] = start + 1;
            at = gltf->builder->nodes[at].parent;
        }
        if (at >= 0 && walk[at] == start + 1)
            rc = err_set(err, ERR_BAD_MODEL, "%s is its own ancestor, through %s", label_of(gltf, (uint32_t)at).text,
                         label_of(gltf, (uint32_t)gltf->builder->nodes[at].parent).text);
    }
    free(walk);
    return rc;
}

/* Adds the roots that a scene lists. A root with a parent keeps it, and is drawn where the parent places it. */
static int read_scene(struct gltf *gltf, uint32_t scene, struct err *err)
{
    bool *is_listed = mem_zalloc(gltf->builder->node_count, sizeof *is_listed);
    const cJSON *item = json_first(gltf_item(gltf, GLTF_SCENES, scene), "nodes");
    int rc = 0;
    for (; item != NULL && rc == 0; item = item->next) {
        const uint32_t node = (uint32_t)item->valuedouble;
        if (is_listed[node]) {
            bake_warn(gltf->builder, "scene_root_twice", "scenes[%u] lists nodes[%u] twice", scene, node);
            continue;
        }
        if (gltf->builder->nodes[node].parent >= 0)
            bake_warn(gltf->builder, "scene_root_has_parent",
                      "scenes[%u] lists nodes[%u], which is a child of nodes[%d]", scene, node,
                      gltf->builder->nodes[node].parent);
        is_listed[node] = true;
        rc = import_put_root(gltf->import, &node, err);
    }
    free(is_listed);
    return rc;
}

static int read_roots(struct gltf *gltf, struct err *err)
{
    if (gltf->lists[GLTF_SCENES].count > 0) {
        const int64_t scene = json_index(gltf->root, "scene");
        return read_scene(gltf, scene < 0 ? 0 : (uint32_t)scene, err);
    }
    for (uint32_t i = 0; i < gltf->builder->node_count; i++)
        if (gltf->builder->nodes[i].parent < 0 && import_put_root(gltf->import, &i, err) < 0)
            return err->code;
    return 0;
}

/* KHR_node_visibility: an invisible node hides its descendants. */
static void read_visibility(struct gltf *gltf)
{
    const uint32_t count = gltf->builder->node_count;
    enum visibility *visibilities = mem_zalloc((size_t)count + 1, sizeof *visibilities);
    for (uint32_t i = 0; i < count; i++) {
        const cJSON *extensions = json_member(gltf_item(gltf, GLTF_NODES, i), "extensions");
        if (cJSON_IsFalse(json_member(json_member(extensions, "KHR_node_visibility"), "visible")))
            visibilities[i] = VISIBILITY_HIDDEN;
    }
    import_hide_nodes(gltf->import, visibilities);
    free(visibilities);
}

static uint32_t count_targets(struct gltf *gltf, uint32_t mesh)
{
    const cJSON *first = json_first(gltf_item(gltf, GLTF_MESHES, mesh), "primitives");
    uint32_t most = 0;
    for (const cJSON *item = first; item != NULL; item = item->next) {
        const uint32_t count = (uint32_t)cJSON_GetArraySize(json_member(item, "targets"));
        if (item != first && count != most)
            bake_warn(gltf->builder, "target_counts_differ", "the primitives of meshes[%u] differ in morph targets",
                      mesh);
        most = count > most ? count : most;
    }
    return most;
}

static void read_uses(struct gltf *gltf)
{
    const uint32_t mesh_count = gltf->lists[GLTF_MESHES].count;
    gltf->mesh_uses = mem_zalloc(mesh_count, sizeof *gltf->mesh_uses);
    for (uint32_t i = 0; i < mesh_count; i++)
        gltf->mesh_uses[i] = (struct gltf_mesh_use){.skin = -1, .target_count = count_targets(gltf, i)};
    for (uint32_t i = 0; i < gltf->builder->node_count; i++) {
        const struct node *node = &gltf->builder->nodes[i];
        if (node->skin < 0)
            continue;
        const uint32_t joints = gltf->builder->skins[node->skin].joint_count;
        struct gltf_mesh_use *use = &gltf->mesh_uses[node->mesh];
        if (use->skin < 0 || joints < use->joint_count) {
            use->skin = node->skin;
            use->joint_count = joints;
        }
    }
}

int gltf_read_nodes(struct gltf *gltf, struct err *err)
{
    const uint32_t count = gltf->lists[GLTF_NODES].count;
    if (import_check_limit(gltf->import, LIMIT_NODES, 0, count, "nodes", err) < 0)
        return err->code;
    if (bake_add_node(gltf->builder, count) == NULL)
        return import_full(gltf->import, err);
    for (uint32_t i = 0; i < count; i++)
        read_node(gltf, i);
    for (uint32_t i = 0; i < count; i++)
        if (read_children(gltf, i, err) < 0)
            return err->code;
    if (check_cycles(gltf, err) < 0 || read_roots(gltf, err) < 0)
        return err->code;
    read_visibility(gltf);
    read_uses(gltf);
    return 0;
}

/* Writes the weights of a node or mesh to out[count]. Returns 1 if there are some, 0 if not. */
static int read_own_weights(struct gltf *gltf, enum gltf_list_id list, uint32_t index, uint32_t count, float *out,
                            struct err *err)
{
    const cJSON *json = gltf_item(gltf, list, index);
    const uint32_t given = (uint32_t)cJSON_GetArraySize(json_member(json, "weights"));
    if (given == 0)
        return 0;
    if (given != count)
        return err_set(err, ERR_BAD_MODEL, "%s[%u].weights has %u numbers, but the mesh has %u morph targets",
                       GLTF_LIST_NAMES[list], index, given, count);
    json_floats(json, "weights", count, out);
    return 1;
}

static int read_node_weights(struct gltf *gltf, uint32_t index, struct err *err)
{
    struct node *node = &gltf->builder->nodes[index];
    const uint32_t count = node->mesh < 0 ? 0 : gltf->mesh_uses[node->mesh].target_count;
    if (count == 0) {
        if (json_first(gltf_item(gltf, GLTF_NODES, index), "weights") != NULL)
            bake_warn(gltf->builder, "weights_without_targets", "nodes[%u].weights has no morph targets to move",
                      index);
        return 0;
    }
    if (import_check_limit(gltf->import, LIMIT_WEIGHTS, gltf->builder->weight_count, count, "the nodes' morph weights",
                           err) < 0)
        return err->code;
    node->weight_first = gltf->builder->weight_count;
    node->weight_count = count;
    float *weights = bake_add_weight(gltf->builder, count);
    if (weights == NULL)
        return import_full(gltf->import, err);
    const int given = read_own_weights(gltf, GLTF_NODES, index, count, weights, err);
    if (given != 0)
        return given;
    return read_own_weights(gltf, GLTF_MESHES, (uint32_t)node->mesh, count, weights, err);
}

int gltf_read_weights(struct gltf *gltf, struct err *err)
{
    for (uint32_t i = 0; i < gltf->builder->node_count; i++)
        if (read_node_weights(gltf, i, err) < 0)
            return err->code;
    return 0;
}

/* --- cameras, each at the node that has it (glTF 2.0, 3.10) --- */

/* Returns false if the numbers are invalid for a camera. */
static bool read_view(const cJSON *json, struct model_camera *camera)
{
    const char *type = json_text(json, "type");
    if (strcmp(type, "perspective") == 0) {
        const cJSON *view = json_member(json, "perspective");
        camera->kind = CAMERA_PERSPECTIVE;
        camera->height = (float)json_number(view, "yfov", 0);
        camera->width = (float)json_number(view, "aspectRatio", 0);
        camera->z_near = (float)json_number(view, "znear", 0);
        camera->z_far = (float)json_number(view, "zfar", 0);
        return camera->height > 0 && camera->height < 3.14f && camera->width >= 0 && camera->z_near > 0 &&
               (camera->z_far > camera->z_near || json_member(view, "zfar") == NULL) && isfinite(camera->width) &&
               isfinite(camera->z_near) && isfinite(camera->z_far);
    }
    const cJSON *view = json_member(json, "orthographic");
    camera->kind = CAMERA_ORTHOGRAPHIC;
    /* The sign of its size has no meaning. */
    camera->height = (float)fabs(json_number(view, "ymag", 0));
    camera->width = (float)fabs(json_number(view, "xmag", 0));
    camera->z_near = (float)json_number(view, "znear", -1);
    camera->z_far = (float)json_number(view, "zfar", 0);
    return strcmp(type, "orthographic") == 0 && camera->height > 0 && camera->width > 0 && camera->z_near >= 0 &&
           camera->z_far > camera->z_near && isfinite(camera->height) && isfinite(camera->width) &&
           isfinite(camera->z_far);
}

int gltf_read_cameras(struct gltf *gltf, struct err *err)
{
    for (uint32_t n = 0; n < gltf->builder->node_count; n++) {
        const int64_t index = json_index(gltf_item(gltf, GLTF_NODES, n), "camera");
        if (index < 0)
            continue;
        const cJSON *json = gltf_item(gltf, GLTF_CAMERAS, (uint32_t)index);
        const char *name = json_text(json, "name");
        struct model_camera camera = {.node = n};
        if (!read_view(json, &camera)) {
            bake_warn(gltf->builder, "camera_ignored", "cameras[%u] has a view that no camera can have",
                      (unsigned)index);
            continue;
        }
        camera.name = name != NULL ? bake_textz(gltf->builder, name) : gltf->builder->nodes[n].name;
        if (import_put_camera(gltf->import, &camera, err) < 0)
            return err->code;
    }
    return 0;
}
