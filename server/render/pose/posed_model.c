/* posed_model.c - evaluates a pose, its palettes and its points. */
#include "render/pose/posed_model.h"

#include "anim/pose/give.h"
#include "anim/pose/root_motion.h"
#include "anim/pose/visibility.h"
#include "base/mem.h"
#include "base/picture/view.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double FIELD_OF_VIEW_DEG = 30, FILLED = 0.88;

static bool is_morphed(const struct posed_model *posed, const struct model *model, const struct draw *draw)
{
    const struct node *node = &model->nodes[draw->node];
    const uint32_t targets = model->primitives[draw->primitive].morph_target_count;
    for (uint32_t w = 0; w < node->weight_count && w < targets; w++)
        if (posed->pose.weights[node->weight_first + w] != 0)
            return true;
    return false;
}

/* Returns the nodes that the clip shows, or NULL where the flags of draws decide. A blend shows what the file shows at
 * rest. */
static const uint8_t *find_shown(struct posed_model *posed, const struct model *model, const struct pose_view *view)
{
    if (view->layer_count > 0 || !visibility_is_animated(model, view->clip))
        return NULL;
    visibility_evaluate(model, (uint32_t)view->clip, view->clip_time_s, posed->is_shown);
    return posed->is_shown;
}

/* Lists the draws of the picture, and counts their vertices. */
static void list_draws(struct posed_model *posed, const struct model *model, const struct pose_view *view,
                       uint64_t *point_count, uint64_t *morphed_count)
{
    const uint8_t *is_shown = find_shown(posed, model, view);
    posed->has_shown = is_shown != NULL;
    *point_count = *morphed_count = 0;
    posed->draw_count = 0;
    posed->is_hidden = false;
    for (uint32_t s = 0; s < model->skin_count; s++)
        posed->is_skin_used[s] = false;
    for (uint32_t d = 0; d < model->draw_count; d++) {
        const struct draw *draw = &model->draws[d];
        const struct primitive *primitive = &model->primitives[draw->primitive];
        const bool is_in_scene = (model->nodes[draw->node].flags & NODE_IN_SCENE) != 0 && primitive->index_count > 0;
        const bool is_hidden = is_shown == NULL ? (draw->flags & DRAW_IN_SCENE) == 0 : !is_shown[draw->node];
        posed->is_hidden = posed->is_hidden || (is_in_scene && is_hidden && is_shown != NULL);
        if (!is_in_scene || is_hidden)
            continue;
        const int32_t material = model_material(model, draw->primitive, view->picture->variant);
        const struct material *materials =
            posed->appearance.is_animated ? posed->appearance.materials : model->materials;
        struct posed_draw *out = &posed->draws[posed->draw_count++];
        *out = (struct posed_draw){
            .draw = d, .material = material >= 0 ? &materials[material] : &MATERIAL_PLAIN, .morph_first = NOT_MORPHED};
        if (is_morphed(posed, model, draw)) {
            out->morph_first = *morphed_count;
            *morphed_count += primitive->vertex_count;
        }
        posed->is_skin_used[draw->skin] = true;
        *point_count += primitive->vertex_count;
    }
}

static int gather(struct posed_model *posed, const struct model *model, const struct pose_view *view, struct err *err)
{
    uint64_t points, morphed;
    posed->joint_count = model->joint_count + 2;
    posed->draws = mem_reserve(posed->draws, &posed->draw_capacity, model->draw_count, sizeof *posed->draws);
    posed->is_skin_used = mem_reserve(posed->is_skin_used, &posed->skin_capacity, model->skin_count, sizeof(bool));
    posed->palette = mem_reserve(posed->palette, &posed->palette_capacity, posed->joint_count, sizeof *posed->palette);
    posed->is_shown = mem_reserve(posed->is_shown, &posed->shown_capacity, model->node_count, 1);
    const bool has_parts = skin_parts_most(model) > 0;
    if (has_parts)
        posed->parts = mem_reserve(posed->parts, &posed->part_capacity, model->joint_count, sizeof *posed->parts);
    if (posed->draws == NULL || posed->is_skin_used == NULL || posed->palette == NULL || posed->is_shown == NULL ||
        (has_parts && posed->parts == NULL))
        return err_set(err, ERR_NO_MEMORY, "no memory for %u joints and %u draws", posed->joint_count,
                       model->draw_count);
    list_draws(posed, model, view, &points, &morphed);
    posed->points = mem_reserve(posed->points, &posed->point_capacity, points, sizeof *posed->points);
    posed->morphed = mem_reserve(posed->morphed, &posed->morphed_capacity, morphed, sizeof *posed->morphed);
    if (posed->points == NULL || posed->morphed == NULL)
        return err_set(err, ERR_NO_MEMORY, "no memory for a picture of %llu vertices", (unsigned long long)points);
    return 0;
}

struct skin_palette posed_model_palette(const struct posed_model *posed, const struct model *model, uint32_t skin)
{
    const struct skin *s = &model->skins[skin];
    return (struct skin_palette){.matrices = posed->palette + s->joint_first,
                                 .parts = skin_has_parts(model, skin) ? posed->parts + s->joint_first : NULL,
                                 .method = s->method};
}

const struct vec3 *posed_model_bind(const struct posed_model *posed, const struct model *model,
                                    const struct posed_draw *draw)
{
    return draw->morph_first != NOT_MORPHED
               ? posed->morphed + draw->morph_first
               : model->positions + model->primitives[model->draws[draw->draw].primitive].vertex_first;
}

static int make_palettes(struct posed_model *posed, const struct model *model, const struct dmat4 *space_from_scene,
                         struct err *err)
{
    for (uint32_t s = 0; s < model->skin_count; s++) {
        struct skin_palette palette = posed_model_palette(posed, model, s);
        if (posed->is_skin_used[s] && skin_palette_make(&palette, &posed->pose, model, s, space_from_scene, err) < 0)
            return err->code;
    }
    return 0;
}

/* Appends the used vertices of a draw, skinned, to posed->points. */
static int add_points(struct posed_model *posed, const struct model *model, const uint8_t *is_used,
                      struct posed_draw *out, struct err *err)
{
    const struct draw *draw = &model->draws[out->draw];
    const struct primitive *primitive = &model->primitives[draw->primitive];
    const struct node *node = &model->nodes[draw->node];
    const struct skin_palette palette = posed_model_palette(posed, model, draw->skin);
    struct vec3 *points = posed->points + posed->point_count;
    if (out->morph_first != NOT_MORPHED)
        skin_morph_positions(model, draw->primitive, posed->pose.weights + node->weight_first, node->weight_count,
                             posed->morphed + out->morph_first);
    skin_positions(model, draw->primitive, &palette, posed_model_bind(posed, model, out), points);
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
    posed->point_count += kept;
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

/* Computes what depends on the camera. */
static void place_draw(const struct posed_model *posed, const struct model *model, struct posed_draw *out)
{
    const struct skin *skin = &model->skins[model->draws[out->draw].skin];
    uint32_t mirrored = 0;
    for (uint32_t j = 0; j < skin->joint_count; j++)
        mirrored += determinant(&posed->palette[skin->joint_first + j]) < 0;
    out->is_mirrored = mirrored == skin->joint_count;
    out->is_mixed = mirrored != 0 && !out->is_mirrored;
    double in_view[3];
    dmat4_point(&posed->camera.view_from_scene, out->middle, in_view);
    out->distance = -in_view[2];
}

struct camera_query posed_model_camera_query(const struct model *model, const struct pose_view *view)
{
    const struct model_info *info = &model->infos[0];
    const struct picture_spec *picture = view->picture;
    struct camera_query query = {
        .yaw_deg = view->yaw_deg,
        .pitch_deg = view->pitch_deg,
        .fov_deg = picture->fov_deg > 0 ? picture->fov_deg : FIELD_OF_VIEW_DEG,
        .is_ortho = (picture->flags & PICTURE_ORTHO) != 0,
        .aspect = (double)picture->width / picture->height,
        .margin = (1 - (picture->filled > 0 ? picture->filled : FILLED)) / 2,
        .distance = picture->distance,
        .has_target = view->has_target,
    };
    for (int i = 0; i < 3; i++) {
        query.up[i] = (double)info->up[i];
        query.forward[i] = (double)info->forward[i];
        query.target[i] = view->target[i];
    }
    return query;
}

struct camera posed_model_camera(const struct model *model, const struct pose_view *view, const struct vec3 *points,
                                 uint64_t point_count)
{
    const struct camera_query query = posed_model_camera_query(model, view);
    return camera_frame(&query, points, point_count);
}

/* Evaluates the pose without the root's motion. */
static int evaluate_still(struct posed_model *posed, const struct model *model, const struct pose_view *view,
                          struct err *err)
{
    struct root_motion motion;
    struct root_step step;
    if (view->root > model->node_count)
        return err_set(err, ERR_BAD_PARAMETER, "the model has no node %u", view->root - 1);
    posed->is_moved = mem_reserve(posed->is_moved, &posed->moved_capacity, model->node_count, sizeof *posed->is_moved);
    if (posed->is_moved == NULL)
        return err_set(err, ERR_NO_MEMORY, "no memory for %u nodes", model->node_count);
    root_motion_mark(model, view->root - 1, posed->is_moved);
    pose_evaluate(&posed->pose, model, view->clip, view->root_start_s);
    root_motion_start(&motion, &posed->pose, model, view->root - 1, view->has_turn, posed->is_moved);
    pose_evaluate(&posed->pose, model, view->clip, view->clip_time_s);
    root_motion_remove(&motion, &posed->pose, model, &step);
    return 0;
}

static int evaluate(struct posed_model *posed, const struct model *model, const struct pose_view *view, struct err *err)
{
    if (view->layer_count > 0)
        blend_evaluate(&posed->blend, &posed->pose, model, view->layers, view->layer_count);
    else if (view->root > 0)
        return evaluate_still(posed, model, view, err);
    else
        pose_evaluate(&posed->pose, model, view->clip, view->clip_time_s);
    return 0;
}

/* Gives the evaluated pose what lies on top. */
static void give_on_top(struct posed_model *posed, const struct model *model, const struct pose_view *view)
{
    const struct give give = {.given = view->on_top, .weight = 1};
    const struct node_list all = node_list_all(model);
    if (view->on_top == NULL)
        return;
    pose_give(&posed->pose, model, &all, &give);
    pose_give_look(&posed->pose, model, &give);
    pose_compose(&posed->pose, model);
}

/* Changes materials as the expressions of given poses do. */
static int give_appearance(struct posed_model *posed, const struct model *model, const struct pose_view *view,
                           struct err *err)
{
    const struct give on_top = {.given = view->on_top, .weight = 1};
    for (uint32_t i = 0; i < view->layer_count; i++) {
        const struct blend_layer *layer = &view->layers[i];
        const struct give give = {.given = layer->given, .time_s = layer->clip_time_s, .weight = layer->weight};
        if (layer->given != NULL &&
            appearance_give(&posed->appearance, model, &give, posed->pose.scene_from_node, err) < 0)
            return err->code;
    }
    return view->on_top == NULL ? 0
                                : appearance_give(&posed->appearance, model, &on_top, posed->pose.scene_from_node, err);
}

/* Fits volumes to the model once for consecutive pictures. */
static int fit_volumes(struct posed_model *posed, const struct model *model, struct err *err)
{
    const uint8_t *hash = model->infos[0].content_hash;
    if (posed->volumes != NULL && memcmp(posed->volumes_hash, hash, sizeof posed->volumes_hash) == 0)
        return 0;
    hit_set_free(posed->volumes);
    memcpy(posed->volumes_hash, hash, sizeof posed->volumes_hash);
    return hit_set_new(model, VOLUME_CAPSULE, UINT64_MAX, &posed->volumes, err);
}

/* Adds bones and wires, which are drawn beside the meshes. */
static int add_wires(struct posed_model *posed, const struct model *model, struct err *err)
{
    if (fit_volumes(posed, model, err) < 0)
        return err->code;
    return volume_mesh_init(&posed->skeleton, posed->volumes, model, &posed->pose, err);
}

int posed_model_evaluate(struct posed_model *posed, const struct model *model, const struct pose_view *view,
                         struct err *err)
{
    if (view->clip < POSE_REST || (view->clip >= 0 && (uint32_t)view->clip >= model->clip_count))
        return err_set(err, ERR_BAD_PARAMETER, "the model has no clip %d", view->clip);
    skeleton_mesh_fini(&posed->skeleton);
    posed->point_count = 0;
    /* a blend looks as the file does at rest */
    const int32_t clip = view->layer_count > 0 ? POSE_REST : view->clip;
    if (evaluate(posed, model, view, err) < 0)
        return err->code;
    give_on_top(posed, model, view);
    if (appearance_evaluate(&posed->appearance, model, clip, view->clip_time_s, err) < 0 ||
        give_appearance(posed, model, view, err) < 0 || gather(posed, model, view, err) < 0)
        return err->code;
    if (posed->draw_count > 0 && make_palettes(posed, model, &DMAT4_IDENTITY, err) < 0)
        return err->code;
    if (posed->draw_count > 0 && view->picture->view == VIEW_HITBOXES)
        return add_wires(posed, model, err);
    if (posed->draw_count > 0 && view->picture->view != VIEW_SKELETON)
        return 0;
    if (posed->draw_count == 0 && posed->is_hidden && (view->picture->flags & PICTURE_ALLOW_EMPTY) == 0)
        return err_set(err, ERR_NOTHING_TO_DRAW, "the clip hides every mesh at %.6g s", view->clip_time_s);
    if (skeleton_mesh_init(&posed->skeleton, model, view->movers, view->mover_count, &posed->pose, err) < 0)
        return err->code;
    if (posed->draw_count > 0)
        return 0;
    if (posed->skeleton.is_one_place || posed->is_hidden)
        posed->skeleton.vertex_count = 0; /* a mark that shows nothing of the model */
    if (posed->skeleton.vertex_count == 0 && (view->picture->flags & PICTURE_ALLOW_EMPTY) == 0)
        return err_set(err, ERR_NOTHING_TO_DRAW, "the model's scene has neither geometry nor bones");
    return 0;
}

int posed_model_pose(struct posed_model *posed, const struct model *model, const uint8_t *is_used,
                     const struct pose_view *view, struct err *err)
{
    if (posed_model_evaluate(posed, model, view, err) < 0)
        return err->code;
    for (uint32_t d = 0; d < posed->draw_count; d++)
        if (add_points(posed, model, is_used, &posed->draws[d], err) < 0)
            return err->code;
    return 0;
}

const struct vec3 *posed_model_points(const struct posed_model *posed, uint64_t *count)
{
    const bool has_draws = posed->draw_count > 0;
    *count = has_draws ? posed->point_count : posed->skeleton.vertex_count;
    return has_draws ? posed->points : posed->skeleton.positions;
}

int posed_model_set_camera(struct posed_model *posed, const struct model *model, const struct camera *camera,
                           struct err *err)
{
    posed->camera = *camera;
    posed->palette[model->joint_count] = mat4_from_dmat4(&camera->view_from_scene);
    posed->palette[model->joint_count + 1] = mat4_from_dmat4(&DMAT4_IDENTITY);
    if (make_palettes(posed, model, &camera->view_from_scene, err) < 0)
        return err->code;
    for (uint32_t d = 0; d < posed->draw_count; d++)
        place_draw(posed, model, &posed->draws[d]);
    return 0;
}

void posed_model_fini(struct posed_model *posed)
{
    pose_fini(&posed->pose);
    blend_fini(&posed->blend);
    appearance_fini(&posed->appearance);
    skeleton_mesh_fini(&posed->skeleton);
    free(posed->is_moved);
    free(posed->draws);
    free(posed->is_skin_used);
    free(posed->is_shown);
    free(posed->palette);
    free(posed->parts);
    free(posed->points);
    free(posed->morphed);
    hit_set_free(posed->volumes);
    *posed = (struct posed_model){0};
}
