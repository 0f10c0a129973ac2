/* fbx_skin.c - skins: the clusters of a geometry, in the file's order, as joints.
 *
 * A cluster's Transform takes the mesh's node to the bone where they were bound (FBX SDK reference, FbxCluster); with
 * the geometric transform before it, it takes control points there. Points that no cluster has follow the mesh's own
 * node: for them a skin has one more joint, the last. */
#include "import/fbx/fbx_deform.h"

#include "base/mem.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The clusters of one geometry that have a bone. */
struct clusters {
    uint32_t *objects; /* [count] */
    uint32_t *nodes;   /* [count]: of the builder */
    uint32_t count;
    uint32_t skin; /* the Deformer "Skin", an object */
};

static uint32_t bone_of(const struct fbx *fbx, uint32_t cluster)
{
    const uint32_t model = fbx_first_child(&fbx->scene, cluster, "Model", NULL);
    return model == FBX_NONE || fbx->node_of[model] < 0 ? FBX_NONE : (uint32_t)fbx->node_of[model];
}

static void find_clusters(const struct fbx *fbx, uint32_t skin, struct clusters *clusters)
{
    uint32_t link_count = 0;
    const struct fbx_link *links = fbx_children(&fbx->scene, skin, &link_count);
    *clusters = (struct clusters){.objects = mem_alloc(link_count * sizeof *clusters->objects),
                                  .nodes = mem_alloc(link_count * sizeof *clusters->nodes),
                                  .skin = skin};
    for (uint32_t i = 0; i < link_count; i++) {
        const uint32_t bone =
            fbx_object_is(&fbx->scene, links[i].child, "Deformer", "Cluster") ? bone_of(fbx, links[i].child) : FBX_NONE;
        if (bone == FBX_NONE)
            continue;
        clusters->objects[clusters->count] = links[i].child;
        clusters->nodes[clusters->count++] = bone;
    }
}

static void clusters_fini(struct clusters *clusters)
{
    free(clusters->objects);
    free(clusters->nodes);
}

/* --- weights --- */

/* A cluster's arrays. */
struct cluster_weights {
    int32_t *points;
    double *weights;
    uint32_t count;
};

static int read_cluster(const struct fbx *fbx, uint32_t cluster, struct cluster_weights *out, struct err *err)
{
    const struct fbx_file *file = &fbx->scene.file;
    const uint32_t record = fbx->scene.objects[cluster].record;
    uint32_t weight_count = 0;
    *out = (struct cluster_weights){0};
    if (fbx_int32s(file, fbx_child(file, record, "Indexes"), &out->points, &out->count, err) < 0 ||
        fbx_doubles(file, fbx_child(file, record, "Weights"), &out->weights, &weight_count, err) < 0)
        return err->code;
    if (weight_count < out->count)
        out->count = weight_count;
    return 0;
}

static void cluster_weights_fini(struct cluster_weights *cluster)
{
    free(cluster->points);
    free(cluster->weights);
}

static bool is_used(const struct cluster_weights *cluster, uint32_t i, uint32_t point_count)
{
    return cluster->points[i] >= 0 && (uint32_t)cluster->points[i] < point_count && cluster->weights[i] > 0 &&
           isfinite((float)cluster->weights[i]);
}

static void normalise(struct fbx_weights *weights, const double *values)
{
    for (uint32_t p = 0; p < weights->point_count; p++) {
        const uint32_t begin = weights->firsts[p], end = weights->firsts[p + 1];
        double sum = 0;
        for (uint32_t i = begin; i < end; i++)
            sum += values[i];
        for (uint32_t i = begin; i < end; i++)
            weights->entries[i].weight = (float)(values[i] / sum);
    }
}

/* Sorts the influences of all clusters by point; one without any gets the joint behind the clusters'. */
static void fill(struct fbx_weights *weights, const struct cluster_weights *clusters, uint32_t cluster_count,
                 double *values)
{
    uint32_t *at = mem_alloc((size_t)(weights->point_count + 1) * sizeof *at);
    memcpy(at, weights->firsts, (weights->point_count + 1) * sizeof *at);
    for (uint32_t c = 0; c < cluster_count; c++)
        for (uint32_t i = 0; i < clusters[c].count; i++) {
            if (!is_used(&clusters[c], i, weights->point_count))
                continue;
            const uint32_t place = at[clusters[c].points[i]]++;
            weights->entries[place].joint = c;
            values[place] = clusters[c].weights[i];
        }
    for (uint32_t p = 0; p < weights->point_count; p++)
        if (at[p] < weights->firsts[p + 1]) {
            weights->entries[at[p]].joint = cluster_count;
            values[at[p]] = 1;
        }
    free(at);
}

static struct fbx_weights *sort_weights(const struct cluster_weights *clusters, uint32_t cluster_count,
                                        uint32_t point_count)
{
    struct fbx_weights *weights = mem_zalloc(1, sizeof *weights);
    weights->point_count = point_count;
    weights->cluster_count = cluster_count;
    weights->firsts = mem_zalloc((size_t)point_count + 1, sizeof *weights->firsts);
    uint32_t *counts = weights->firsts + 1;
    for (uint32_t c = 0; c < cluster_count; c++)
        for (uint32_t i = 0; i < clusters[c].count; i++)
            if (is_used(&clusters[c], i, point_count))
                counts[clusters[c].points[i]]++;
    for (uint32_t p = 0; p < point_count; p++) {
        counts[p] += counts[p] == 0;
        counts[p] += weights->firsts[p];
    }
    const uint32_t total = weights->firsts[point_count];
    weights->entries = mem_alloc(total * sizeof *weights->entries);
    double *values = mem_alloc(total * sizeof *values);
    fill(weights, clusters, cluster_count, values);
    normalise(weights, values);
    free(values);
    return weights;
}

static int read_weights(const struct fbx *fbx, uint32_t geometry, const struct clusters *clusters,
                        struct fbx_weights **out, struct err *err)
{
    const struct fbx_file *file = &fbx->scene.file;
    const uint32_t vertices = fbx_child(file, fbx->scene.objects[geometry].record, "Vertices");
    double *points = NULL;
    uint32_t number_count = 0;
    int rc = fbx_doubles(file, vertices, &points, &number_count, err);
    free(points);
    struct cluster_weights *arrays = mem_zalloc(clusters->count, sizeof *arrays);
    for (uint32_t c = 0; c < clusters->count && rc == 0; c++)
        rc = read_cluster(fbx, clusters->objects[c], &arrays[c], err);
    if (rc == 0 && number_count >= 3)
        *out = sort_weights(arrays, clusters->count, number_count / 3);
    for (uint32_t c = 0; c < clusters->count; c++)
        cluster_weights_fini(&arrays[c]);
    free(arrays);
    return rc;
}

static bool has_loose_points(const struct fbx_weights *weights)
{
    for (uint32_t i = 0; i < weights->firsts[weights->point_count]; i++)
        if (weights->entries[i].joint == weights->cluster_count)
            return true;
    return false;
}

/* --- joints --- */

static bool read_matrix(const struct fbx *fbx, uint32_t record, struct dmat4 *out)
{
    struct err err = {0};
    double *numbers = NULL;
    uint32_t count = 0;
    bool is_read = fbx_doubles(&fbx->scene.file, record, &numbers, &count, &err) == 0 && count == 16;
    for (uint32_t i = 0; is_read && i < 16; i++)
        is_read = isfinite((float)numbers[i]);
    if (is_read)
        memcpy(out->m, numbers, sizeof out->m);
    free(numbers);
    return is_read;
}

/* Without a bind matrix the file's rest pose counts as the pose in which the mesh was bound. */
static struct dmat4 bone_from_node(const struct fbx *fbx, uint32_t node, uint32_t cluster, uint32_t bone)
{
    const struct fbx_file *file = &fbx->scene.file;
    const uint32_t record = fbx->scene.objects[cluster].record;
    struct dmat4 matrix, bone_from_scene;
    if (fbx_child(file, record, "TransformLink") != FBX_NONE &&
        read_matrix(fbx, fbx_child(file, record, "Transform"), &matrix))
        return matrix;
    bake_warn(fbx->builder, "bind_pose_missing", "%s has no bind matrix: the rest pose stands for it",
              FBX_OBJECT_TEXT(&fbx->scene, cluster));
    dmat4_invert(&fbx->scene_from_node[bone], &bone_from_scene);
    return dmat4_mul(&bone_from_scene, &fbx->scene_from_node[node]);
}

static int add_skin(struct fbx *fbx, uint32_t node, const struct clusters *clusters, const struct fbx_weights *weights,
                    struct err *err)
{
    struct bake_builder *builder = fbx->builder;
    const bool has_own_joint = has_loose_points(weights);
    const struct skin skin = {.name = fbx_name(fbx, clusters->skin),
                              .joint_first = builder->joint_count,
                              .joint_count = clusters->count + has_own_joint,
                              .mesh_node = -1};
    const struct dmat4 node_from_geometry = dmat4_from_trs(&fbx->node_from_geometry[node]);
    struct joint *joints = bake_add_joint(builder, skin.joint_count);
    if (joints == NULL)
        return import_full(fbx->import, err);
    for (uint32_t c = 0; c < clusters->count; c++) {
        const struct dmat4 from_node = bone_from_node(fbx, node, clusters->objects[c], clusters->nodes[c]);
        const struct dmat4 from_geometry = dmat4_mul(&from_node, &node_from_geometry);
        joints[c] = (struct joint){.joint_from_bind = mat4_from_dmat4(&from_geometry), .node = clusters->nodes[c]};
    }
    if (has_own_joint)
        joints[clusters->count] = (struct joint){.joint_from_bind = mat4_from_dmat4(&node_from_geometry), .node = node};
    fbx->skin_of[node] = (int32_t)builder->skin_count;
    return import_put_skin(fbx->import, &skin, err);
}

/* A node with the same skin before this one: no joint is the node itself, and the geometric transform is the same. */
static int32_t shared_skin(const struct fbx *fbx, uint32_t node, const struct fbx_weights *weights)
{
    for (uint32_t n = 0; n < node && !has_loose_points(weights); n++)
        if (fbx->weights_of[n] == weights &&
            memcmp(&fbx->node_from_geometry[n], &fbx->node_from_geometry[node], sizeof(struct trs)) == 0)
            return fbx->skin_of[n];
    return -1;
}

/* Weights of a geometry that a node before this one shows. */
static struct fbx_weights *known_weights(const struct fbx *fbx, uint32_t node)
{
    for (uint32_t n = 0; n < node; n++)
        if (fbx->geometry_of[n] == fbx->geometry_of[node])
            return fbx->weights_of[n];
    return NULL;
}

static int read_skin(struct fbx *fbx, uint32_t node, uint32_t skin, struct err *err)
{
    struct clusters clusters;
    find_clusters(fbx, skin, &clusters);
    int rc = 0;
    fbx->weights_of[node] = known_weights(fbx, node);
    if (clusters.count > 0 && fbx->weights_of[node] == NULL)
        rc = read_weights(fbx, fbx->geometry_of[node], &clusters, &fbx->weights_of[node], err);
    if (rc == 0 && fbx->weights_of[node] != NULL) {
        fbx->skin_of[node] = shared_skin(fbx, node, fbx->weights_of[node]);
        if (fbx->skin_of[node] < 0)
            rc = add_skin(fbx, node, &clusters, fbx->weights_of[node], err);
    }
    clusters_fini(&clusters);
    return rc;
}

/* The first skin of a geometry; others are left out with a warning. */
static uint32_t skin_deformer_of(struct fbx *fbx, uint32_t geometry)
{
    uint32_t count = 0, found = FBX_NONE;
    const struct fbx_link *links = fbx_children(&fbx->scene, geometry, &count);
    for (uint32_t i = 0; i < count; i++) {
        if (!fbx_object_is(&fbx->scene, links[i].child, "Deformer", "Skin"))
            continue;
        if (found != FBX_NONE) {
            bake_warn(fbx->builder, "skins_ignored", "%s has several skins: the first one counts",
                      FBX_OBJECT_TEXT(&fbx->scene, geometry));
            break;
        }
        found = links[i].child;
    }
    return found;
}

int fbx_read_skins(struct fbx *fbx, struct err *err)
{
    fbx->skin_of = mem_alloc(fbx->node_count * sizeof *fbx->skin_of);
    fbx->weights_of = mem_zalloc(fbx->node_count, sizeof *fbx->weights_of);
    for (uint32_t n = 0; n < fbx->node_count; n++)
        fbx->skin_of[n] = -1;
    for (uint32_t n = 0; n < fbx->node_count; n++) {
        const uint32_t skin = fbx->geometry_of[n] == FBX_NONE ? FBX_NONE : skin_deformer_of(fbx, fbx->geometry_of[n]);
        if (skin != FBX_NONE && read_skin(fbx, n, skin, err) < 0)
            return err->code;
    }
    return 0;
}

void fbx_skins_fini(struct fbx *fbx)
{
    for (uint32_t n = 0; n < fbx->node_count && fbx->weights_of != NULL; n++) {
        struct fbx_weights *weights = fbx->weights_of[n];
        if (weights == NULL || known_weights(fbx, n) != NULL)
            continue;
        free(weights->firsts);
        free(weights->entries);
        free(weights);
    }
    free(fbx->skin_of);
    free(fbx->weights_of);
}
