/* fbx_transform.h - the transform properties of an FBX node as one translation, rotation and scale. Pure; any thread.
 *
 * The formula is the FBX SDK's ("Computing transformation matrices", FbxNode and FbxTransform in its reference):
 *
 *   parent_from_node = T * Roff * Rp * Rpre * R * inverse(Rpost) * inverse(Rp) * Soff * Sp * S * inverse(Sp)
 *
 * Only S scales and only Rpre, R and Rpost rotate, so the product is always exactly a translation, a rotation and a
 * scale. It does not cover the inheritance of scales (NODE_SCALE_ in anim/model/model.h). Angles are in degrees about
 * the node's axes; translations and pivots are in the file's units. */
#pragma once

#include "anim/model/mat.h"

#include <stdint.h>

/* RotationOrder names the axes in the order in which they rotate, so XYZ is the matrix Z * Y * X. */
enum fbx_rotation_order {
    FBX_ORDER_XYZ,
    FBX_ORDER_XZY,
    FBX_ORDER_YZX,
    FBX_ORDER_YXZ,
    FBX_ORDER_ZXY,
    FBX_ORDER_ZYX,
    FBX_ORDER_SPHERIC, /* its angles have no defined meaning: no rotation */
    FBX_ORDER_COUNT
};

/* The members have the names of the properties. */
struct fbx_transform_values {
    double translation[3];       /* Lcl Translation */
    double rotation_deg[3];      /* Lcl Rotation, not reduced to one turn */
    double scaling[3];           /* Lcl Scaling */
    double pre_rotation_deg[3];  /* PreRotation, always in the order XYZ */
    double post_rotation_deg[3]; /* PostRotation, always in the order XYZ; its inverse is used */
    double rotation_offset[3], rotation_pivot[3];
    double scaling_offset[3], scaling_pivot[3];
    enum fbx_rotation_order order;
    bool is_rotation_space; /* RotationActive and not RotationSpaceForLimitOnly. If false, order, PreRotation and
                               PostRotation are ignored: the rotation is Lcl Rotation in the order XYZ */
};

/* GeometricTranslation, GeometricRotation and GeometricScaling: they affect a node's own mesh but not its children. The
 * order is XYZ. */
struct fbx_geometric_values {
    double translation[3], rotation_deg[3], scaling[3];
};

/* No translation or rotation, scale 1, order XYZ in rotation space. */
extern const struct fbx_transform_values FBX_TRANSFORM_NONE;
extern const struct fbx_geometric_values FBX_GEOMETRIC_NONE;

/* parent_from_node = T * R * S. The rotation is a unit quaternion. Non-finite numbers stay non-finite. */
struct trs fbx_transform_trs(const struct fbx_transform_values *values);
/* The same with a unit quaternion instead of Lcl Rotation and its order. */
struct trs fbx_transform_turned(const struct fbx_transform_values *values, const double rotation[4]);
/* Returns node_from_geometry. */
struct trs fbx_geometric_trs(const struct fbx_geometric_values *values);
bool fbx_geometric_is_none(const struct fbx_geometric_values *values);

/* fbx_quat_from_euler() converts three angles to a unit quaternion. fbx_euler_from_quat() converts a unit quaternion to
 * equivalent angles: the middle one within -90..90, the others within -180..180. If the middle one is a right angle,
 * the first is 0. */
void fbx_quat_from_euler(const double angles_deg[3], enum fbx_rotation_order order, double out[4]);
void fbx_euler_from_quat(const double q[4], enum fbx_rotation_order order, double out_deg[3]);
