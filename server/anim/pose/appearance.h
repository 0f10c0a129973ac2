/* appearance.h - evaluates the materials, lights and cameras that a clip moves (anim/model/property.h). Pure; one
 * thread at a time. Memory is reused from call to call. */
#pragma once

#include "base/err.h"
#include "anim/model/model.h"
#include "anim/pose/give.h"

/* Zero-initialised before the first call. */
struct appearance {
    bool is_animated; /* else the model's own arrays count */
    struct material *materials;
    struct material_layers *layers;
    struct model_light *lights;
    struct model_camera *cameras;
    uint64_t material_capacity, layer_capacity, light_capacity, camera_capacity;
};

/* Returns the first property channel of a clip, and their number in *count. */
const struct property_channel *appearance_channels(const struct model *model, uint32_t clip, uint32_t *count);

/* Evaluates the appearance at a time of a clip (an index, or POSE_REST). Returns 0 or ERR_NO_MEMORY. */
int appearance_evaluate(struct appearance *appearance, const struct model *model, int32_t clip, double clip_time_s,
                        struct err *err);
/* Adds what the expressions of a given pose do to materials, after appearance_evaluate(). scene_from_node: of the pose
 * that is shown, where its head tells how expressions look at a point; [node_count]. Returns 0 or ERR_NO_MEMORY. */
int appearance_give(struct appearance *appearance, const struct model *model, const struct give *give,
                    const struct dmat4 *scene_from_node, struct err *err);
/* Returns a view of the model with this appearance, which both must outlive. */
struct model appearance_view(const struct appearance *appearance, const struct model *model);
void appearance_fini(struct appearance *appearance);
