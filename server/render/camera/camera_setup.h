/* camera_setup.h - finds the camera and the time of a picture from the job's picture_spec and the model. Pure; one
 * thread.
 *
 * With PICTURE_FRAME_POSE the camera frames the pose. Otherwise it frames everything that the clip shows
 * (clip_bounds.h), so that pictures of one clip can follow each other without a jump; a pose that this would cut off is
 * framed too. Layers have no common length, so with layers, and for the rest pose, the camera frames the pose. With
 * PICTURE_FRAME_BOX it frames the request's box, whatever is drawn, so that pictures of several models can share a
 * camera. What lies outside the box only moves near and far. */
#pragma once

#include "render/draw/model_cache.h"
#include "render/camera/clip_bounds.h"

/* Call before the pose is evaluated. Finds the extent of the clip where it is needed, and sets view->clip_time_s where
 * the renderer picks it. key: of the clip that the view shows; clip_model: the model that has it. *out: what the camera
 * frames, for the functions below; NULL: the pose. Returns 0 or ERR_NO_MEMORY. */
int camera_setup_prepare(struct clip_bounds_cache *bounds_cache, struct loaded_model *loaded, struct posed_model *posed,
                         const struct model *clip_model, const struct clip_bounds_key *key, struct pose_view *view,
                         struct clip_bounds **out, struct err *err);

/* Sets the target of `view` for the pose in `posed`. Returns 0 or ERR_BAD_PARAMETER for a node that the model does not
 * have. */
int camera_setup_target(struct clip_bounds *bounds, const struct posed_model *posed, const struct model *model,
                        struct pose_view *view, struct err *err);

/* True when the camera is of the file or given by numbers, so that nothing is framed. */
bool camera_setup_is_own(const struct picture_spec *picture);

/* Writes the corners of the box that PICTURE_FRAME_BOX frames. */
void camera_setup_box(const struct picture_spec *picture, struct vec3 corners[8]);

/* Finds the camera for the pose in `posed`. Returns 0, ERR_BAD_PARAMETER for a node that the model does not have, or
 * ERR_NO_MEMORY. */
int camera_setup_find(struct clip_bounds *bounds, const struct posed_model *posed, const struct model *model,
                      struct pose_view *view, struct camera *out, struct err *err);
