/* renderer.c - turns a job into the bytes of a picture, a sheet or an animation. */
#include "render/image/image_sequence.h"
#include "render/camera/empty_diagnosis.h"
#include "render/image/picture.h"
#include "render/image/picture_file.h"
#include "render/passes/pass_exr.h"
#include "render/cells.h"
#include "render/warm_up.h"

#include "anim/light/panorama.h"
#include "base/mem.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* Pixels depend on the instructions that the driver's compiler may use. On other processors the driver's name says
 * enough. */
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

/* Pixels depend on the first four names and the font's, the bytes of files on the rest. */
static void name_renderer(struct renderer *renderer)
{
    const struct gl *gl = &renderer->gl;
    char letters[64], webp[32];
    caption_font_name(renderer->font, letters, sizeof letters);
    image_sequence_webp_library(webp, sizeof webp);
    snprintf(renderer->name, sizeof renderer->name, "%s, %s, %s, %s, %s, %s, %s, %s, %s, %s",
             (const char *)gl->GetString(GL_RENDERER), gl_context_kind(renderer->context),
             (const char *)gl->GetString(GL_VERSION), processor_class(), letters, webp, image_sequence_gif_library(),
             picture_file_jpeg_library(), png_file_libraries(), pass_exr_libraries());
}

static int warm_up(struct renderer *renderer, struct err *err)
{
    struct buf model, png;
    buf_init(&model, 0);
    buf_init(&png, 0);
    /* Most models need only some of the programs. Compiling the others takes 10 ms, which only a cache on disk makes
     * worthwhile: the sandbox, later, reaches no cache. Without one, the first model that needs a program waits. */
    int rc = warm_up_model(getenv("MESA_SHADER_CACHE_DIR") != NULL, &model, err);
    const int fd = memfd_create("posed-warm-up", MFD_CLOEXEC);
    if (rc == 0 && (fd < 0 || write(fd, model.data, model.size_bytes) != (ssize_t)model.size_bytes))
        rc = err_set(err, ERR_INTERNAL, "no memory file for the warm-up model: %s", strerror(errno));
    struct render_work *work = mem_zalloc(1, sizeof *work);
    work->job = (struct render_job){.picture = {.width = 64, .height = 64, .yaw_deg = 20},
                                    .width = 64,
                                    .height = 64,
                                    .cell_count = 1,
                                    .drawn_count = 1,
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
    if (gl_context_new(gl, &renderer->context, &renderer->gl, err) < 0) {
        free(renderer);
        return err->code;
    }
    renderer->font = caption_font_load();
    name_renderer(renderer);
    if (drawing_init(&renderer->drawing, &renderer->gl, err) < 0 || warm_up(renderer, err) < 0)
        return err->code;
    *out = renderer;
    return 0;
}

const char *renderer_name(const struct renderer *renderer) { return renderer->name; }

static int draw_cell(struct renderer *renderer, struct cells *cells, uint32_t c, struct err *err)
{
    const bool is_painted = (cells->work->job.picture.flags & PICTURE_PASS_COLORS) != 0;
    if ((is_painted ? passes_paint : pixels_draw)(renderer, cells, c, err) < 0)
        return err->code;
    pixels_resolve(renderer, cells, renderer->samples);
    return 0;
}

/* Where several cells have no pixel of the model, explains the last, because it was drawn last. */
static int check_covered(const struct renderer *renderer, const struct cells *cells, struct err *err)
{
    const struct picture_spec *picture = &cells->work->job.picture;
    if (cells->is_covered || (picture->flags & PICTURE_ALLOW_EMPTY) != 0)
        return 0;
    return empty_diagnosis_explain(&renderer->posed, cells_model(cells),
                                   (const uint32_t[2]){picture->width, picture->height}, err);
}

static struct picture_form form_of(const struct render_job *job, bool is_opaque)
{
    return (struct picture_form){
        .format = (enum sheet_format)job->format,
        .quality = job->quality,
        .png = {.has_alpha = !is_opaque, .is_small = (job->picture.flags & PICTURE_SMALL_FILE) != 0}};
}

/* Encodes the picture of one cell as a file. */
static int put_pixels(const struct renderer *renderer, const struct cells *cells, struct buf *out, struct err *err)
{
    const struct render_job *job = &cells->work->job;
    const struct picture_form form = form_of(job, cells->is_opaque);
    if (check_covered(renderer, cells, err) < 0)
        return err->code;
    return picture_file_put(out, renderer->pixels, job->width, job->height, &form, err);
}

static int draw_one(struct renderer *renderer, struct cells *cells, struct buf *out, struct err *err)
{
    return draw_cell(renderer, cells, 0, err) < 0 ? err->code : put_pixels(renderer, cells, out, err);
}

/* Draws all poses over each other. */
static int draw_onion(struct renderer *renderer, struct cells *cells, struct buf *png, struct err *err)
{
    const struct render_job *job = &cells->work->job;
    const uint32_t scale = pixels_scale(&job->picture);
    const size_t sample_count = (size_t)job->width * job->height * scale * scale;
    struct pose_view view;
    if (cells_pose(renderer, cells, 0, &view, err) < 0 ||
        (cells_are_framed_by_poses(cells) && cells_frame(renderer, cells, err) < 0) ||
        pixels_reserve(&renderer->canvas, &renderer->canvas_bytes, 4 * sample_count, err) < 0)
        return err->code;
    memset(renderer->canvas, 0, 4 * sample_count);
    for (uint32_t c = 0; c < job->cell_count; c++) {
        if (pixels_draw(renderer, cells, c, err) < 0)
            return err->code;
        onion_lay(renderer->canvas, renderer->samples, sample_count, c, job->cell_count);
    }
    pixels_resolve(renderer, cells, renderer->canvas);
    return put_pixels(renderer, cells, png, err);
}

static int put_all(const struct renderer *renderer, const struct cells *cells, struct buf *out, struct err *err)
{
    const struct render_job *job = &cells->work->job;
    const struct picture_form form = form_of(job, cells->is_opaque && job->picture.background[3] == 255);
    const struct sheet_spec spec = {.format = job->format};
    if (!sheet_is_animation(&spec))
        return picture_file_put(out, renderer->canvas, job->width, job->height, &form, err);
    uint32_t durations_ms[RENDER_CELLS_MAX];
    for (uint32_t d = 0; d < job->drawn_count; d++)
        durations_ms[d] = cells->work->cells[job->first_drawn + d].duration_ms;
    const struct image_sequence sequence = {.pixels = renderer->canvas,
                                            .width = job->width,
                                            .height = job->picture.height + job->caption_height,
                                            .frame_count = job->drawn_count,
                                            .durations_ms = durations_ms,
                                            .loops = job->loops,
                                            .frame_rate = job->frame_rate,
                                            .quality = job->quality,
                                            .form = form.png};
    return image_sequence_put(out, (enum sheet_format)job->format, &sequence, err);
}

/* A part of a sheet may be empty where the whole sheet is not. */
static int look_elsewhere(struct renderer *renderer, struct cells *cells, struct err *err)
{
    const struct render_job *job = &cells->work->job;
    const bool is_opaque = cells->is_opaque;
    for (uint32_t c = 0; c < job->cell_count && !cells->is_covered; c++)
        if (c - job->first_drawn >= job->drawn_count && draw_cell(renderer, cells, c, err) < 0)
            return err->code;
    cells->is_opaque = is_opaque;
    return check_covered(renderer, cells, err);
}

static int draw_all(struct renderer *renderer, struct cells *cells, struct buf *out, struct err *err)
{
    const struct render_job *job = &cells->work->job;
    if (cells_frame(renderer, cells, err) < 0)
        return err->code;
    if (job->format == SHEET_JSON)
        return cells_put_cameras(renderer, cells, out, err);
    if (pixels_start(renderer, job, err) < 0)
        return err->code;
    for (uint32_t c = job->first_drawn; c < job->first_drawn + job->drawn_count; c++) {
        if (draw_cell(renderer, cells, c, err) < 0)
            return err->code;
        pixels_place(renderer, job, &cells->work->cells[c]);
        if (job->caption_height > 0 && caption_put(renderer, cells, &cells->work->cells[c], err) < 0)
            return err->code;
    }
    const bool is_empty = !cells->is_covered && (job->picture.flags & PICTURE_ALLOW_EMPTY) == 0;
    return is_empty && look_elsewhere(renderer, cells, err) < 0 ? err->code : put_all(renderer, cells, out, err);
}

static int draw(struct renderer *renderer, const struct render_work *work, struct loaded_model *loaded,
                const struct job_sources *sources, const struct job_given *given, const struct job_points *points,
                struct buf *png, struct err *err)
{
    const struct render_job *job = &work->job;
    struct cells cells = {.work = work,
                          .loaded = loaded,
                          .sources = sources,
                          .on_top = job_given_pose(given, job->on_top),
                          .points = points,
                          .is_opaque = true};
    if (job->on_top > 0 && cells.on_top == NULL)
        return err_set(err, ERR_BAD_PARAMETER, "the job has no given pose %u", job->on_top);
    if (job_layers_init(&cells.layers, &job->blend, sources, given, err) < 0)
        return err->code;
    cells.mover_count = job_movers(sources, work, cells.movers);
    const struct sheet_spec spec = {.format = job->format};
    const bool is_whole = job->format != SHEET_JSON && !sheet_is_animation(&spec) && job->width == job->picture.width &&
                          job->height == job->picture.height;
    const bool is_onion = is_whole && job->picture.view == VIEW_ONION && job->cell_count > 1;
    const bool is_numbers = job->picture.passes != 0 && (job->picture.flags & PICTURE_PASS_COLORS) == 0;
    const int rc = job->format == SHEET_POINTS        ? points_put(renderer, &cells, png, err)
                   : is_numbers                       ? passes_draw(renderer, &cells, png, err)
                   : is_onion                         ? draw_onion(renderer, &cells, png, err)
                   : is_whole && job->cell_count == 1 ? draw_one(renderer, &cells, png, err)
                                                      : draw_all(renderer, &cells, png, err);
    shared_camera_fini(&cells.shared);
    return rc;
}

/* clips: [source_count of the job], the models with the clips. job_sources_init() refuses more. */
static int map_sources(struct renderer *renderer, const struct render_job *job, const int *fds,
                       const struct model *clips[RENDER_SOURCES_MAX], struct err *err)
{
    struct loaded_model *loaded;
    for (uint32_t s = 0; s < job->source_count && job->source_count <= RENDER_SOURCES_MAX; s++) {
        if (model_cache_map(&renderer->cache, &renderer->gl, job->sources[s].key, fds[s], job->sources[s].size_bytes,
                            &loaded, err) < 0)
            return err->code;
        clips[s] = &loaded->mapped.model;
    }
    return 0;
}

/* Returns the descriptor of the given poses and points, after the environment. */
static int given_fd(const struct render_job *job, const int *fds)
{
    return render_job_given_size(job) > 0 ? fds[job->source_count + (job->environment_bytes > 0)] : -1;
}

/* fd: of the job's environment, after its sources. */
static int map_environment(struct renderer *renderer, const struct render_job *job, const int *fds, struct err *err)
{
    struct loaded_model *loaded;
    if (job->environment_bytes == 0 || job->source_count > RENDER_SOURCES_MAX) /* job_sources_init() refuses it */
        return 0;
    if (model_cache_map(&renderer->cache, &renderer->gl, job->environment_key, fds[job->source_count],
                        job->environment_bytes, &loaded, err) < 0)
        return err->code;
    if (!model_is_environment(&loaded->mapped.model))
        return err_set(err, ERR_BAD_PARAMETER, "the job's environment is none");
    return draw_set_environment(&renderer->drawing, &loaded->mapped.model, job->environment_key,
                                job->picture.environment_yaw_deg, err);
}

int renderer_draw(struct renderer *renderer, const struct render_work *work, int model_fd, const int *source_fds,
                  struct buf *png, struct buf *unmatched, struct err *err)
{
    const struct render_job *job = &work->job;
    struct loaded_model *loaded = NULL;
    const struct model *clips[RENDER_SOURCES_MAX];
    struct job_sources sources;
    struct job_given given = {.count = 0};
    struct job_points points = {.count = 0};
    const size_t png_bytes = png->size_bytes;
    renderer->shown = (struct render_shown){0};
    renderer->pass_range = (struct render_pass_range){0, 0};
    model_cache_begin(&renderer->cache);
    if (job_check(work, err) < 0 ||
        model_cache_draw(&renderer->cache, &renderer->gl, job->model_key, model_fd, job->model_bytes, &loaded, err) <
            0 ||
        map_sources(renderer, job, source_fds, clips, err) < 0 || map_environment(renderer, job, source_fds, err) < 0)
        return err->code;
    int rc = job_sources_init(&sources, work, &loaded->mapped.model, clips, unmatched, err);
    if (rc == 0)
        rc = job_given_init(&given, job, given_fd(job, source_fds), &loaded->mapped.model, err);
    if (rc == 0)
        rc = job_points_init(&points, job, given_fd(job, source_fds), &loaded->mapped.model, err);
    if (rc == 0)
        rc = draw(renderer, work, loaded, &sources, &given, &points, png, err);
    job_points_fini(&points);
    job_given_fini(&given);
    job_sources_fini(&sources);
    if (rc < 0)
        png->size_bytes = png_bytes;
    pixels_trim(renderer);
    return rc;
}

const struct render_shown *renderer_shown(const struct renderer *renderer) { return &renderer->shown; }

struct render_pass_range renderer_pass_range(const struct renderer *renderer) { return renderer->pass_range; }
