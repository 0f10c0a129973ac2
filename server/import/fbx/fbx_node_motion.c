/* fbx_node_motion.c - a node's transform over time: its properties, each driven or not. */
#include "import/fbx/fbx_clip.h"

#include <stddef.h>
#include <string.h>

static const struct {
    const char *name;
    size_t offset; /* of double[3] in struct fbx_transform_values */
    enum fbx_blended blended;
} PROPERTIES[FBX_MOVED_COUNT] = {
#define ROW(name, field, blended)                                                                                      \
    {                                                                                                                  \
        name, offsetof(struct fbx_transform_values, field), blended                                                    \
    }
    [FBX_MOVED_TRANSLATION] = ROW("Lcl Translation", translation, FBX_BLENDED_PLAIN),
    [FBX_MOVED_ROTATION] = ROW("Lcl Rotation", rotation_deg, FBX_BLENDED_PLAIN),
    [FBX_MOVED_SCALING] = ROW("Lcl Scaling", scaling, FBX_BLENDED_SCALING),
    [FBX_MOVED_PRE_ROTATION] = ROW("PreRotation", pre_rotation_deg, FBX_BLENDED_PLAIN),
    [FBX_MOVED_POST_ROTATION] = ROW("PostRotation", post_rotation_deg, FBX_BLENDED_PLAIN),
    [FBX_MOVED_ROTATION_OFFSET] = ROW("RotationOffset", rotation_offset, FBX_BLENDED_PLAIN),
    [FBX_MOVED_ROTATION_PIVOT] = ROW("RotationPivot", rotation_pivot, FBX_BLENDED_PLAIN),
    [FBX_MOVED_SCALING_OFFSET] = ROW("ScalingOffset", scaling_offset, FBX_BLENDED_PLAIN),
    [FBX_MOVED_SCALING_PIVOT] = ROW("ScalingPivot", scaling_pivot, FBX_BLENDED_PLAIN),
#undef ROW
};

static double *field(struct fbx_transform_values *values, int property)
{
    void *at = (char *)values + PROPERTIES[property].offset;
    return at;
}

static bool is_set(struct fbx_node_motion *node, int property)
{
    const double *rest = field(&node->rest, property);
    return node->motions[property].sheet_count > 0 || rest[0] != 0 || rest[1] != 0 || rest[2] != 0;
}

static void read_turns(struct fbx_node_motion *node)
{
    static const double NONE[3] = {0};
    const bool counts = node->rest.is_rotation_space;
    fbx_quat_from_euler(counts ? node->rest.pre_rotation_deg : NONE, FBX_ORDER_XYZ, node->pre);
    fbx_quat_from_euler(counts ? node->rest.post_rotation_deg : NONE, FBX_ORDER_XYZ, node->post);
    for (int i = 0; i < 3; i++)
        node->post[i] = -node->post[i];
}

int fbx_node_motion_read(struct fbx_node_motion *node, const struct fbx *fbx, const struct fbx_take_reader *reader,
                         uint32_t object, struct err *err)
{
    uint32_t drive_count;
    *node = (struct fbx_node_motion){0};
    if (fbx_take_drives(reader->list, reader->take, object, &drive_count) == NULL)
        return 0;
    fbx_transform_values(fbx, object, &node->rest);
    for (int i = 0; i < FBX_MOVED_COUNT; i++) {
        struct fbx_motion *motion = &node->motions[i];
        motion->blended = PROPERTIES[i].blended;
        motion->order = node->rest.is_rotation_space ? node->rest.order : FBX_ORDER_XYZ;
        memcpy(motion->rest, field(&node->rest, i), sizeof motion->rest);
        if (fbx_motion_read(motion, reader, object, fbx_span_of(PROPERTIES[i].name), err) < 0) {
            fbx_node_motion_fini(node);
            return err_prefix(err, "%s", PROPERTIES[i].name);
        }
        node->is_moving |= motion->sheet_count > 0;
    }
    read_turns(node);
    node->is_bent = is_set(node, FBX_MOVED_ROTATION_PIVOT) || is_set(node, FBX_MOVED_SCALING_OFFSET) ||
                    is_set(node, FBX_MOVED_SCALING_PIVOT);
    return 0;
}

void fbx_node_motion_fini(struct fbx_node_motion *node)
{
    for (int i = 0; i < FBX_MOVED_COUNT; i++)
        fbx_motion_fini(&node->motions[i]);
}

struct trs fbx_node_motion_at(struct fbx_node_motion *node, double time_s)
{
    struct fbx_transform_values values = node->rest;
    double rotation[4];
    for (int i = 0; i < FBX_MOVED_COUNT; i++)
        if (i != FBX_MOVED_ROTATION && node->motions[i].sheet_count > 0)
            fbx_motion_at(&node->motions[i], time_s, field(&values, i));
    fbx_motion_turn(&node->motions[FBX_MOVED_ROTATION], time_s, rotation);
    return fbx_transform_turned(&values, rotation);
}

void fbx_node_motion_turn(struct fbx_node_motion *node, double time_s, double out[4])
{
    if (node->motions[FBX_MOVED_PRE_ROTATION].sheet_count > 0 ||
        node->motions[FBX_MOVED_POST_ROTATION].sheet_count > 0) {
        const struct trs trs = fbx_node_motion_at(node, time_s);
        memcpy(out, trs.rotation, sizeof trs.rotation);
        return;
    }
    fbx_motion_turn(&node->motions[FBX_MOVED_ROTATION], time_s, out);
    if (node->post[3] != 1)
        quat_mul(out, node->post, out);
    if (node->pre[3] != 1)
        quat_mul(node->pre, out, out);
}
