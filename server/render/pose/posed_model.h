/* posed_model.h - a model in one pose, prepared for drawing: pose, palettes, morphed vertices, camera. Pure; one thread
 * at a time. Memory is reused from pose to pose. */
#pragma once

#include "anim/pose/appearance.h"
#include "anim/pose/blend.h"
#include "anim/camera/camera.h"
#include "anim/pose/skin.h"
#include "base/err.h"
#include "base/picture/picture_spec.h"
#include "render/pose/volume_mesh.h"
#include "worker/render_job.h"

#include <stdbool.h>
#include <stdint.h>

/* The requested view. */
struct pose_view {
    const struct picture_spec *picture;
    double yaw_deg, pitch_deg; /* of the camera: the picture's and the cell's together */
    bool has_target;
    double target[3]; /* scene space; the middle of the picture */
    int32_t clip;     /* an index, or POSE_REST */
    double clip_time_s;
    const struct blend_layer *layers; /* checked; they replace the clip when there are any */
    uint32_t layer_count;
    const struct model *const *movers; /* [mover_count]: models with the clips, for bones (skeleton_mesh.h) */
    uint32_t mover_count;
    uint32_t root;       /* of a clip: 0, or 1 + the node whose motion is taken out (anim/pose/root_motion.h) */
    bool has_turn;       /* its rotation is taken out too */
    double root_start_s; /* clip time at which the motion starts */
    const struct given_pose *on_top; /* replaces what it gives then; or NULL */
};

#define NOT_MORPHED UINT64_MAX

/* A draw of the model that is part of the picture. */
struct posed_draw {
    uint32_t draw;
    const struct material *material; /* in the picture's variant and appearance; MATERIAL_PLAIN without one */
    uint64_t morph_first;            /* index into posed->morphed, or NOT_MORPHED */
    double middle[3];                /* of its vertices, scene space */
    double distance;                 /* of the middle along the view direction */
    bool is_mirrored;                /* its joints turn triangles inside out */
    bool is_mixed;                   /* only some of them do, so it has no consistent back */
    bool is_gathered;                /* draw_gathered.c draws it */
};

struct posed_model {
    struct pose pose;
    struct blend blend;
    uint8_t *is_moved; /* [node_count]: moves with the root whose motion is taken out */
    struct posed_draw *draws;
    uint32_t draw_count;
    bool is_hidden;     /* the clip hides some of the draws */
    bool *is_skin_used; /* [skin_count] */
    uint8_t *is_shown;  /* [node_count]: visibility at this time of the clip (anim/pose/visibility.h), with has_shown */
    bool has_shown;
    struct appearance appearance; /* of materials, lights and cameras at this time of the clip */
    struct mat4 *palette;    /* [joint_count] as model->joints, view_from_bind; then view_from_scene and the identity */
    uint32_t joint_count;    /* of the palette */
    struct skin_part *parts; /* as model->joints, for skins that need them; NULL when none does */
    struct vec3 *points;     /* of every drawn vertex, scene space */
    uint64_t point_count;
    struct vec3 *morphed;          /* bind positions of morphed primitives */
    struct skeleton_mesh skeleton; /* replaces draws when there are none, and is added for VIEW_SKELETON; wires of
                                      volumes for VIEW_HITBOXES */
    struct hit_set *volumes;       /* of the model with this hash; NULL: none yet */
    uint8_t volumes_hash[32];
    struct camera camera;
    uint64_t draw_capacity, moved_capacity, skin_capacity, palette_capacity, part_capacity, shown_capacity,
        point_capacity, morphed_capacity;
};

/* Evaluates the pose, and finds what a camera must frame of it. Zero-initialise *posed before the first call. is_used:
 * [vertex_count], vertices that count for the framing. Returns 0, ERR_NOTHING_TO_DRAW, ERR_NOT_FINITE,
 * ERR_BAD_PARAMETER or ERR_NO_MEMORY. */
int posed_model_pose(struct posed_model *posed, const struct model *model, const uint8_t *is_used,
                     const struct pose_view *view, struct err *err);
/* The first half of posed_model_pose(): the pose, the list of draws and their palettes (in scene space), or the bones.
 */
int posed_model_evaluate(struct posed_model *posed, const struct model *model, const struct pose_view *view,
                         struct err *err);
/* Returns the points of a posed model: the skinned vertices, or those of the bones. Owned by *posed. */
const struct vec3 *posed_model_points(const struct posed_model *posed, uint64_t *count);
/* Returns the camera query for the picture and the direction of `view`, without points. */
struct camera_query posed_model_camera_query(const struct model *model, const struct pose_view *view);
/* Returns that camera, framing these points. */
struct camera posed_model_camera(const struct model *model, const struct pose_view *view, const struct vec3 *points,
                                 uint64_t point_count);
/* Returns the palette of a used skin: in scene space, and after posed_model_set_camera() in view space. */
struct skin_palette posed_model_palette(const struct posed_model *posed, const struct model *model, uint32_t skin);
/* Returns a draw's vertices in bind space: morphed, or the model's own. */
const struct vec3 *posed_model_bind(const struct posed_model *posed, const struct model *model,
                                    const struct posed_draw *draw);
/* Prepares a posed model for drawing with this camera. Returns 0 or as posed_model_pose(). */
int posed_model_set_camera(struct posed_model *posed, const struct model *model, const struct camera *camera,
                           struct err *err);
void posed_model_fini(struct posed_model *posed);
