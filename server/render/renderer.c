#include "renderer.h"

#include "../base/mem.h"
#include "draw.h"
#include "frame.h"
#include "gl_context.h"
#include "job_layers.h"
#include "job_sources.h"
#include "model_cache.h"
#include "picture.h"
#include "png_file.h"
#include "target.h"
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
    SUPERSAMPLED_MAX = 2048, /* larger pictures have one sample a pixel: four would take a gigabyte */
    KEPT_BYTES = 64 << 20,   /* of pixel memory between jobs */
    SURE_SIDE = 16,          /* pictures this wide and high show every model that can be seen */
    CLIP_FILES_SHARE = 4,    /* of the memory for models, beside it */
    NAME_SIZE = 256
};

struct renderer {
    struct gl_context *context;
    struct gl gl;
    struct drawing drawing;
    struct targets targets;
    struct model_cache cache;
    struct clip_files clip_files;
    struct frame frame;
    uint8_t *samples, *pixels;
    size_t samples_bytes, pixels_bytes;
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
    const struct render_job job = {
        .look = {.width = 64, .height = 64, .yaw_deg = 20}, .clip = POSE_REST, .model_bytes = model.size_bytes};
    if (rc == 0)
        rc = renderer_draw(renderer, &job, fd, NULL, &png, NULL, err);
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
    if (drawing_init(&renderer->drawing, &renderer->gl, err) < 0 || warm_up(renderer, err) < 0) {
        renderer_free(renderer);
        return err->code;
    }
    *out = renderer;
    return 0;
}

const char *renderer_name(const struct renderer *renderer) { return renderer->name; }

static int check_job(const struct render_job *job, struct err *err)
{
    if (job->look.width < 1 || job->look.height < 1 || job->look.width > SIDE_MAX || job->look.height > SIDE_MAX)
        return err_set(err, ERR_BAD_PARAMETER, "a picture of %u x %u pixels cannot be drawn", job->look.width,
                       job->look.height);
    if (!isfinite(job->clip_time_s) || !isfinite(job->root_start_s) || !isfinite(job->look.yaw_deg) ||
        !isfinite(job->look.pitch_deg))
        return err_set(err, ERR_BAD_PARAMETER, "time, yaw or pitch of the picture is not finite");
    return 0;
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
    if (renderer->samples_bytes + renderer->pixels_bytes <= KEPT_BYTES)
        return;
    free(renderer->samples);
    free(renderer->pixels);
    renderer->samples = renderer->pixels = NULL;
    renderer->samples_bytes = renderer->pixels_bytes = 0;
}

static int put_picture(struct renderer *renderer, const struct render_job *job, uint32_t scale, struct buf *png,
                       struct err *err)
{
    if (read_samples(renderer, job->look.width, job->look.height, scale, err) < 0)
        return err->code;
    const struct picture_stats stats =
        picture_resolve(renderer->samples, job->look.width, job->look.height, scale, &job->look, renderer->pixels);
    /* a sound model can slip between the samples of a very small picture */
    if (stats.covered_count == 0 && job->look.width >= SURE_SIDE && job->look.height >= SURE_SIDE)
        return err_set(err, ERR_NOTHING_TO_DRAW,
                       "no pixel shows the model from yaw %g, pitch %g: its surfaces are transparent, turn their backs "
                       "or have no area",
                       job->look.yaw_deg, job->look.pitch_deg);
    const struct png_form form = {.has_alpha = !stats.is_opaque,
                                  .is_small = (job->look.flags & PICTURE_SMALL_FILE) != 0};
    return png_file_put(png, renderer->pixels, job->look.width, job->look.height, &form, err);
}

static int draw(struct renderer *renderer, const struct render_job *job, struct loaded *loaded,
                const struct job_sources *sources, struct buf *png, struct err *err)
{
    struct job_layers layers;
    const struct model *movers[RENDER_SOURCES_MAX + 1];
    if (job_layers_init(&layers, &job->blend, sources, err) < 0)
        return err->code;
    const struct model *posed = job_source(sources, layers.count > 0 ? 0 : job->clip_source);
    const struct frame_view view = {.look = &job->look,
                                    .clip = job->clip,
                                    .clip_time_s = job->clip_time_s,
                                    .layers = layers.layers,
                                    .layer_count = layers.count,
                                    .movers = movers,
                                    .mover_count = job_movers(sources, job, movers),
                                    .root = job->root,
                                    .has_turn = job->has_turn != 0,
                                    .root_start_s = job->root_start_s};
    const bool is_smooth = (job->look.flags & PICTURE_ONE_SAMPLE) == 0;
    const uint32_t scale =
        is_smooth && job->look.width <= SUPERSAMPLED_MAX && job->look.height <= SUPERSAMPLED_MAX ? 2 : 1;
    int rc = frame_prepare(&renderer->frame, posed, loaded->is_used, &view, err);
    if (rc == 0)
        rc = target_bind(&renderer->targets, &renderer->gl, job->look.width * scale, job->look.height * scale, err);
    if (rc == 0)
        rc = draw_frame(&renderer->drawing, loaded, &renderer->frame, scale, err);
    if (rc == 0)
        rc = put_picture(renderer, job, scale, png, err);
    return rc;
}

int renderer_draw(struct renderer *renderer, const struct render_job *job, int model_fd, const int *source_fds,
                  struct buf *png, struct buf *unmatched, struct err *err)
{
    struct loaded *loaded = NULL;
    struct job_sources sources;
    const size_t png_bytes = png->size_bytes;
    if (check_job(job, err) < 0 ||
        model_cache_get(&renderer->cache, &renderer->gl, job->model_key, model_fd, job->model_bytes, &loaded, err) < 0)
        return err->code;
    int rc = job_sources_init(&sources, &renderer->clip_files, job, source_fds, &loaded->mapped.model, unmatched, err);
    if (rc == 0)
        rc = draw(renderer, job, loaded, &sources, png, err);
    job_sources_fini(&sources);
    if (rc < 0)
        png->size_bytes = png_bytes;
    trim(renderer);
    return rc;
}

void renderer_free(struct renderer *renderer)
{
    if (renderer == NULL)
        return;
    model_cache_fini(&renderer->cache, &renderer->gl);
    clip_files_fini(&renderer->clip_files);
    targets_fini(&renderer->targets, &renderer->gl);
    drawing_fini(&renderer->drawing);
    gl_context_free(renderer->context);
    frame_fini(&renderer->frame);
    free(renderer->samples);
    free(renderer->pixels);
    free(renderer);
}
