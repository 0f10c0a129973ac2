/* job_check.c - checks sizes, numbers and places of cells, and the layers against the models. */
#include "render/job/job_check.h"

#include "anim/camera/camera_numbers.h"
#include "base/picture/pass.h"
#include "base/picture/view.h"

#include <math.h>

enum {
    SIDE_MAX = 16384,     /* of a framebuffer, which every GL 3.3 supports */
    PIXELS_MAX = 1 << 28, /* of all cells together */
    FRAME_RATE_MAX = 100000,
    PASSES_BYTES_MAX = 1 << 28 /* of all arrays: all passes of 2048 x 2048 pixels */
};

static const double FRAME_BOX_MOST = 1e30;

static int check_cell(const struct render_job *job, const struct render_cell *cell, bool is_drawn, struct err *err)
{
    if (!isfinite(cell->clip_time_s) || !isfinite(cell->begin_s) || !isfinite(cell->end_s) ||
        !isfinite(job->picture.yaw_deg + cell->yaw_deg) || !isfinite(job->picture.pitch_deg + cell->pitch_deg))
        return err_set(err, ERR_BAD_PARAMETER, "time, yaw or pitch of the picture is not finite");
    const uint32_t height = job->picture.height + job->caption_height;
    if (!is_drawn)
        return 0;
    if (cell->x > job->width - job->picture.width || cell->y > job->height - height)
        return err_set(err, ERR_BAD_PARAMETER, "a cell at %u, %u lies outside the picture", cell->x, cell->y);
    return 0;
}

static int check_frame_box(const struct picture_spec *picture, struct err *err)
{
    bool is_good = true;
    for (int i = 0; i < 3; i++) /* false for NaN */
        is_good = is_good && picture->frame_box[i] >= -FRAME_BOX_MOST && picture->frame_box[3 + i] <= FRAME_BOX_MOST &&
                  picture->frame_box[i] <= picture->frame_box[3 + i];
    return is_good ? 0 : err_set(err, ERR_BAD_PARAMETER, "the box that the picture frames is none");
}

/* Such a camera stands alone. */
static int check_given_camera(const struct picture_spec *picture, struct err *err)
{
    static const uint32_t FRAMES = PICTURE_FRAME_BOX | PICTURE_FRAME_POSE | PICTURE_ORTHO;
    if (picture->given.kind == PICTURE_CAMERA_NONE)
        return 0;
    if (picture->given.kind > PICTURE_CAMERA_ORTHOGRAPHIC || picture->camera > 0 || (picture->flags & FRAMES) != 0 ||
        picture->target_kind != PICTURE_TARGET_NONE)
        return err_set(err, ERR_BAD_PARAMETER, "a camera of kind %u by numbers stands beside another one",
                       picture->given.kind);
    return camera_numbers_check(&picture->given, err);
}

static int check_light(const struct picture_spec *picture, struct err *err)
{
    const bool is_exposed = fabs(picture->exposure_stops) <= PICTURE_STOPS_MAX; /* false for NaN */
    const bool is_turned = isfinite(picture->environment_yaw_deg);
    if (is_exposed && is_turned && picture->light < LIGHT_COUNT && picture->tone < TONE_COUNT)
        return 0;
    return err_set(err, ERR_BAD_PARAMETER, "there is no light %u with tone %u at %g stops", picture->light,
                   picture->tone, picture->exposure_stops);
}

/* In an animation cells are frames, and lie as image_sequence.h requires. */
static bool is_in_place(const struct render_work *work)
{
    const struct render_job *job = &work->job;
    const uint32_t height = job->picture.height + job->caption_height;
    const struct sheet_spec spec = {.format = job->format};
    if (!sheet_is_animation(&spec))
        return true;
    for (uint32_t d = 0; d < job->drawn_count; d++)
        if (work->cells[job->first_drawn + d].x != 0 || work->cells[job->first_drawn + d].y != d * height)
            return false;
    return job->width == job->picture.width && job->height == job->drawn_count * height;
}

static int check_file(const struct render_job *job, struct err *err)
{
    const struct sheet_spec spec = {.format = job->format};
    const bool is_opaque = job->picture.background[3] == 255 && job->picture.background_end[3] == 255;
    if (job->format >= SHEET_FORMAT_COUNT || job->quality > 100 || (sheet_is_opaque(&spec) && !is_opaque) ||
        (job->format == SHEET_Y4M && !(job->frame_rate > 0 && job->frame_rate <= FRAME_RATE_MAX)))
        return err_set(err, ERR_BAD_PARAMETER,
                       "a picture cannot be a file of format %u, quality %u, %g frames a second", job->format,
                       job->quality, job->frame_rate);
    return 0;
}

static int check_size(const struct render_job *job, struct err *err)
{
    const bool is_cell = job->picture.width >= 1 && job->picture.height >= 1 && job->picture.width <= SIDE_MAX &&
                         job->picture.height <= SIDE_MAX && job->caption_height <= SIDE_MAX;
    const bool is_told = job->format == SHEET_JSON; /* it has no pixels */
    if (is_cell && job->picture.width <= job->width && job->picture.height + job->caption_height <= job->height &&
        job->width <= SIDE_MAX && (is_told || (uint64_t)job->width * job->height <= PIXELS_MAX))
        return 0;
    return err_set(err, ERR_BAD_PARAMETER, "a picture of %u x %u pixels in one of %u x %u cannot be drawn",
                   job->picture.width, job->picture.height, job->width, job->height);
}

/* Passes are of one cell, which is the whole picture. */
static int check_passes(const struct render_work *work, struct err *err)
{
    const struct render_job *job = &work->job;
    const struct picture_spec *picture = &job->picture;
    const uint64_t bytes = (uint64_t)picture->width * picture->height * pass_pixel_bytes(picture->passes);
    const bool is_arrays = job->format == SHEET_NPZ;
    const bool is_moving = pass_has(picture->passes, PASS_MOTION);
    if (picture->passes == 0 && !is_arrays && job->later_count == 0)
        return 0;
    const bool is_good = picture->passes != 0 && (picture->passes & ~(uint32_t)PASS_ALL) == 0 &&
                         picture->view == VIEW_LIT && job->cell_count == 1 && job->drawn_count == 1 &&
                         job->width == picture->width && job->height == picture->height && bytes <= PASSES_BYTES_MAX &&
                         (job->later_count == 1) == is_moving;
    const enum pass only = pass_only(picture->passes);
    const bool is_picture = job->format == SHEET_PNG && only != PASS_COUNT && only != PASS_COLOR &&
                            PASS_INFO[only].picture != PASS_NO_PICTURE;
    if (!is_good || (!is_arrays && !is_picture))
        return err_set(err, ERR_BAD_PARAMETER, "passes 0x%x of %u cells cannot be a file of format %u", picture->passes,
                       job->cell_count, job->format);
    return job->later_count == 0 ? 0 : check_cell(job, &work->cells[job->cell_count], false, err);
}

static int check_points(const struct render_job *job, struct err *err)
{
    const bool is_body = job->picture.view == VIEW_OPENPOSE, is_told = job->format == SHEET_POINTS;
    const bool is_good = is_told ? job->picture.view == VIEW_LIT && job->picture.passes == 0 && job->point_count > 0 &&
                                       job->first_drawn == 0 && job->drawn_count == job->cell_count &&
                                       job->width == job->picture.width && job->height == job->picture.height
                                 : job->point_count == (is_body ? RENDER_BODY_POINTS : 0);
    if (is_good && job->tolerance >= 0 && isfinite(job->tolerance))
        return 0;
    return err_set(err, ERR_BAD_PARAMETER, "a picture of format %u and view %u cannot have %u points", job->format,
                   job->picture.view, job->point_count);
}

int job_check(const struct render_work *work, struct err *err)
{
    const struct render_job *job = &work->job;
    if (check_size(job, err) < 0)
        return err->code;
    if ((job->picture.light == LIGHT_FILE) != (job->environment_bytes > 0))
        return err_set(err, ERR_BAD_PARAMETER, "the job's light and its environment do not go together");
    if (job->picture.view >= VIEW_COUNT)
        return err_set(err, ERR_BAD_PARAMETER, "there is no view %u", job->picture.view);
    if (!render_job_is_bounded(job))
        return err_set(err, ERR_BAD_PARAMETER, "a picture cannot have %u cells of %u layers", job->cell_count,
                       job->blend.layer_count);
    if (check_light(&job->picture, err) < 0 || check_file(job, err) < 0 || check_frame_box(&job->picture, err) < 0)
        return err->code;
    if (check_given_camera(&job->picture, err) < 0 || check_passes(work, err) < 0 || check_points(job, err) < 0)
        return err->code;
    for (uint32_t c = 0; c < job->cell_count; c++)
        if (check_cell(job, &work->cells[c], c - job->first_drawn < job->drawn_count, err) < 0)
            return err->code;
    return is_in_place(work) ? 0 : err_set(err, ERR_BAD_PARAMETER, "the frames of the animation are out of place");
}

/* --- layers --- */

static bool is_clip(const struct job_sources *sources, uint32_t source, int32_t clip)
{
    return source <= sources->count &&
           (clip == POSE_REST || (clip >= 0 && (uint32_t)clip < job_source(sources, source)->clip_count));
}

static bool is_good(const struct render_blend *blend, const struct render_layer *layer,
                    const struct job_sources *sources)
{
    return is_clip(sources, layer->clip_source, layer->clip) &&
           is_clip(sources, layer->reference_source, layer->reference_clip) && isfinite(layer->reference_time_s) &&
           layer->mask_count <= blend->mask_count && layer->mask_first <= blend->mask_count - layer->mask_count;
}

int job_layers_init(struct job_layers *layers, const struct render_blend *blend, const struct job_sources *sources,
                    const struct job_given *given, struct err *err)
{
    layers->count = 0;
    if (blend->layer_count > BLEND_LAYERS_MAX || blend->mask_count > BLEND_MASKS_MAX)
        return err_set(err, ERR_BAD_PARAMETER, "%u layers with %u joints cannot be blended", blend->layer_count,
                       blend->mask_count);
    for (uint32_t i = 0; i < blend->mask_count; i++) {
        const uint32_t node = blend->masks[i] / 4, scope = blend->masks[i] % 4;
        if (node >= sources->model->node_count || scope > BLEND_EXCEPT)
            return err_set(err, ERR_BAD_PARAMETER, "joint %u of the layers is not one of the model's", i);
        layers->masks[i] = (struct blend_mask){.node = node, .scope = (enum mask_scope)scope};
    }
    for (uint32_t i = 0; i < blend->layer_count; i++) {
        const struct render_layer *layer = &blend->layers[i];
        if (!is_good(blend, layer, sources) || (layer->given > 0 && job_given_pose(given, layer->given) == NULL))
            return err_set(err, ERR_BAD_PARAMETER, "layer %u cannot be blended", i);
        layers->layers[i] = (struct blend_layer){
            .source = job_source(sources, layer->clip_source),
            .clip = layer->clip,
            .is_additive = layer->is_additive != 0,
            .given = job_given_pose(given, layer->given),
            .reference_source = job_source(sources, layer->reference_source),
            .reference_clip = layer->reference_clip,
            .reference_time_s = layer->reference_time_s,
            .masks = layers->masks + layer->mask_first,
            .mask_count = layer->mask_count,
        };
    }
    layers->count = blend->layer_count;
    return 0;
}

int job_layers_set(struct job_layers *layers, const struct render_layer_moment *moments, struct err *err)
{
    for (uint32_t i = 0; i < layers->count; i++) {
        struct blend_layer *layer = &layers->layers[i];
        const double weight = moments[i].weight;
        if (!isfinite(moments[i].clip_time_s))
            return err_set(err, ERR_BAD_PARAMETER, "layer %u has a time that is not finite", i);
        if (!isfinite(weight) || weight < 0 || (!blend_is_override(layer) && weight > 1))
            return err_set(err, ERR_BAD_PARAMETER, "layer %u has a weight that it cannot have", i);
        layer->clip_time_s = moments[i].clip_time_s;
        layer->weight = weight;
    }
    return 0;
}
