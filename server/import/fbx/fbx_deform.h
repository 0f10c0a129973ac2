/* fbx_deform.h - the deformation of a geometry: its skin weights and blend shapes. Single-threaded. */
#pragma once

#include "import/fbx/fbx.h"
#include "import/mesh/influences.h"

/* --- fbx_weights.c --- */

/* Joint numbers refer to the skins of the geometry's nodes (fbx.skin_of). */
struct fbx_weights {
    struct influences influences; /* per control point; points without weights use an extra last joint */
    uint32_t point_count;
    bool has_loose_points; /* some points have no weights */
    uint32_t method;       /* METHOD_ */
    float *dual_weights;   /* [point_count]: the share of dual quaternion skinning at each point; NULL unless
                              METHOD_BLENDED */
};

/* The clusters of one geometry that have a bone. */
struct fbx_clusters {
    uint32_t *objects; /* [count] */
    uint32_t *nodes;   /* [count]: builder nodes */
    uint32_t count;
    uint32_t skin; /* the object of the Deformer "Skin" */
};

/* The caller owns *out, which is NULL if the geometry has no control points. Returns 0, ERR_BAD_MODEL or
 * ERR_MODEL_LIMIT. */
int fbx_weights_read(const struct fbx *fbx, uint32_t geometry, const struct fbx_clusters *clusters,
                     struct fbx_weights **out, struct err *err);
void fbx_weights_free(struct fbx_weights *weights);

/* --- fbx_bind.c: bind poses of meshes and bones --- */

/* The matrices of all bind poses; zero-initialised before the first use. */
struct fbx_bind_poses {
    uint32_t *matrices; /* [node_count] records, FBX_NONE if a node has none; NULL until first needed */
};

/* The matrix from a mesh's node to a bone of its skin in the bind pose: the cluster's Transform. Without Transform, the
 * mesh is at its node's rest transform. The bone is then at the cluster's TransformLink, else at its matrix in a bind
 * pose, else, with a warning, at its rest transform (FBX SDK reference: FbxCluster, FbxPose). */
struct dmat4 fbx_bone_from_node(const struct fbx *fbx, struct fbx_bind_poses *poses, uint32_t node, uint32_t cluster,
                                uint32_t bone);
void fbx_bind_poses_fini(struct fbx_bind_poses *poses);

/* --- fbx_blend.c: blend shapes, their in-between shapes, and the weight of each in a channel --- */

enum { FBX_CHANNEL_SHAPES_MAX = 64 };

/* A channel is one slider. Its shapes are the geometry's targets target_first .. target_first + shape_count - 1. */
struct fbx_channel {
    uint32_t object; /* the Deformer "BlendShapeChannel"; curves drive its property "DeformPercent" */
    uint32_t target_first, shape_count;
    double percent;                               /* at rest */
    uint32_t shapes[FBX_CHANNEL_SHAPES_MAX];      /* Geometry objects in ascending order of full_percents */
    double full_percents[FBX_CHANNEL_SHAPES_MAX]; /* the percent at which each shape has full weight */
    bool has_point_percents; /* FullWeights holds a percent for each point that a shape moves, not for each shape */
};

struct fbx_blend {
    struct fbx_channel *channels; /* heap */
    uint32_t channel_count, channel_capacity, target_count;
};

/* Reads the blend shapes of a Geometry, with the channels of all its "BlendShape" deformers in the file's order.
 * Blender writes a shape key's vertex group as FullWeights: one value for each point of the shape, which scales that
 * point's offset. */
int fbx_blend_read(struct fbx *fbx, uint32_t geometry, struct fbx_blend *blend, struct err *err);
void fbx_blend_fini(struct fbx_blend *blend);

/* The weights of a channel's shapes when its slider is at `percent`. They are linear between 0 (no shape) and the full
 * percents, and extrapolate beyond the last (FBX SDK reference, FbxBlendShapeChannel). Fills
 * out[channel->shape_count]. */
void fbx_channel_weights(const struct fbx_channel *channel, double percent, double *out);

/* A shape moves some control points. Offsets are in geometry space. The arrays are on the heap. */
struct fbx_target {
    uint32_t count;
    uint32_t *points;     /* [count]: control points, less than point_count */
    double (*offsets)[3]; /* [count] */
    double (*normals)[3]; /* [count]: offsets of normals, or NULL if the file has none */
};

/* Reads shape number `shape` of a channel; it is less than shape_count. The caller calls fbx_target_fini() in any
 * case. */
int fbx_target_read(const struct fbx *fbx, const struct fbx_channel *channel, uint32_t shape, uint32_t point_count,
                    struct fbx_target *target, struct err *err);
void fbx_target_fini(struct fbx_target *target);
