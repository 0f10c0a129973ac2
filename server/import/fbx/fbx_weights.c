/* fbx_weights.c - the weights of a skin: of each control point its influences, and how it follows them. */
#include "import/fbx/fbx_deform.h"

#include "base/mem.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

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
            weights->has_loose_points = true;
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

/* FbxSkin::EType. */
static uint32_t method_of(const struct fbx *fbx, uint32_t skin)
{
    const struct fbx_scene *scene = &fbx->scene;
    const struct fbx_span type = fbx_child_text(&scene->file, scene->objects[skin].record, "SkinningType");
    return fbx_span_is(type, "Rigid")            ? METHOD_RIGID
           : fbx_span_is(type, "DualQuaternion") ? METHOD_DUAL_QUATERNION
           : fbx_span_is(type, "Blend")          ? METHOD_BLENDED
                                                 : METHOD_LINEAR;
}

/* Points that the file gives no weight follow the joints linearly. */
static int read_dual_weights(const struct fbx *fbx, uint32_t skin, struct fbx_weights *weights, struct err *err)
{
    const struct fbx_file *file = &fbx->scene.file;
    const uint32_t record = fbx->scene.objects[skin].record;
    int32_t *points = NULL;
    double *values = NULL;
    uint32_t point_count = 0, value_count = 0;
    int rc = fbx_int32s(file, fbx_child(file, record, "Indexes"), &points, &point_count, err);
    if (rc == 0)
        rc = fbx_doubles(file, fbx_child(file, record, "BlendWeights"), &values, &value_count, err);
    weights->dual_weights = mem_zalloc(weights->point_count, sizeof *weights->dual_weights);
    for (uint32_t i = 0; rc == 0 && i < point_count && i < value_count; i++)
        if (points[i] >= 0 && (uint32_t)points[i] < weights->point_count && values[i] > 0)
            weights->dual_weights[points[i]] = values[i] < 1 ? (float)values[i] : 1;
    free(points);
    free(values);
    return rc;
}

int fbx_weights_read(const struct fbx *fbx, uint32_t geometry, const struct fbx_clusters *clusters,
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
    if (rc == 0 && number_count >= 3) {
        *out = sort_weights(arrays, clusters->count, number_count / 3);
        (*out)->method = method_of(fbx, clusters->skin);
        if ((*out)->method == METHOD_BLENDED)
            rc = read_dual_weights(fbx, clusters->skin, *out, err);
    }
    for (uint32_t c = 0; c < clusters->count; c++)
        cluster_weights_fini(&arrays[c]);
    free(arrays);
    return rc;
}

void fbx_weights_free(struct fbx_weights *weights)
{
    free(weights->firsts);
    free(weights->entries);
    free(weights->dual_weights);
    free(weights);
}
