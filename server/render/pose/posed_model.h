/* posed_model.h - a model in one pose, ready to be drawn: pose, palettes, morphed vertices, camera. Pure; one thread at
 * a time. Memory is reused from pose to pose. */
#pragma once

#include "anim/pose/blend.h"
#include "anim/camera/camera.h"
#include "anim/pose/skin.h"
#include "base/err.h"
#include "base/picture_spec.h"
#include "render/pose/volume_mesh.h"

#include <stdbool.h>
#include <stdint.h>

/* What is asked for. */
struct pose_view {
    const struct picture_spec *picture;
    double yaw_deg, pitch_deg; /* of the camera: those of the picture and the cell together */
    bool has_target;
    double target[3]; /* scene space; in the middle of the picture */
    int32_t clip;     /* or POSE_REST */
    double clip_time_s;
    const struct blend_layer *layers; /* checked; they hold instead of the clip when there are any */
    uint32_t layer_count;
    const struct model *const *movers; /* [mover_count]: what has the clips, for bones (skeleton_mesh.h) */
    uint32_t mover_count;
    uint32_t root;       /* of a clip: 0, or 1 + the node whose movement is taken out (anim/pose/root_motion.h) */
    bool has_turn;       /* its turning too */
    double root_start_s; /* clip time since which it moves */
};

#define NOT_MORPHED UINT64_MAX

/* A draw of the model that is part of the picture. */
struct posed_draw {
    uint32_t draw;
    const struct material *material; /* in the picture's variant; MATERIAL_PLAIN where it has none */
    uint64_t morph_first;            /* into posed->morphed, or NOT_MORPHED */
    double middle[3];                /* of its vertices, scene space */
    double distance;                 /* of the middle along the line of sight */
    bool is_mirrored;                /* its joints turn triangles inside out */
    bool is_mixed;                   /* some of them do: it has no consistent back */
    bool is_gathered;                /* draw_gathered.c draws it */
};

struct posed_model {
    struct pose pose;
    struct blend blend;
    uint8_t *is_moved; /* [node_count]: with the root whose movement is taken out */
    struct posed_draw *draws;
    uint32_t draw_count;
    bool is_hidden;     /* the clip hides some of the draws */
    bool *is_skin_used; /* [skin_count] */
    uint8_t *is_shown;  /* [node_count]: where the clip changes it (anim/pose/visibility.h): has_shown */
    bool has_shown;
    struct mat4 *palette; /* [joint_count] as model->joints, view_from_bind; then view_from_scene, and the identity */
    uint32_t joint_count; /* of the palette */
    struct skin_part *parts; /* as model->joints, of skins that need them; NULL when none does */
    struct vec3 *points;     /* of every drawn vertex, scene space */
    uint64_t point_count;
    struct vec3 *morphed;          /* bind positions of morphed primitives */
    struct skeleton_mesh skeleton; /* instead of draws when there are none, and beside them for VIEW_SKELETON; for
                                      VIEW_HITBOXES the wires of volumes */
    struct hit_set *volumes;       /* of the model with this hash; NULL: none yet */
    uint8_t volumes_hash[32];
    struct camera camera;
    uint64_t draw_capacity, moved_capacity, skin_capacity, palette_capacity, part_capacity, shown_capacity,
        point_capacity, morphed_capacity;
};

/* Evaluates the pose, and finds what of it a camera has to frame. Zero-initialise *posed before the first call.
 * is_used: [vertex_count], vertices that count for the framing.
 * Returns 0, ERR_NOTHING_TO_DRAW, ERR_NOT_FINITE, ERR_BAD_PARAMETER or ERR_NO_MEMORY. */
int posed_model_pose(struct posed_model *posed, const struct model *model, const uint8_t *is_used,
                     const struct pose_view *view, struct err *err);
/* The first half of it: the pose, which draws there are and their palettes (in scene space), or the bones. */
int posed_model_evaluate(struct posed_model *posed, const struct model *model, const struct pose_view *view,
                         struct err *err);
/* The points of a model that has its pose: the skinned vertices, or those of the bones; its own. */
const struct vec3 *posed_model_points(const struct posed_model *posed, uint64_t *count);
/* The camera that the picture and the direction of `view` ask for, but for its points. */
struct camera_query posed_model_camera_query(const struct model *model, const struct pose_view *view);
/* The same camera, framing these points. */
struct camera posed_model_camera(const struct model *model, const struct pose_view *view, const struct vec3 *points,
                                 uint64_t point_count);
/* What moves the vertices of a skin that is used: in scene space, from posed_model_set_camera() on in view space. */
struct skin_palette posed_model_palette(const struct posed_model *posed, const struct model *model, uint32_t skin);
/* Where a draw's vertices are in bind space: morphed, or the model's own. */
const struct vec3 *posed_model_bind(const struct posed_model *posed, const struct model *model,
                                    const struct posed_draw *draw);
/* Makes a model that has its pose ready to be drawn with this camera. Returns 0 or as posed_model_pose(). */
int posed_model_set_camera(struct posed_model *posed, const struct model *model, const struct camera *camera,
                           struct err *err);
void posed_model_fini(struct posed_model *posed);
