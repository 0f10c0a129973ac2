#include "renderer.h"

#include "../base/mem.h"
#include "aim.h"
#include "animation.h"
#include "blank.h"
#include "caption.h"
#include "draw.h"
#include "frame.h"
#include "framing.h"
#include "gl_context.h"
#include "job_layers.h"
#include "job_sources.h"
#include "model_cache.h"
#include "onion.h"
#include "picture.h"
#include "png_file.h"
#include "shadow.h"
#include "target.h"
#include "view_draw.h"
#include "warm_up.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum {
    SIDE_MAX = 16384,        /* of a framebuffer, everywhere that GL 3.3 is */
    PIXELS_MAX = 1 << 28,    /* of all cells together */
    SUPERSAMPLED_MAX = 2048, /* larger pictures have one sample a pixel: four would take a gigabyte */
    KEPT_BYTES = 64 << 20,   /* of pixel memory between jobs */
    CLIP_FILES_SHARE = 4,    /* of the memory for models, beside it */
    NAME_SIZE = 256
};

struct renderer {
    struct gl_context *context;
    struct gl gl;
    struct drawing drawing;
    struct views views;
    struct targets targets;
    struct model_cache cache;
    struct clip_files clip_files;
    struct frame frame;
    struct caption_font *font;
    struct shadow shadow;
    uint8_t *shade; /* of a cell: how dark its shadow is */
    size_t shade_bytes;
    struct reaches reaches;
    struct render_shown shown;
    uint8_t *samples, *pixels; /* of a cell */
    uint8_t *canvas;           /* the pixels of a picture of several */
    size_t samples_bytes, pixels_bytes, canvas_bytes;
    char name[NAME_SIZE];
};

/* Pixels depend on which instructions the driver's compiler may use; on other processors its name says enough. */
static const char *processor_class(void)
{
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx512f"))
        return "avx512";
    if (__builtin_cpu_supports("avx2"))
        return "avx2";
    return __builtin_cpu_supports("avx") ? "avx" : "sse";
#else
    return "other";
#endif
}

static void name_renderer(struct renderer *renderer)
{
    const struct gl *gl = &renderer->gl;
    snprintf(renderer->name, sizeof renderer->name, "%s, %s, %s, %s", (const char *)gl->GetString(GL_RENDERER),
             gl_context_kind(renderer->context), (const char *)gl->GetString(GL_VERSION), processor_class());
}

static int warm_up(struct renderer *renderer, struct err *err)
{
    struct buf model, png;
    buf_init(&model, 0);
    buf_init(&png, 0);
    int rc = warm_up_model(&model, err);
    const int fd = memfd_create("posed-warm-up", MFD_CLOEXEC);
    if (rc == 0 && (fd < 0 || write(fd, model.data, model.size_bytes) != (ssize_t)model.size_bytes))
        rc = err_set(err, ERR_INTERNAL, "no memory file for the warm-up model: %s", strerror(errno));
    struct render_work *work = mem_zalloc(1, sizeof *work);
    work->job = (struct render_job){.look = {.width = 64, .height = 64, .yaw_deg = 20},
                                    .width = 64,
                                    .height = 64,
                                    .cell_count = 1,
                                    .model_bytes = model.size_bytes};
    work->cells[0].clip = POSE_REST;
    if (rc == 0)
        rc = renderer_draw(renderer, work, fd, NULL, &png, NULL, err);
    free(work);
    if (fd >= 0)
        close(fd);
    buf_fini(&model);
    buf_fini(&png);
    return rc;
}

int renderer_new(const char *gl, uint64_t cache_bytes, struct renderer **out, struct err *err)
{
    struct renderer *renderer = mem_zalloc(1, sizeof *renderer);
    *out = NULL;
    renderer->cache.limit_bytes = cache_bytes;
    renderer->clip_files.limit_bytes = cache_bytes / CLIP_FILES_SHARE;
    if (gl_context_new(gl, &renderer->context, &renderer->gl, err) < 0) {
        free(renderer);
        return err->code;
    }
    name_renderer(renderer);
    renderer->font = caption_font_load();
    if (drawing_init(&renderer->drawing, &renderer->gl, err) < 0 || warm_up(renderer, err) < 0) {
        renderer_free(renderer);
        return err->code;
    }
    *out = renderer;
    return 0;
}

const char *renderer_name(const struct renderer *renderer) { return renderer->name; }

static int check_cell(const struct render_job *job, const struct render_cell *cell, struct err *err)
{
    if (!isfinite(cell->clip_time_s) || !isfinite(cell->begin_s) || !isfinite(cell->end_s) ||
        !isfinite(cell->yaw_deg) || !isfinite(cell->pitch_deg))
        return err_set(err, ERR_BAD_PARAMETER, "time, yaw or pitch of the picture is not finite");
    const uint32_t height = job->look.height + job->caption_height;
    if (cell->x > job->width - job->look.width || cell->y > job->height - height)
        return err_set(err, ERR_BAD_PARAMETER, "a cell at %u, %u lies outside the picture", cell->x, cell->y);
    return 0;
}

/* In an animation cells are frames and lie as animation.h wants them. */
static bool is_in_place(const struct render_work *work)
{
    const struct render_job *job = &work->job;
    const uint32_t height = job->look.height + job->caption_height;
    if (job->format == SHEET_PNG || job->format == SHEET_JSON)
        return true;
    for (uint32_t c = 0; c < job->cell_count; c++)
        if (work->cells[c].x != 0 || work->cells[c].y != c * height)
            return false;
    return job->width == job->look.width && job->height == job->cell_count * height;
}

static int check_size(const struct render_job *job, struct err *err)
{
    const bool is_cell = job->look.width >= 1 && job->look.height >= 1 && job->look.width <= SIDE_MAX &&
                         job->look.height <= SIDE_MAX && job->caption_height <= SIDE_MAX;
    if (is_cell && job->look.width <= job->width && job->look.height + job->caption_height <= job->height &&
        job->width <= SIDE_MAX && (uint64_t)job->width * job->height <= PIXELS_MAX)
        return 0;
    return err_set(err, ERR_BAD_PARAMETER, "a picture of %u x %u pixels in one of %u x %u cannot be drawn",
                   job->look.width, job->look.height, job->width, job->height);
}

static int check_job(const struct render_work *work, struct err *err)
{
    const struct render_job *job = &work->job;
    if (check_size(job, err) < 0)
        return err->code;
    if (!isfinite(job->look.yaw_deg) || !isfinite(job->look.pitch_deg))
        return err_set(err, ERR_BAD_PARAMETER, "time, yaw or pitch of the picture is not finite");
    if (job->look.view >= VIEW_COUNT)
        return err_set(err, ERR_BAD_PARAMETER, "there is no view %u", job->look.view);
    if (!render_job_is_bounded(job) || job->format >= SHEET_FORMAT_COUNT)
        return err_set(err, ERR_BAD_PARAMETER, "a picture cannot have %u cells of %u layers in format %u",
                       job->cell_count, job->blend.layer_count, job->format);
    for (uint32_t c = 0; c < job->cell_count; c++)
        if (check_cell(job, &work->cells[c], err) < 0)
            return err->code;
    return is_in_place(work) ? 0 : err_set(err, ERR_BAD_PARAMETER, "the frames of the animation are out of place");
}

static uint8_t *make_room(uint8_t *bytes, size_t *capacity, size_t size_bytes)
{
    if (bytes != NULL && *capacity >= size_bytes)
        return bytes;
    free(bytes);
    bytes = malloc(size_bytes);
    *capacity = bytes != NULL ? size_bytes : 0;
    return bytes;
}

static int read_samples(struct renderer *renderer, uint32_t width, uint32_t height, uint32_t scale, struct err *err)
{
    const struct gl *gl = &renderer->gl;
    const size_t size_bytes = (size_t)width * height * 4;
    renderer->samples = make_room(renderer->samples, &renderer->samples_bytes, size_bytes * scale * scale);
    renderer->pixels = make_room(renderer->pixels, &renderer->pixels_bytes, size_bytes);
    if (renderer->samples == NULL || renderer->pixels == NULL)
        return err_set(err, ERR_NO_MEMORY, "no memory for a picture of %u x %u", width, height);
    gl->ReadPixels(0, 0, (GLsizei)(width * scale), (GLsizei)(height * scale), GL_RGBA, GL_UNSIGNED_BYTE,
                   renderer->samples);
    return gl_check(gl, "reading the picture", err);
}

static void trim(struct renderer *renderer)
{
    if (renderer->samples_bytes + renderer->pixels_bytes + renderer->canvas_bytes <= KEPT_BYTES)
        return;
    free(renderer->samples);
    free(renderer->pixels);
    free(renderer->canvas);
    renderer->samples = renderer->pixels = renderer->canvas = NULL;
    renderer->samples_bytes = renderer->pixels_bytes = renderer->canvas_bytes = 0;
}

/* Sets a cell's pixels, rows top first, into the picture. */
static void place_cell(const struct renderer *renderer, const struct render_job *job, const struct render_cell *cell)
{
    const size_t row_bytes = (size_t)job->look.width * 4;
    uint8_t *to = renderer->canvas + ((size_t)cell->y * job->width + cell->x) * 4;
    for (uint32_t y = 0; y < job->look.height; y++)
        memcpy(to + (size_t)y * job->width * 4, renderer->pixels + y * row_bytes, row_bytes);
}

/* The whole picture, of the background's first colour: that is what is between the cells. */
static int start_canvas(struct renderer *renderer, const struct render_job *job, struct err *err)
{
    const size_t count = (size_t)job->width * job->height;
    renderer->canvas = make_room(renderer->canvas, &renderer->canvas_bytes, count * 4);
    if (renderer->canvas == NULL)
        return err_set(err, ERR_NO_MEMORY, "no memory for a picture of %u x %u", job->width, job->height);
    static const uint8_t NOTHING[4];
    uint8_t between[4];
    struct picture_spec look = job->look;
    memcpy(look.background_end, look.background, sizeof look.background);
    picture_resolve(NOTHING, 1, 1, 1, &look, between);
    for (size_t i = 0; i < count; i++)
        memcpy(renderer->canvas + 4 * i, between, 4);
    return 0;
}

/* What the cells have in common while they are drawn. */
struct drawn {
    const struct render_work *work;
    struct loaded *loaded;
    const struct job_sources *sources;
    struct job_layers layers;
    const struct model *movers[RENDER_SOURCES_MAX + 1];
    uint32_t mover_count;
    struct framing framing; /* of several cells */
    struct camera all;      /* the camera that frames them */
    struct aim aim;         /* of one cell */
    double clip_time_s;     /* of the last cell, as it is shown */
    bool is_covered;        /* some cell has a pixel of the model */
    bool is_opaque;
};

static struct frame_view view_of(const struct drawn *drawn, const struct render_cell *cell)
{
    const struct render_job *job = &drawn->work->job;
    return (struct frame_view){.look = &job->look,
                               .yaw_deg = job->look.yaw_deg + cell->yaw_deg,
                               .pitch_deg = job->look.pitch_deg + cell->pitch_deg,
                               .clip = drawn->layers.count > 0 ? POSE_REST : cell->clip,
                               .clip_time_s = cell->clip_time_s,
                               .layers = drawn->layers.layers,
                               .layer_count = drawn->layers.count,
                               .movers = drawn->movers,
                               .mover_count = drawn->mover_count,
                               .root = job->root,
                               .has_turn = job->has_turn != 0,
                               .root_start_s = cell->begin_s};
}

static const struct model *posed_of(const struct drawn *drawn, const struct render_cell *cell)
{
    return job_source(drawn->sources, drawn->layers.count > 0 ? 0 : cell->clip_source);
}

/* What the cell's clip shows, and when it is taken. */
static int aim_cell(struct renderer *renderer, struct drawn *drawn, const struct render_cell *cell,
                    struct frame_view *view, struct err *err)
{
    const struct render_job *job = &drawn->work->job;
    const struct reach_key key = {.model = job->model_key,
                                  .source = cell->clip_source > 0 && cell->clip_source <= job->source_count
                                                ? job->sources[cell->clip_source - 1].key
                                                : 0,
                                  .clip = cell->clip,
                                  .root = job->root,
                                  .has_turn = job->has_turn,
                                  .begin_s = cell->begin_s,
                                  .end_s = cell->end_s};
    return aim_prepare(&drawn->aim, &renderer->reaches, drawn->loaded, &renderer->frame, posed_of(drawn, cell), &key,
                       view, err);
}

/* Its pose and what a camera has to frame of it. */
static int pose_cell(struct renderer *renderer, struct drawn *drawn, uint32_t c, struct frame_view *view,
                     struct err *err)
{
    const struct render_cell *cell = &drawn->work->cells[c];
    if (job_layers_set(&drawn->layers, drawn->work->layer_times_s + (size_t)c * drawn->layers.count, err) < 0)
        return err->code;
    *view = view_of(drawn, cell);
    if (aim_cell(renderer, drawn, cell, view, err) < 0)
        return err->code;
    return frame_pose(&renderer->frame, posed_of(drawn, cell), drawn->loaded->is_used, view, err);
}

static const struct model *model_of(const struct drawn *drawn) { return &drawn->loaded->mapped.model; }

static int start_framing(const struct renderer *renderer, struct drawn *drawn, const struct frame_view *view,
                         const struct camera *seen, struct frame_view *first, struct err *err)
{
    *first = *view;
    first->yaw_deg = first->pitch_deg = 0;
    const struct camera level = frame_aim(model_of(drawn), first, NULL, 0);
    framing_init(&drawn->framing, &level, seen);
    *first = *view;
    if (aim_target(&drawn->aim, &renderer->frame, model_of(drawn), first, err) < 0)
        return err->code;
    drawn->framing.has_target = first->has_target;
    memcpy(drawn->framing.target, first->target, sizeof first->target);
    return 0;
}

/* Finds one camera for all cells, which stands at the first of them. */
static int frame_cells(struct renderer *renderer, struct drawn *drawn, struct err *err)
{
    const struct render_work *work = drawn->work;
    struct framing *framing = &drawn->framing;
    struct frame_view view, first = {.look = &work->job.look};
    uint64_t count;
    for (uint32_t c = 0; c < work->job.cell_count; c++) {
        const struct render_cell *cell = &work->cells[c], *before = c > 0 ? cell - 1 : NULL;
        if (pose_cell(renderer, drawn, c, &view, err) < 0)
            return err->code;
        const struct camera seen = frame_aim(model_of(drawn), &view, NULL, 0);
        if (c == 0 && start_framing(renderer, drawn, &view, &seen, &first, err) < 0)
            return err->code;
        const struct reach *reach = drawn->aim.reach;
        const bool is_new = before == NULL || before->clip != cell->clip || before->clip_source != cell->clip_source ||
                            before->yaw_deg != cell->yaw_deg || before->pitch_deg != cell->pitch_deg;
        const struct vec3 *points = frame_points(&renderer->frame, &count);
        if ((reach != NULL && is_new &&
             framing_add_few(framing, &framing->reached, &seen, reach->points, reach->point_count, err) < 0) ||
            framing_add(framing, &framing->posed, &seen, points, count, err) < 0)
            return err->code;
    }
    const struct camera_query query = frame_query(model_of(drawn), &first);
    return framing_find(framing, &query, &drawn->all, err);
}

/* Moments that are laid over each other have the camera that each would have alone, unless that depends on its pose. */
static bool is_framed_by_poses(const struct drawn *drawn)
{
    const struct picture_spec *look = &drawn->work->job.look;
    return drawn->aim.reach == NULL && look->camera == 0 && look->target_kind == PICTURE_TARGET_NONE;
}

static int find_camera(struct renderer *renderer, const struct drawn *drawn, struct frame_view *view,
                       struct camera *camera, struct err *err)
{
    if (drawn->work->job.cell_count == 1 || (drawn->work->job.look.view == VIEW_ONION && !is_framed_by_poses(drawn)))
        return aim_find(&drawn->aim, &renderer->frame, model_of(drawn), view, camera, err);
    const struct camera seen = frame_aim(model_of(drawn), view, NULL, 0);
    *camera = framing_camera(&drawn->framing, &drawn->all, &seen);
    return 0;
}

static void tell(struct renderer *renderer, const struct frame_view *view, const struct camera *camera)
{
    renderer->shown.clip_time_s = view->clip_time_s;
    memcpy(renderer->shown.view_from_scene, camera->view_from_scene.m, sizeof camera->view_from_scene.m);
    memcpy(renderer->shown.clip_from_view, camera->clip_from_view.m, sizeof camera->clip_from_view.m);
}

static int draw_view(struct renderer *renderer, const struct drawn *drawn, uint32_t scale, struct err *err)
{
    const struct render_job *job = &drawn->work->job;
    const struct view_query query = {.view = (enum view)job->look.view, .joint = job->joint, .scale = scale};
    if (query.view == VIEW_LIT || query.view == VIEW_ONION)
        return draw_frame(&renderer->drawing, drawn->loaded, &renderer->frame, scale, err);
    return views_draw(&renderer->views, &renderer->drawing, drawn->loaded, &renderer->frame, &query, err);
}

static int cast_shadow(struct renderer *renderer, const struct model *model, const struct picture_spec *look,
                       struct err *err)
{
    renderer->shade = make_room(renderer->shade, &renderer->shade_bytes, (size_t)look->width * look->height);
    if (renderer->shade == NULL)
        return err_set(err, ERR_NO_MEMORY, "no memory for a picture of %u x %u", look->width, look->height);
    if (shadow_make(&renderer->shadow, model, &renderer->frame, look->width, look->height, err) < 0)
        return err->code;
    shadow_fill(&renderer->shadow, look->width, look->height, renderer->shade);
    return 0;
}

static uint32_t scale_of(const struct picture_spec *look)
{
    const bool is_smooth = (look->flags & PICTURE_ONE_SAMPLE) == 0 && look->view != VIEW_JOINTS; /* ids have no mean */
    return is_smooth && look->width <= SUPERSAMPLED_MAX && look->height <= SUPERSAMPLED_MAX ? 2 : 1;
}

static int draw_samples(struct renderer *renderer, struct drawn *drawn, uint32_t c, struct err *err)
{
    const struct picture_spec *look = &drawn->work->job.look;
    const uint32_t scale = scale_of(look);
    struct frame_view view;
    if (pose_cell(renderer, drawn, c, &view, err) < 0)
        return err->code;
    struct camera camera;
    if (find_camera(renderer, drawn, &view, &camera, err) < 0)
        return err->code;
    drawn->clip_time_s = view.clip_time_s;
    if (drawn->work->job.cell_count == 1 || look->view == VIEW_ONION)
        tell(renderer, &view, &camera);
    if (frame_see(&renderer->frame, model_of(drawn), &camera, err) < 0 ||
        target_bind(&renderer->targets, &renderer->gl, look->width * scale, look->height * scale, err) < 0 ||
        draw_view(renderer, drawn, scale, err) < 0 || read_samples(renderer, look->width, look->height, scale, err) < 0)
        return err->code;
    if ((look->flags & PICTURE_SHADOW) != 0)
        return cast_shadow(renderer, model_of(drawn), look, err);
    return 0;
}

/* Samples to renderer->pixels. */
static void resolve(const struct renderer *renderer, struct drawn *drawn, const uint8_t *samples)
{
    const struct picture_spec *look = &drawn->work->job.look;
    const struct picture_stats stats =
        picture_resolve_shaded(samples, look->width, look->height, scale_of(look), look,
                               (look->flags & PICTURE_SHADOW) != 0 ? renderer->shade : NULL, renderer->pixels);
    drawn->is_covered |= stats.covered_count > 0;
    drawn->is_opaque &= stats.is_opaque;
}

static int draw_cell(struct renderer *renderer, struct drawn *drawn, uint32_t c, struct err *err)
{
    if (draw_samples(renderer, drawn, c, err) < 0)
        return err->code;
    resolve(renderer, drawn, renderer->samples);
    return 0;
}

/* Of several cells without a pixel of the model the last is explained: it was drawn last. */
static int check_covered(const struct renderer *renderer, const struct drawn *drawn, struct err *err)
{
    const struct picture_spec *look = &drawn->work->job.look;
    if (drawn->is_covered || (look->flags & PICTURE_ALLOW_EMPTY) != 0)
        return 0;
    return blank_explain(&renderer->frame, model_of(drawn), (const uint32_t[2]){look->width, look->height}, err);
}

static struct png_form form_of(const struct render_job *job, bool is_opaque)
{
    return (struct png_form){.has_alpha = !is_opaque, .is_small = (job->look.flags & PICTURE_SMALL_FILE) != 0};
}

static int draw_one(struct renderer *renderer, struct drawn *drawn, struct buf *out, struct err *err)
{
    const struct render_job *job = &drawn->work->job;
    if (draw_cell(renderer, drawn, 0, err) < 0 || check_covered(renderer, drawn, err) < 0)
        return err->code;
    const struct png_form form = form_of(job, drawn->is_opaque);
    return png_file_put(out, renderer->pixels, job->width, job->height, &form, err);
}

/* All moments over each other. */
static int draw_onion(struct renderer *renderer, struct drawn *drawn, struct buf *png, struct err *err)
{
    const struct render_job *job = &drawn->work->job;
    const uint32_t scale = scale_of(&job->look);
    const size_t sample_count = (size_t)job->width * job->height * scale * scale;
    struct frame_view view;
    if (pose_cell(renderer, drawn, 0, &view, err) < 0 ||
        (is_framed_by_poses(drawn) && frame_cells(renderer, drawn, err) < 0))
        return err->code;
    renderer->canvas = make_room(renderer->canvas, &renderer->canvas_bytes, 4 * sample_count);
    if (renderer->canvas == NULL)
        return err_set(err, ERR_NO_MEMORY, "no memory for a picture of %u x %u", job->width, job->height);
    memset(renderer->canvas, 0, 4 * sample_count);
    for (uint32_t c = 0; c < job->cell_count; c++) {
        if (draw_samples(renderer, drawn, c, err) < 0)
            return err->code;
        onion_lay(renderer->canvas, renderer->samples, sample_count, c, job->cell_count);
    }
    resolve(renderer, drawn, renderer->canvas);
    if (check_covered(renderer, drawn, err) < 0)
        return err->code;
    const struct png_form form = form_of(job, drawn->is_opaque);
    return png_file_put(png, renderer->pixels, job->width, job->height, &form, err);
}

static int put_all(const struct renderer *renderer, const struct drawn *drawn, struct buf *out, struct err *err)
{
    const struct render_job *job = &drawn->work->job;
    const struct png_form form = form_of(job, drawn->is_opaque && job->look.background[3] == 255);
    if (job->format == SHEET_PNG)
        return png_file_put(out, renderer->canvas, job->width, job->height, &form, err);
    uint32_t durations_ms[RENDER_CELLS_MAX];
    for (uint32_t c = 0; c < job->cell_count; c++)
        durations_ms[c] = drawn->work->cells[c].duration_ms;
    const struct animation animation = {.pixels = renderer->canvas,
                                        .width = job->width,
                                        .height = job->look.height + job->caption_height,
                                        .frame_count = job->cell_count,
                                        .durations_ms = durations_ms,
                                        .loops = job->loops,
                                        .form = form};
    return animation_put(out, (enum sheet_format)job->format, &animation, err);
}

/* Where the cells' cameras are, instead of what they see. */
static int put_shots(struct renderer *renderer, struct drawn *drawn, struct buf *out, struct err *err)
{
    const struct render_work *work = drawn->work;
    struct render_shots shots = {.cell_count = work->job.cell_count};
    struct camera camera;
    framing_pivot(&drawn->framing, shots.pivot);
    const size_t at = out->size_bytes;
    buf_put(out, &shots, sizeof shots); /* filled in below */
    for (uint32_t c = 0; c < work->job.cell_count; c++) {
        struct frame_view view = view_of(drawn, &work->cells[c]);
        if (aim_cell(renderer, drawn, &work->cells[c], &view, err) < 0 ||
            find_camera(renderer, drawn, &view, &camera, err) < 0)
            return err->code;
        struct render_view seen = {.clip_time_s = view.clip_time_s};
        memcpy(seen.view_from_scene, camera.view_from_scene.m, sizeof seen.view_from_scene);
        buf_put(out, &seen, sizeof seen);
    }
    if (buf_failed(out))
        return err_set(err, ERR_NO_MEMORY, "no memory for the cameras of %u cells", shots.cell_count);
    shots.is_ortho = camera.is_ortho;
    memcpy(shots.clip_from_view, camera.clip_from_view.m, sizeof shots.clip_from_view);
    memcpy(out->data + at, &shots, sizeof shots);
    return 0;
}

/* The clip's name, or what stands for it. */
static void name_clip(const struct drawn *drawn, const struct render_cell *cell, char room[32], struct caption *caption)
{
    const struct model *model = job_source(drawn->sources, drawn->layers.count > 0 ? 0 : cell->clip_source);
    caption->name = room;
    if (drawn->layers.count > 0 || cell->clip == POSE_REST) {
        snprintf(room, 32, "%s", drawn->layers.count > 0 ? "blend" : "rest");
    } else if (model->clips[cell->clip].name.offset == STR_NONE || model->clips[cell->clip].name.size_bytes == 0) {
        snprintf(room, 32, "clip %d", cell->clip);
    } else {
        caption->name = model->text + model->clips[cell->clip].name.offset;
        caption->name_bytes = model->clips[cell->clip].name.size_bytes;
        return;
    }
    caption->name_bytes = strlen(room);
}

static int put_caption(struct renderer *renderer, const struct drawn *drawn, const struct render_cell *cell,
                       struct err *err)
{
    const struct render_job *job = &drawn->work->job;
    char room[32], rest[64];
    struct caption caption = {.rest = rest};
    int rest_bytes = 0;
    rest[0] = '\0';
    if ((job->captions & RENDER_CAPTION_CLIP) != 0)
        name_clip(drawn, cell, room, &caption);
    if ((job->captions & RENDER_CAPTION_TIME) != 0)
        rest_bytes = snprintf(rest, sizeof rest, "  %.2f s", fmod(drawn->clip_time_s, 1e6));
    if ((job->captions & RENDER_CAPTION_YAW) != 0) {
        const double yaw_deg = fmod(job->look.yaw_deg + cell->yaw_deg, 360);
        snprintf(rest + rest_bytes, sizeof rest - (size_t)rest_bytes, "%s%.4g\u00b0", rest_bytes > 0 ? "  " : "",
                 yaw_deg < 0 ? yaw_deg + 360 : yaw_deg);
    }
    const struct caption_band band = {.pixels = renderer->canvas +
                                                ((size_t)(cell->y + job->look.height) * job->width + cell->x) * 4,
                                      .stride = job->width,
                                      .width = job->look.width,
                                      .height = job->caption_height,
                                      .is_premultiplied = (job->look.flags & PICTURE_PREMULTIPLIED) != 0};
    return caption_draw(renderer->font, &caption, &band, err);
}

static int draw_all(struct renderer *renderer, struct drawn *drawn, struct buf *out, struct err *err)
{
    const struct render_job *job = &drawn->work->job;
    if (frame_cells(renderer, drawn, err) < 0)
        return err->code;
    if (job->format == SHEET_JSON)
        return put_shots(renderer, drawn, out, err);
    if (start_canvas(renderer, job, err) < 0)
        return err->code;
    for (uint32_t c = 0; c < job->cell_count; c++) {
        if (draw_cell(renderer, drawn, c, err) < 0)
            return err->code;
        place_cell(renderer, job, &drawn->work->cells[c]);
        if (job->caption_height > 0 && put_caption(renderer, drawn, &drawn->work->cells[c], err) < 0)
            return err->code;
    }
    return check_covered(renderer, drawn, err) < 0 ? err->code : put_all(renderer, drawn, out, err);
}

static int draw(struct renderer *renderer, const struct render_work *work, struct loaded *loaded,
                const struct job_sources *sources, struct buf *png, struct err *err)
{
    const struct render_job *job = &work->job;
    struct drawn drawn = {.work = work, .loaded = loaded, .sources = sources, .is_opaque = true};
    if (job_layers_init(&drawn.layers, &job->blend, sources, err) < 0)
        return err->code;
    drawn.mover_count = job_movers(sources, work, drawn.movers);
    const bool is_whole = job->format == SHEET_PNG && job->width == job->look.width && job->height == job->look.height;
    const bool is_onion = is_whole && job->look.view == VIEW_ONION && job->cell_count > 1;
    const int rc = is_onion                           ? draw_onion(renderer, &drawn, png, err)
                   : is_whole && job->cell_count == 1 ? draw_one(renderer, &drawn, png, err)
                                                      : draw_all(renderer, &drawn, png, err);
    framing_fini(&drawn.framing);
    return rc;
}

int renderer_draw(struct renderer *renderer, const struct render_work *work, int model_fd, const int *source_fds,
                  struct buf *png, struct buf *unmatched, struct err *err)
{
    const struct render_job *job = &work->job;
    struct loaded *loaded = NULL;
    struct job_sources sources;
    const size_t png_bytes = png->size_bytes;
    renderer->shown = (struct render_shown){0};
    if (check_job(work, err) < 0 ||
        model_cache_get(&renderer->cache, &renderer->gl, job->model_key, model_fd, job->model_bytes, &loaded, err) < 0)
        return err->code;
    int rc = job_sources_init(&sources, &renderer->clip_files, work, source_fds, &loaded->mapped.model, unmatched, err);
    if (rc == 0)
        rc = draw(renderer, work, loaded, &sources, png, err);
    job_sources_fini(&sources);
    if (rc < 0)
        png->size_bytes = png_bytes;
    trim(renderer);
    return rc;
}

const struct render_shown *renderer_shown(const struct renderer *renderer) { return &renderer->shown; }

void renderer_free(struct renderer *renderer)
{
    if (renderer == NULL)
        return;
    model_cache_fini(&renderer->cache, &renderer->gl);
    clip_files_fini(&renderer->clip_files);
    targets_fini(&renderer->targets, &renderer->gl);
    views_fini(&renderer->views, &renderer->gl);
    drawing_fini(&renderer->drawing);
    gl_context_free(renderer->context);
    frame_fini(&renderer->frame);
    caption_font_free(renderer->font);
    shadow_fini(&renderer->shadow);
    free(renderer->shade);
    reaches_fini(&renderer->reaches);
    free(renderer->samples);
    free(renderer->pixels);
    free(renderer->canvas);
    free(renderer);
}
