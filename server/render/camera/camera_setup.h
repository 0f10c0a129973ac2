/* camera_setup.h - where the camera of a picture stands, and at what time it is taken: what a job's look says, for the
 * model. Pure; one thread.
 *
 * With PICTURE_FRAME_POSE the camera frames the pose. Else it frames all that the clip shows (clip_bounds.h), so that
 * pictures of one clip can follow each other without a jump; only a pose that would be cut off there is framed together
 * with that. Layers have no common length: of them, and of the rest pose, the pose is framed. */
#pragma once

#include "render/draw/model_cache.h"
#include "render/camera/clip_bounds.h"

struct camera_setup {
    struct clip_bounds *bounds; /* NULL: the pose is framed */
};

/* Before the pose is evaluated: finds what the clip reaches where that is needed, and sets view->clip_time_s where the
 * renderer is to pick it. key: of the clip that the view shows; clip_model: the model that has it. Returns 0 or
 * ERR_NO_MEMORY. */
int camera_setup_prepare(struct camera_setup *setup, struct clip_bounds_cache *bounds_cache,
                         struct loaded_model *loaded, struct posed_model *posed, const struct model *clip_model,
                         const struct clip_bounds_key *key, struct pose_view *view, struct err *err);

/* Sets what of `view` says where the middle of the picture is, for the pose that the frame has. Returns 0 or
 * ERR_BAD_PARAMETER for a node that the model does not have. */
int camera_setup_target(const struct camera_setup *setup, const struct posed_model *posed, const struct model *model,
                        struct pose_view *view, struct err *err);

/* The camera for the pose that the frame has. Returns 0, ERR_BAD_PARAMETER for a node that the model does not have, or
 * ERR_NO_MEMORY. */
int camera_setup_find(const struct camera_setup *setup, const struct posed_model *posed, const struct model *model,
                      struct pose_view *view, struct camera *out, struct err *err);
