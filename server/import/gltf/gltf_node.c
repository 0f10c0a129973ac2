/* gltf_node.c - nodes, who is whose parent, the scene, and the nodes' morph weights. */
#include "import/gltf/gltf.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* A quaternion further from unit length than this is worth a word; closer is rounding. */
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
    const cJSON *children = json_member(gltf_item(gltf, GLTF_NODES, index), "children");
    for (const cJSON *item = children == NULL ? NULL : children->child; item != NULL; item = item->next) {
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

/* With one parent at most, a node is in a cycle when going up from it comes back. Each node is walked over once:
 * `walk` holds the number of the walk that passed it. */
static int check_cycles(struct gltf *gltf, struct err *err)
{
    const uint32_t count = gltf->builder->node_count;
    void *memory;
    if (gltf_alloc(&memory, count, sizeof(uint32_t), err) < 0)
        return err->code;
    uint32_t *walk = memory;
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
    free(memory);
    return rc;
}

static int add_root(struct gltf *gltf, uint32_t node, struct err *err)
{
    uint32_t *root = bake_add_root(gltf->builder, 1);
    if (root == NULL)
        return gltf_full(gltf, err);
    *root = node;
    return 0;
}

/* The roots that a scene lists. One with a parent keeps it, and is drawn where that puts it. */
static int read_scene(struct gltf *gltf, uint32_t scene, struct err *err)
{
    void *memory;
    if (gltf_alloc(&memory, gltf->builder->node_count, sizeof(bool), err) < 0)
        return err->code;
    bool *is_listed = memory;
    const cJSON *nodes = json_member(gltf_item(gltf, GLTF_SCENES, scene), "nodes");
    int rc = 0;
    for (const cJSON *item = nodes == NULL ? NULL : nodes->child; item != NULL && rc == 0; item = item->next) {
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
        rc = add_root(gltf, node, err);
    }
    free(memory);
    return rc;
}

static int read_roots(struct gltf *gltf, struct err *err)
{
    if (gltf->lists[GLTF_SCENES].count > 0) {
        const int64_t scene = json_index(gltf->root, "scene");
        return read_scene(gltf, scene < 0 ? 0 : (uint32_t)scene, err);
    }
    for (uint32_t i = 0; i < gltf->builder->node_count; i++)
        if (gltf->builder->nodes[i].parent < 0 && add_root(gltf, i, err) < 0)
            return err->code;
    return 0;
}

static uint32_t count_targets(struct gltf *gltf, uint32_t mesh)
{
    const cJSON *primitives = json_member(gltf_item(gltf, GLTF_MESHES, mesh), "primitives");
    uint32_t most = 0;
    for (const cJSON *item = primitives->child; item != NULL; item = item->next) {
        const uint32_t count = json_size(json_member(item, "targets"));
        if (item != primitives->child && count != most)
            bake_warn(gltf->builder, "target_counts_differ", "the primitives of meshes[%u] differ in morph targets",
                      mesh);
        most = count > most ? count : most;
    }
    return most;
}

static int read_uses(struct gltf *gltf, struct err *err)
{
    const uint32_t mesh_count = gltf->lists[GLTF_MESHES].count;
    void *memory;
    if (gltf_alloc(&memory, mesh_count, sizeof *gltf->mesh_uses, err) < 0)
        return err->code;
    gltf->mesh_uses = memory;
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
    return 0;
}

int gltf_read_nodes(struct gltf *gltf, struct err *err)
{
    const uint32_t count = gltf->lists[GLTF_NODES].count;
    if (gltf_limit(gltf, LIMIT_NODES, 0, count, "nodes", err) < 0)
        return err->code;
    if (bake_add_node(gltf->builder, count) == NULL)
        return gltf_full(gltf, err);
    for (uint32_t i = 0; i < count; i++)
        read_node(gltf, i);
    for (uint32_t i = 0; i < count; i++)
        if (read_children(gltf, i, err) < 0)
            return err->code;
    if (check_cycles(gltf, err) < 0 || read_roots(gltf, err) < 0)
        return err->code;
    return read_uses(gltf, err);
}

/* The weights that a node or mesh gives, into out[count]. 1 when there are some, 0 when not. */
static int read_own_weights(struct gltf *gltf, enum gltf_list_id list, uint32_t index, uint32_t count, float *out,
                            struct err *err)
{
    const cJSON *json = gltf_item(gltf, list, index);
    const uint32_t given = json_size(json_member(json, "weights"));
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
    const cJSON *own = json_member(gltf_item(gltf, GLTF_NODES, index), "weights");
    const uint32_t count = node->mesh < 0 ? 0 : gltf->mesh_uses[node->mesh].target_count;
    if (count == 0) {
        if (json_size(own) > 0)
            bake_warn(gltf->builder, "weights_without_targets", "nodes[%u].weights has no morph targets to move",
                      index);
        return 0;
    }
    if (gltf_limit(gltf, LIMIT_WEIGHTS, gltf->builder->weight_count, count, "the nodes' morph weights", err) < 0)
        return err->code;
    node->weight_first = gltf->builder->weight_count;
    node->weight_count = count;
    float *weights = bake_add_weight(gltf->builder, count);
    if (weights == NULL)
        return gltf_full(gltf, err);
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
