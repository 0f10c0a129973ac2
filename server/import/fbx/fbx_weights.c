/* fbx_weights.c - reads skin weights: the influences of each control point, and its skinning method. */
#include "import/fbx/fbx_deform.h"

#include "base/mem.h"

#include <stdlib.h>

/* Adds the weights of a cluster as joint `joint`. */
static int add_cluster(const struct fbx *fbx, uint32_t cluster, uint32_t joint, struct weight_list *list,
                       struct err *err)
{
    const struct fbx_file *file = &fbx->scene.file;
    const uint32_t record = fbx->scene.objects[cluster].record;
    int32_t *points = NULL;
    double *weights = NULL;
    uint32_t point_count = 0, weight_count = 0;
    int rc = fbx_int32s(file, fbx_child(file, record, "Indexes"), &points, &point_count, err);
    if (rc == 0)
        rc = fbx_doubles(file, fbx_child(file, record, "Weights"), &weights, &weight_count, err);
    for (uint32_t i = 0; rc == 0 && i < point_count && i < weight_count; i++)
        weight_list_add(list, (uint32_t)points[i], joint, weights[i]);
    free(points);
    free(weights);
    return rc;
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

/* Points without a weight in the file use linear skinning. */
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

static struct fbx_weights *make_weights(const struct fbx *fbx, uint32_t geometry, const struct fbx_clusters *clusters,
                                        struct weight_list *list, uint32_t point_count)
{
    struct fbx_weights *weights = mem_zalloc(1, sizeof *weights);
    influences_make(&weights->influences, list, point_count, clusters->count, clusters->count);
    weights->point_count = point_count;
    weights->has_loose_points = weights->influences.repairs.unweighted > 0;
    weights->method = method_of(fbx, clusters->skin);
    /* FbxCluster::eNormalize: the reader must divide by the sum. */
    const struct weight_repairs repairs = {.dropped = weights->influences.repairs.dropped};
    influences_warn(fbx->builder, &repairs, point_count, FBX_OBJECT_TEXT(&fbx->scene, geometry));
    return weights;
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
    struct weight_list list = {0};
    for (uint32_t c = 0; c < clusters->count && rc == 0; c++)
        rc = add_cluster(fbx, clusters->objects[c], c, &list, err);
    if (rc == 0 && number_count >= 3) {
        *out = make_weights(fbx, geometry, clusters, &list, number_count / 3);
        if ((*out)->method == METHOD_BLENDED)
            rc = read_dual_weights(fbx, clusters->skin, *out, err);
    }
    free(list.items);
    return rc;
}

void fbx_weights_free(struct fbx_weights *weights)
{
    influences_fini(&weights->influences);
    free(weights->dual_weights);
    free(weights);
}
