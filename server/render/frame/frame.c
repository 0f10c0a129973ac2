#include "render/frame/frame.h"

#include "anim/pose/root_motion.h"
#include "anim/pose/skin.h"
#include "base/view.h"

#include <math.h>
#include <stdlib.h>

static const double FIELD_OF_VIEW_DEG = 30, FILLED = 0.88;

/* Zeroed room for `count` items instead of `items`, unless that has it already. NULL when memory is gone. */
static void *grow(void *items, uint64_t *capacity, uint64_t count, size_t item_bytes)
{
    if (count <= *capacity && items != NULL)
        return items;
    free(items);
    items = calloc(count + 1, item_bytes);
    *capacity = items != NULL ? count : 0;
    return items;
}

static bool is_morphed(const struct frame *frame, const struct model *model, const struct draw *draw)
{
    const struct node *node = &model->nodes[draw->node];
    const uint32_t targets = model->primitives[draw->primitive].morph_target_count;
    for (uint32_t w = 0; w < node->weight_count && w < targets; w++)
        if (frame->pose.weights[node->weight_first + w] != 0)
            return true;
    return false;
}

/* Lists what is drawn, and counts its vertices. */
static void list_draws(struct frame *frame, const struct model *model, uint64_t *point_count, uint64_t *morphed_count)
{
    *point_count = *morphed_count = 0;
    frame->draw_count = 0;
    for (uint32_t s = 0; s < model->skin_count; s++)
        frame->is_skin_used[s] = false;
    for (uint32_t d = 0; d < model->draw_count; d++) {
        const struct draw *draw = &model->draws[d];
        const struct primitive *primitive = &model->primitives[draw->primitive];
        if ((draw->flags & DRAW_IN_SCENE) == 0 || primitive->index_count == 0)
            continue;
        struct frame_draw *out = &frame->draws[frame->draw_count++];
        *out = (struct frame_draw){.draw = d, .morph_first = FRAME_NOT_MORPHED};
        if (is_morphed(frame, model, draw)) {
            out->morph_first = *morphed_count;
            *morphed_count += primitive->vertex_count;
        }
        frame->is_skin_used[draw->skin] = true;
        *point_count += primitive->vertex_count;
    }
}

static int gather(struct frame *frame, const struct model *model, struct err *err)
{
    uint64_t points, morphed;
    frame->joint_count = model->joint_count + 1;
    frame->draws = grow(frame->draws, &frame->draw_capacity, model->draw_count, sizeof *frame->draws);
    frame->is_skin_used = grow(frame->is_skin_used, &frame->skin_capacity, model->skin_count, sizeof(bool));
    frame->palette = grow(frame->palette, &frame->palette_capacity, frame->joint_count, sizeof *frame->palette);
    if (frame->draws == NULL || frame->is_skin_used == NULL || frame->palette == NULL)
        return err_set(err, ERR_NO_MEMORY, "no memory for %u joints and %u draws", frame->joint_count,
                       model->draw_count);
    list_draws(frame, model, &points, &morphed);
    frame->points = grow(frame->points, &frame->point_capacity, points, sizeof *frame->points);
    frame->morphed = grow(frame->morphed, &frame->morphed_capacity, morphed, sizeof *frame->morphed);
    if (frame->points == NULL || frame->morphed == NULL)
        return err_set(err, ERR_NO_MEMORY, "no memory for a picture of %llu vertices", (unsigned long long)points);
    return 0;
}

static int make_palettes(struct frame *frame, const struct model *model, const struct dmat4 *space_from_scene,
                         struct err *err)
{
    for (uint32_t s = 0; s < model->skin_count; s++)
        if (frame->is_skin_used[s] && pose_palette(&frame->pose, model, s, space_from_scene,
                                                   frame->palette + model->skins[s].joint_first, err) < 0)
            return err->code;
    return 0;
}

/* Appends the used vertices of a draw, skinned, to frame->points. */
static int add_points(struct frame *frame, const struct model *model, const uint8_t *is_used, struct frame_draw *out,
                      struct err *err)
{
    const struct draw *draw = &model->draws[out->draw];
    const struct primitive *primitive = &model->primitives[draw->primitive];
    const struct node *node = &model->nodes[draw->node];
    const struct vec3 *bind = model->positions + primitive->vertex_first;
    struct vec3 *points = frame->points + frame->point_count;
    if (out->morph_first != FRAME_NOT_MORPHED) {
        struct vec3 *morphed = frame->morphed + out->morph_first;
        skin_morph_positions(model, draw->primitive, frame->pose.weights + node->weight_first, node->weight_count,
                             morphed);
        bind = morphed;
    }
    skin_positions(model, draw->primitive, frame->palette + model->skins[draw->skin].joint_first, bind, points);
    uint32_t kept = 0;
    for (uint32_t v = 0; v < primitive->vertex_count; v++) {
        if (!is_used[primitive->vertex_first + v])
            continue;
        const struct vec3 p = points[v];
        if (!isfinite(p.x) || !isfinite(p.y) || !isfinite(p.z))
            return err_set(err, ERR_NOT_FINITE, "vertex %u of node %u, mesh %u is not finite in this pose", v,
                           draw->node, primitive->mesh);
        out->middle[0] += (double)p.x;
        out->middle[1] += (double)p.y;
        out->middle[2] += (double)p.z;
        points[kept++] = p;
    }
    for (int i = 0; i < 3; i++)
        out->middle[i] /= kept > 0 ? kept : 1;
    frame->point_count += kept;
    return 0;
}

static double determinant(const struct mat4 *m)
{
    double e[9];
    for (int c = 0; c < 3; c++)
        for (int r = 0; r < 3; r++)
            e[3 * c + r] = (double)m->m[4 * c + r];
    return e[0] * (e[4] * e[8] - e[5] * e[7]) - e[3] * (e[1] * e[8] - e[2] * e[7]) + e[6] * (e[1] * e[5] - e[2] * e[4]);
}

/* What depends on the camera. */
static void place_draw(const struct frame *frame, const struct model *model, struct frame_draw *out)
{
    const struct skin *skin = &model->skins[model->draws[out->draw].skin];
    uint32_t mirrored = 0;
    for (uint32_t j = 0; j < skin->joint_count; j++)
        mirrored += determinant(&frame->palette[skin->joint_first + j]) < 0;
    out->is_mirrored = mirrored == skin->joint_count;
    out->is_mixed = mirrored != 0 && !out->is_mirrored;
    double in_view[3];
    dmat4_point(&frame->camera.view_from_scene, out->middle, in_view);
    out->distance = -in_view[2];
}

struct camera_query frame_query(const struct model *model, const struct frame_view *view)
{
    const struct model_info *info = &model->infos[0];
    const struct picture_spec *look = view->look;
    struct camera_query query = {
        .yaw_deg = view->yaw_deg,
        .pitch_deg = view->pitch_deg,
        .fov_deg = look->fov_deg > 0 ? look->fov_deg : FIELD_OF_VIEW_DEG,
        .is_ortho = (look->flags & PICTURE_ORTHO) != 0,
        .aspect = (double)look->width / look->height,
        .margin = (1 - (look->filled > 0 ? look->filled : FILLED)) / 2,
        .distance = look->distance,
        .has_target = view->has_target,
    };
    for (int i = 0; i < 3; i++) {
        query.up[i] = (double)info->up[i];
        query.forward[i] = (double)info->forward[i];
        query.target[i] = view->target[i];
    }
    return query;
}

struct camera frame_aim(const struct model *model, const struct frame_view *view, const struct vec3 *points,
                        uint64_t point_count)
{
    const struct camera_query query = frame_query(model, view);
    return camera_frame(&query, points, point_count);
}

/* Evaluates the pose without the movement of its root. */
static int evaluate_still(struct frame *frame, const struct model *model, const struct frame_view *view,
                          struct err *err)
{
    struct root_motion motion;
    struct root_step step;
    if (view->root > model->node_count)
        return err_set(err, ERR_BAD_PARAMETER, "the model has no node %u", view->root - 1);
    frame->is_moved = grow(frame->is_moved, &frame->moved_capacity, model->node_count, sizeof *frame->is_moved);
    if (frame->is_moved == NULL)
        return err_set(err, ERR_NO_MEMORY, "no memory for %u nodes", model->node_count);
    root_motion_mark(model, view->root - 1, frame->is_moved);
    pose_evaluate(&frame->pose, model, view->clip, view->root_start_s);
    root_motion_start(&motion, &frame->pose, model, view->root - 1, view->has_turn, frame->is_moved);
    pose_evaluate(&frame->pose, model, view->clip, view->clip_time_s);
    root_motion_take_out(&motion, &frame->pose, model, &step);
    return 0;
}

static int evaluate(struct frame *frame, const struct model *model, const struct frame_view *view, struct err *err)
{
    if (view->layer_count > 0)
        blend_evaluate(&frame->blend, &frame->pose, model, view->layers, view->layer_count);
    else if (view->root > 0)
        return evaluate_still(frame, model, view, err);
    else
        pose_evaluate(&frame->pose, model, view->clip, view->clip_time_s);
    return 0;
}

int frame_move(struct frame *frame, const struct model *model, const struct frame_view *view, struct err *err)
{
    if (view->clip < POSE_REST || (view->clip >= 0 && (uint32_t)view->clip >= model->clip_count))
        return err_set(err, ERR_BAD_PARAMETER, "the model has no clip %d", view->clip);
    bones_fini(&frame->bones);
    frame->point_count = 0;
    if (evaluate(frame, model, view, err) < 0 || gather(frame, model, err) < 0)
        return err->code;
    if (frame->draw_count > 0 && make_palettes(frame, model, &DMAT4_IDENTITY, err) < 0)
        return err->code;
    if (frame->draw_count > 0 && view->look->view != VIEW_SKELETON)
        return 0;
    if (bones_init(&frame->bones, model, view->movers, view->mover_count, &frame->pose, err) < 0)
        return err->code;
    if (frame->draw_count > 0)
        return 0;
    if (frame->bones.is_one_place)
        frame->bones.vertex_count = 0; /* a mark that says nothing of the model */
    if (frame->bones.vertex_count == 0 && (view->look->flags & PICTURE_ALLOW_EMPTY) == 0)
        return err_set(err, ERR_NOTHING_TO_DRAW, "the model's scene has neither geometry nor bones");
    return 0;
}

int frame_pose(struct frame *frame, const struct model *model, const uint8_t *is_used, const struct frame_view *view,
               struct err *err)
{
    if (frame_move(frame, model, view, err) < 0)
        return err->code;
    for (uint32_t d = 0; d < frame->draw_count; d++)
        if (add_points(frame, model, is_used, &frame->draws[d], err) < 0)
            return err->code;
    return 0;
}

const struct vec3 *frame_points(const struct frame *frame, uint64_t *count)
{
    const bool has_draws = frame->draw_count > 0;
    *count = has_draws ? frame->point_count : frame->bones.vertex_count;
    return has_draws ? frame->points : frame->bones.positions;
}

int frame_see(struct frame *frame, const struct model *model, const struct camera *camera, struct err *err)
{
    frame->camera = *camera;
    frame->palette[model->joint_count] = mat4_from_dmat4(&camera->view_from_scene);
    if (make_palettes(frame, model, &camera->view_from_scene, err) < 0)
        return err->code;
    for (uint32_t d = 0; d < frame->draw_count; d++)
        place_draw(frame, model, &frame->draws[d]);
    return 0;
}

void frame_fini(struct frame *frame)
{
    pose_fini(&frame->pose);
    blend_fini(&frame->blend);
    bones_fini(&frame->bones);
    free(frame->is_moved);
    free(frame->draws);
    free(frame->is_skin_used);
    free(frame->palette);
    free(frame->points);
    free(frame->morphed);
    *frame = (struct frame){0};
}
