/* cell_pixels.c - turns a posed cell into pixels, and draws the caption below it. */
#include "render/image/picture.h"
#include "render/cells.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    SUPERSAMPLED_MAX = 2048, /* larger pictures have one sample a pixel, because four would take a gigabyte */
    KEPT_BYTES = 64 << 20    /* pixel memory kept between jobs */
};

int pixels_reserve(uint8_t **bytes, size_t *capacity, size_t size_bytes, struct err *err)
{
    if (*bytes != NULL && *capacity >= size_bytes)
        return 0;
    free(*bytes);
    *bytes = malloc(size_bytes);
    *capacity = *bytes != NULL ? size_bytes : 0;
    return *bytes != NULL ? 0
                          : err_set(err, ERR_NO_MEMORY, "no memory for %zu bytes of a picture's pixels", size_bytes);
}

static int read_samples(struct renderer *renderer, uint32_t width, uint32_t height, uint32_t scale, struct err *err)
{
    const struct gl *gl = &renderer->gl;
    const size_t size_bytes = (size_t)width * height * 4;
    if (pixels_reserve(&renderer->samples, &renderer->samples_bytes, size_bytes * scale * scale, err) < 0 ||
        pixels_reserve(&renderer->pixels, &renderer->pixels_bytes, size_bytes, err) < 0)
        return err->code;
    gl->ReadPixels(0, 0, (GLsizei)(width * scale), (GLsizei)(height * scale), GL_RGBA, GL_UNSIGNED_BYTE,
                   renderer->samples);
    return gl_check(gl, "reading the picture", err);
}

/* Runs before the background is added, so that only the model gets darker. */
static int darken_corners(struct renderer *renderer, const struct picture_spec *picture, uint32_t scale,
                          struct err *err)
{
    const struct gl *gl = &renderer->gl;
    const uint32_t width = picture->width * scale, height = picture->height * scale;
    uint8_t **buffer = (uint8_t **)(void *)&renderer->depths;
    if (pixels_reserve(buffer, &renderer->depths_bytes, (size_t)width * height * sizeof *renderer->depths, err) < 0)
        return err->code;
    gl->ReadPixels(0, 0, (GLsizei)width, (GLsizei)height, GL_DEPTH_STENCIL, GL_UNSIGNED_INT_24_8, renderer->depths);
    if (gl_check(gl, "reading the depths of the picture", err) < 0)
        return err->code;
    return ambient_occlusion_darken(&renderer->occlusion, renderer->depths, picture->width, picture->height, scale,
                                    &renderer->posed.camera.clip_from_view, renderer->samples, err);
}

void pixels_trim(struct renderer *renderer)
{
    visibility_trim(&renderer->visibility, &renderer->gl);
    if (renderer->samples_bytes + renderer->pixels_bytes + renderer->canvas_bytes + renderer->depths_bytes <=
        KEPT_BYTES)
        return;
    ambient_occlusion_fini(&renderer->occlusion);
    free(renderer->depths);
    renderer->depths = NULL;
    renderer->depths_bytes = 0;
    free(renderer->samples);
    free(renderer->pixels);
    free(renderer->canvas);
    renderer->samples = renderer->pixels = renderer->canvas = NULL;
    renderer->samples_bytes = renderer->pixels_bytes = renderer->canvas_bytes = 0;
}

void pixels_place(const struct renderer *renderer, const struct render_job *job, const struct render_cell *cell)
{
    const size_t row_bytes = (size_t)job->picture.width * 4;
    uint8_t *to = renderer->canvas + ((size_t)cell->y * job->width + cell->x) * 4;
    for (uint32_t y = 0; y < job->picture.height; y++)
        memcpy(to + (size_t)y * job->width * 4, renderer->pixels + y * row_bytes, row_bytes);
}

int pixels_start(struct renderer *renderer, const struct render_job *job, struct err *err)
{
    const size_t count = (size_t)job->width * job->height;
    if (pixels_reserve(&renderer->canvas, &renderer->canvas_bytes, count * 4, err) < 0)
        return err->code;
    static const uint8_t NOTHING[4];
    uint8_t between[4];
    struct picture_spec picture = job->picture;
    memcpy(picture.background_end, picture.background, sizeof picture.background);
    picture_resolve(NOTHING, 1, 1, 1, &picture, NULL, between);
    for (size_t i = 0; i < count; i++)
        memcpy(renderer->canvas + 4 * i, between, 4);
    return 0;
}

struct loaded_model pixels_shown(const struct renderer *renderer, const struct cells *cells)
{
    struct loaded_model shown = *cells->loaded;
    shown.mapped.model = appearance_view(&renderer->posed.appearance, &cells->loaded->mapped.model);
    return shown;
}

static int draw_view(struct renderer *renderer, const struct cells *cells, uint32_t scale, struct err *err)
{
    const struct render_job *job = &cells->work->job;
    const uint32_t side = job->picture.width < job->picture.height ? job->picture.width : job->picture.height;
    const struct debug_view_query query = {
        .view = (enum view)job->picture.view, .joint = job->joint, .scale = scale, .side = side};
    const struct loaded_model shown = pixels_shown(renderer, cells);
    if (query.view == VIEW_LIT || query.view == VIEW_ONION)
        return draw_posed_model(&renderer->drawing, &shown, &renderer->posed, &job->picture, scale, err);
    return debug_views_draw(&renderer->views, &renderer->drawing, &shown, &renderer->posed, &query, err);
}

static int cast_shadow(struct renderer *renderer, const struct model *model, const struct picture_spec *picture,
                       struct err *err)
{
    if (pixels_reserve(&renderer->shade, &renderer->shade_bytes, (size_t)picture->width * picture->height, err) < 0 ||
        shadow_make(&renderer->shadow, model, &renderer->posed, picture->width, picture->height, err) < 0)
        return err->code;
    shadow_fill(&renderer->shadow, picture->width, picture->height, renderer->shade);
    return 0;
}

uint32_t pixels_scale(const struct picture_spec *picture)
{
    const bool is_smooth =
        (picture->flags & PICTURE_ONE_SAMPLE) == 0 && picture->view != VIEW_JOINTS; /* ids cannot be averaged */
    return is_smooth && picture->width <= SUPERSAMPLED_MAX && picture->height <= SUPERSAMPLED_MAX ? 2 : 1;
}

int pixels_pose(struct renderer *renderer, struct cells *cells, uint32_t c, struct err *err)
{
    const struct picture_spec *picture = &cells->work->job.picture;
    struct pose_view view;
    if (cells_pose(renderer, cells, c, &view, err) < 0)
        return err->code;
    struct camera camera;
    if (cells_find_camera(renderer, cells, &view, &camera, err) < 0)
        return err->code;
    cells->clip_time_s = view.clip_time_s;
    if (cells_are_alone(cells) || picture->view == VIEW_ONION) {
        struct render_shown *shown = &renderer->shown;
        shown->clip_time_s = view.clip_time_s;
        shown->camera = cells_settle_camera(cells, &camera);
        memcpy(shown->clip_from_view, camera.clip_from_view.m, sizeof shown->clip_from_view);
    }
    return posed_model_set_camera(&renderer->posed, cells_model(cells), &camera, err) < 0
               ? cells_name(cells, c, &view, err)
               : 0;
}

int pixels_draw(struct renderer *renderer, struct cells *cells, uint32_t c, struct err *err)
{
    const struct picture_spec *picture = &cells->work->job.picture;
    const uint32_t scale = pixels_scale(picture);
    if (pixels_pose(renderer, cells, c, err) < 0)
        return err->code;
    if (picture->view == VIEW_OPENPOSE)
        return points_draw_body(renderer, cells, scale, err);
    if (framebuffer_bind(&renderer->framebuffers, &renderer->gl, picture->width * scale, picture->height * scale, err) <
        0)
        return err->code;
    renderer->drawing.target = framebuffer_bound(&renderer->framebuffers);
    if (draw_view(renderer, cells, scale, err) < 0 ||
        read_samples(renderer, picture->width, picture->height, scale, err) < 0)
        return err->code;
    const bool is_lit = picture->view == VIEW_LIT || picture->view == VIEW_ONION;
    if (is_lit && (picture->flags & PICTURE_OCCLUSION) != 0 && darken_corners(renderer, picture, scale, err) < 0)
        return err->code;
    if ((picture->flags & PICTURE_SHADOW) != 0)
        return cast_shadow(renderer, cells_model(cells), picture, err);
    return 0;
}

void pixels_resolve(const struct renderer *renderer, struct cells *cells, const uint8_t *samples)
{
    const struct picture_spec *picture = &cells->work->job.picture;
    const struct picture_stats stats =
        picture_resolve(samples, picture->width, picture->height, pixels_scale(picture), picture,
                        (picture->flags & PICTURE_SHADOW) != 0 ? renderer->shade : NULL, renderer->pixels);
    cells->is_covered |= stats.covered_count > 0;
    cells->is_opaque &= stats.is_opaque;
}

/* --- captions --- */

enum { NAME_SIZE = 512 };

/* Writes the clip's name, or a text in its place. */
static void name_clip(const struct cells *cells, const struct render_cell *cell, char buffer[NAME_SIZE],
                      struct caption *caption)
{
    const struct model *model = job_source(cells->sources, cells->layers.count > 0 ? 0 : cell->clip_source);
    caption->name = buffer;
    if (cells->layers.count > 0 || cell->clip == POSE_REST) {
        snprintf(buffer, NAME_SIZE, "%s", cells->layers.count > 0 ? "blend" : "rest");
    } else if (model->clips[cell->clip].name.offset == STR_NONE || model->clips[cell->clip].name.size_bytes == 0) {
        snprintf(buffer, NAME_SIZE, "clip %d", cell->clip);
    } else {
        caption->name = model->text + model->clips[cell->clip].name.offset;
        caption->name_bytes = model->clips[cell->clip].name.size_bytes;
        return;
    }
    caption->name_bytes = strlen(buffer);
}

/* Puts the name of the clip's file first, where the job gives one, unless both names are the same. */
static void name_file(const struct render_source *source, char buffer[NAME_SIZE], struct caption *caption)
{
    const size_t name_bytes = strnlen(source->name, sizeof source->name);
    if (name_bytes == 0 || (name_bytes == caption->name_bytes && memcmp(source->name, caption->name, name_bytes) == 0))
        return;
    const size_t clip_bytes = caption->name_bytes < NAME_SIZE / 2 ? caption->name_bytes : NAME_SIZE / 2;
    snprintf(buffer, NAME_SIZE, "%.*s: %.*s", (int)name_bytes, source->name, (int)clip_bytes, caption->name);
    caption->name = buffer;
    caption->name_bytes = strlen(buffer);
}

int caption_put(struct renderer *renderer, const struct cells *cells, const struct render_cell *cell, struct err *err)
{
    const struct render_job *job = &cells->work->job;
    char buffer[NAME_SIZE], file_buffer[NAME_SIZE], rest[64];
    struct caption caption = {.rest = rest};
    int rest_bytes = 0;
    rest[0] = '\0';
    if ((job->captions & RENDER_CAPTION_CLIP) != 0)
        name_clip(cells, cell, buffer, &caption);
    if ((job->captions & RENDER_CAPTION_CLIP) != 0 && cell->clip_source > 0 && cells->layers.count == 0)
        name_file(&job->sources[cell->clip_source - 1], file_buffer, &caption);
    if ((job->captions & RENDER_CAPTION_TIME) != 0)
        rest_bytes = snprintf(rest, sizeof rest, "  %.2f s", fmod(cells->clip_time_s, 1e6));
    if ((job->captions & RENDER_CAPTION_YAW) != 0) {
        const double yaw_deg = fmod(job->picture.yaw_deg + cell->yaw_deg, 360);
        snprintf(rest + rest_bytes, sizeof rest - (size_t)rest_bytes, "%s%.4g\u00b0", rest_bytes > 0 ? "  " : "",
                 yaw_deg < 0 ? yaw_deg + 360 : yaw_deg);
    }
    const struct caption_band band = {.pixels = renderer->canvas +
                                                ((size_t)(cell->y + job->picture.height) * job->width + cell->x) * 4,
                                      .stride = job->width,
                                      .width = job->picture.width,
                                      .height = job->caption_height,
                                      .is_premultiplied = (job->picture.flags & PICTURE_PREMULTIPLIED) != 0};
    return caption_draw(renderer->font, &caption, &band, err);
}
