/* fbx_deform.h - what deforms a geometry: the weights of its skin, and its blend shapes. One thread. */
#pragma once

#include "import/fbx/fbx.h"
#include "import/mesh/influences.h"

/* --- fbx_weights.c --- */

/* Joints are those of the skins that the geometry's nodes have (fbx.skin_of). */
struct fbx_weights {
    struct influences influences; /* of control points; the joint behind the clusters' is for points without weights */
    uint32_t point_count;
    bool has_loose_points; /* without weights */
    uint32_t method;       /* METHOD_ */
    float *dual_weights; /* [point_count]: how much of dual quaternions a point follows; NULL: of METHOD_BLENDED only */
};

/* The clusters of one geometry that have a bone. */
struct fbx_clusters {
    uint32_t *objects; /* [count] */
    uint32_t *nodes;   /* [count]: of the builder */
    uint32_t count;
    uint32_t skin; /* the Deformer "Skin", an object */
};

/* *out is the caller's; NULL where the geometry has no control points. Returns 0, ERR_BAD_MODEL or ERR_MODEL_LIMIT. */
int fbx_weights_read(const struct fbx *fbx, uint32_t geometry, const struct fbx_clusters *clusters,
                     struct fbx_weights **out, struct err *err);
void fbx_weights_free(struct fbx_weights *weights);

/* --- fbx_bind.c: where meshes were bound to bones --- */

/* The matrices of all bind poses; zeroes before the first use. */
struct fbx_bind_poses {
    uint32_t *matrices; /* [node_count] records, FBX_NONE: none; NULL until one is needed */
};

/* What takes a mesh's node to a bone of its skin as they were bound: the cluster's Transform. Without it the mesh was
 * where its node rests, and the bone where the cluster's TransformLink is, else where a bind pose has it, else where it
 * rests, with a warning (FBX SDK reference: FbxCluster, FbxPose). */
struct dmat4 fbx_bone_from_node(const struct fbx *fbx, struct fbx_bind_poses *poses, uint32_t node, uint32_t cluster,
                                uint32_t bone);
void fbx_bind_poses_fini(struct fbx_bind_poses *poses);

/* --- fbx_blend.c: blend shapes, their in-between shapes, and how much of each a channel shows --- */

enum { FBX_CHANNEL_SHAPES_MAX = 64 };

/* A channel is one slider. Its shapes are targets target_first .. + shape_count of the geometry. */
struct fbx_channel {
    uint32_t object; /* the Deformer "BlendShapeChannel"; its property "DeformPercent" is what curves drive */
    uint32_t target_first, shape_count;
    double percent;                               /* at rest */
    uint32_t shapes[FBX_CHANNEL_SHAPES_MAX];      /* Geometry objects, by rising full_percents */
    double full_percents[FBX_CHANNEL_SHAPES_MAX]; /* at which each shape is shown alone */
    bool has_point_percents; /* its FullWeights are no such percents but one of each point that a shape moves */
};

struct fbx_blend {
    struct fbx_channel *channels; /* heap */
    uint32_t channel_count, channel_capacity, target_count;
};

/* The blend shapes of a Geometry, with the channels of all its "BlendShape" deformers in the file's order. Blender
 * writes a vertex group of a shape key as FullWeights: as many as its shape has points, each of which it moves that
 * far. */
int fbx_blend_read(struct fbx *fbx, uint32_t geometry, struct fbx_blend *blend, struct err *err);
void fbx_blend_fini(struct fbx_blend *blend);

/* Weights of a channel's shapes where its slider is at `percent`: straight lines between 0 (no shape) and the full
 * percents, and on beyond the last (FBX SDK reference, FbxBlendShapeChannel). Fills out[channel->shape_count]. */
void fbx_channel_weights(const struct fbx_channel *channel, double percent, double *out);

/* A shape moves some control points; offsets are in geometry space. Heap arrays. */
struct fbx_target {
    uint32_t count;
    uint32_t *points;     /* [count]: control points, below point_count */
    double (*offsets)[3]; /* [count] */
    double (*normals)[3]; /* [count]: of normals, or NULL: the file has none */
};

/* Reads a shape of a channel, below shape_count. fbx_target_fini() is needed and safe in any case. */
int fbx_target_read(const struct fbx *fbx, const struct fbx_channel *channel, uint32_t shape, uint32_t point_count,
                    struct fbx_target *target, struct err *err);
void fbx_target_fini(struct fbx_target *target);
