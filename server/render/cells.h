/* cells.h - the state of a renderer, and the steps that turn the cells of a job into pixels. Private to renderer.c and
 * cell_*.c. The context's thread only. */
#pragma once

#include "render/camera/camera_setup.h"
#include "render/image/caption.h"
#include "render/draw/draw.h"
#include "render/pose/posed_model.h"
#include "render/camera/shared_camera.h"
#include "render/gl/gl_context.h"
#include "render/job/job_check.h"
#include "render/job/job_sources.h"
#include "render/draw/model_cache.h"
#include "render/camera/clip_bounds.h"
#include "render/renderer.h"
#include "render/draw/shadow.h"
#include "render/image/ambient_occlusion.h"
#include "render/gl/framebuffer.h"
#include "render/draw/debug_view.h"

enum { RENDERER_NAME_SIZE = 256 };

struct renderer {
    struct gl_context *context;
    struct gl gl;
    struct drawing drawing;
    struct debug_views views;
    struct framebuffer_cache framebuffers;
    struct model_cache cache;
    struct posed_model posed;
    struct caption_font *font;
    struct shadow shadow;
    uint8_t *shade; /* of a cell: how dark its shadow is */
    size_t shade_bytes;
    struct ambient_occlusion occlusion;
    uint32_t *depths; /* of the samples; for the occlusion */
    size_t depths_bytes;
    struct clip_bounds_cache bounds_cache;
    struct render_shown shown;
    uint8_t *samples, *pixels; /* of a cell */
    uint8_t *canvas;           /* the pixels of a picture of several */
    size_t samples_bytes, pixels_bytes, canvas_bytes;
    char name[RENDERER_NAME_SIZE];
};

/* What the cells have in common while they are drawn. */
struct cells {
    const struct render_work *work;
    struct loaded_model *loaded;
    const struct job_sources *sources;
    struct job_layers layers;
    const struct model *movers[RENDER_SOURCES_MAX + 1];
    uint32_t mover_count;
    struct shared_camera shared; /* of several cells */
    struct camera all;           /* the camera that frames them */
    struct clip_bounds *bounds;  /* of one cell: what its camera frames; NULL: its pose */
    double clip_time_s;          /* of the last cell, as it is shown */
    bool is_covered;             /* some cell has a pixel of the model */
    bool is_opaque;
};

/* --- cell_camera.c: poses and cameras --- */

/* The model that is drawn. */
const struct model *cells_model(const struct cells *cells);
/* Poses cell c, and finds what a camera has to frame of it. */
int cells_pose(struct renderer *renderer, struct cells *cells, uint32_t c, struct pose_view *view, struct err *err);
/* `err` is about cell c: where there are several, its message gets which of them in front. Returns its code. */
int cells_name(const struct cells *cells, uint32_t c, const struct pose_view *view, struct err *err);
/* Finds one camera for all cells, which stands at the first of them; of a camera of the file, which
 * stands where it stands, the planes that hold all of them. */
int cells_frame(struct renderer *renderer, struct cells *cells, struct err *err);
/* Whether the camera of an onion skin depends on all of its poses; otherwise each pose has the camera it would have
 * alone. */
bool cells_are_framed_by_poses(const struct cells *cells);
/* The camera of the cell that was posed last. */
int cells_find_camera(struct renderer *renderer, const struct cells *cells, struct pose_view *view,
                      struct camera *camera, struct err *err);
/* Appends where the cells' cameras are (struct render_cameras), instead of what they see. */
int cells_put_cameras(struct renderer *renderer, struct cells *cells, struct buf *out, struct err *err);

/* --- cell_pixels.c --- */

/* Gives *bytes room for so many: new ones in their place where it has less. Returns 0 or ERR_NO_MEMORY. */
int pixels_room(uint8_t **bytes, size_t *capacity, size_t size_bytes, struct err *err);
/* How many samples a pixel's side has. */
uint32_t pixels_scale(const struct picture_spec *picture);
/* The whole picture, of the background's first colour: that is what is between the cells. */
int pixels_start(struct renderer *renderer, const struct render_job *job, struct err *err);
/* Cell c to renderer->samples. */
int pixels_draw(struct renderer *renderer, struct cells *cells, uint32_t c, struct err *err);
/* Samples to renderer->pixels. */
void pixels_resolve(const struct renderer *renderer, struct cells *cells, const uint8_t *samples);
/* Sets renderer->pixels, a cell, into the picture. */
void pixels_place(const struct renderer *renderer, const struct render_job *job, const struct render_cell *cell);
/* Gives memory of large pictures back. */
void pixels_trim(struct renderer *renderer);

/* Writes the caption under a cell of the picture. */
int caption_put(struct renderer *renderer, const struct cells *cells, const struct render_cell *cell, struct err *err);
