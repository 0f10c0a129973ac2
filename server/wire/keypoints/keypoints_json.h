/* keypoints_json.h - writes the JSON of keypoints (protocol/answers.md). Pure; any thread. */
#pragma once

#include "anim/model/model.h"
#include "wire/keypoints/point_resolve.h"

/* Whether a point is seen, in the order of the words of the answer. */
enum keypoint_state { KEYPOINT_VISIBLE, KEYPOINT_HIDDEN, KEYPOINT_OUTSIDE };

/* A point at one time. NaN: there is none. */
struct keypoint {
    double pixel[2];
    double depth, drawn_depth; /* scene units along the camera's axis */
    uint32_t state;            /* enum keypoint_state */
    int32_t drawn_joint;       /* or -1 */
};

/* The lists of a frame. */
enum { KEYPOINT_COLUMNS = 5 };

/* Writes everything before the frames. clips: the model with the clip, or NULL for a blend; clip: or POSE_REST. */
void keypoints_put_head(struct buf *out, const struct request *request, const struct model *model,
                        const struct model *clips, int32_t clip, double tolerance, const struct resolved_point *points,
                        uint32_t count);
/* Each frame has its camera, as picture_put_camera() writes it, and the lists, whose items follow one another. */
void keypoints_begin_frame(struct buf *out, uint32_t frame, double time_s, double clip_time_s,
                           const struct picture_camera *camera, const double *clip_from_view);
void keypoints_begin_column(struct buf *out, int column);
void keypoints_put(struct buf *out, int column, uint32_t index, const struct resolved_point *point,
                   const struct keypoint *found);
void keypoints_end_frame(struct buf *out);
void keypoints_end(struct buf *out);
