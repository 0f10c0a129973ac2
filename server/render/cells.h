/* cells.h - the state of a renderer, and the steps that turn the cells of a job into pixels. Private to renderer.c and
 * cell_*.c. Only on the context's thread. */
#pragma once

#include "render/camera/camera_setup.h"
#include "render/image/caption.h"
#include "render/draw/draw.h"
#include "render/pose/posed_model.h"
#include "render/camera/shared_camera.h"
#include "render/gl/gl_context.h"
#include "render/job/job_check.h"
#include "render/job/job_points.h"
#include "render/job/job_sources.h"
#include "render/draw/model_cache.h"
#include "render/camera/clip_bounds.h"
#include "render/renderer.h"
#include "render/draw/shadow.h"
#include "render/image/ambient_occlusion.h"
#include "render/gl/framebuffer.h"
#include "render/draw/debug_view.h"
#include "render/passes/visibility.h"

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
    uint8_t *shade; /* of a cell: darkness of its shadow */
    size_t shade_bytes;
    struct ambient_occlusion occlusion;
    uint32_t *depths; /* of the samples, for ambient occlusion */
    size_t depths_bytes;
    struct clip_bounds_cache bounds_cache;
    struct render_shown shown;
    struct render_pass_range pass_range;
    struct visibility visibility;
    struct posed_model later;  /* for PASS_MOTION: the model at t2 */
    uint8_t *samples, *pixels; /* of a cell */
    uint8_t *canvas;           /* pixels of a picture of several cells */
    size_t samples_bytes, pixels_bytes, canvas_bytes;
    char name[RENDERER_NAME_SIZE];
};

/* State that the cells share while they are drawn. */
struct cells {
    const struct render_work *work;
    struct loaded_model *loaded;
    const struct job_sources *sources;
    struct job_layers layers;
    const struct given_pose *on_top; /* or NULL */
    const struct job_points *points;
    const struct model *movers[RENDER_SOURCES_MAX + 1];
    uint32_t mover_count;
    struct shared_camera shared; /* for several cells */
    struct camera all;           /* the camera that frames all cells */
    struct clip_bounds *bounds;  /* for a single cell: what its camera frames; NULL: its pose */
    double clip_time_s;          /* of the last cell, as shown */
    bool is_covered;             /* some cell has a pixel of the model */
    bool is_opaque;
};

/* --- cell_camera.c: poses and cameras --- */

/* Returns the drawn model. */
const struct model *cells_model(const struct cells *cells);
/* Poses cell c, and finds what a camera must frame of it. */
int cells_pose(struct renderer *renderer, struct cells *cells, uint32_t c, struct pose_view *view, struct err *err);
/* Poses the model at t2 (later_count of the job) in renderer->later, without anything to frame. */
int cells_pose_later(struct renderer *renderer, struct cells *cells, struct err *err);
/* Prefixes an error about cell c with the cell, where there are several. Returns the error's code. */
int cells_name(const struct cells *cells, uint32_t c, const struct pose_view *view, struct err *err);
/* Finds one camera for all cells, placed for the first one. A camera of the file stays in its place and gets near and
 * far planes for all cells. */
int cells_frame(struct renderer *renderer, struct cells *cells, struct err *err);
/* True when the camera of an onion skin depends on all of its poses. Otherwise each pose has the camera that it would
 * have alone. */
bool cells_are_framed_by_poses(const struct cells *cells);
/* Finds the camera of the cell that was posed last. */
int cells_find_camera(struct renderer *renderer, const struct cells *cells, struct pose_view *view,
                      struct camera *camera, struct err *err);
/* Rounds the camera of a single picture to its numbers, which it returns. */
struct picture_camera cells_settle_camera(const struct cells *cells, struct camera *camera);
/* Appends the cells' cameras (struct render_cameras) in place of pictures. */
int cells_put_cameras(struct renderer *renderer, struct cells *cells, struct buf *out, struct err *err);

/* --- cell_pixels.c --- */

/* Grows *bytes to at least `size_bytes`; the contents are lost when it grows. Returns 0 or ERR_NO_MEMORY. */
int pixels_reserve(uint8_t **bytes, size_t *capacity, size_t size_bytes, struct err *err);
/* Returns the number of samples on a pixel's side. */
uint32_t pixels_scale(const struct picture_spec *picture);
/* Fills the whole picture with the background's first colour, which remains between the cells. */
int pixels_start(struct renderer *renderer, const struct render_job *job, struct err *err);
/* Poses cell c and sets its camera. */
int pixels_pose(struct renderer *renderer, struct cells *cells, uint32_t c, struct err *err);
/* Returns the model as it looks in the pose. */
struct loaded_model pixels_shown(const struct renderer *renderer, const struct cells *cells);
/* Does pixels_pose(), and draws the cell to renderer->samples. */
int pixels_draw(struct renderer *renderer, struct cells *cells, uint32_t c, struct err *err);
/* Converts samples to renderer->pixels. */
void pixels_resolve(const struct renderer *renderer, struct cells *cells, const uint8_t *samples);
/* Copies a cell, renderer->pixels, into the picture. */
void pixels_place(const struct renderer *renderer, const struct render_job *job, const struct render_cell *cell);
/* Frees the memory of large pictures. */
void pixels_trim(struct renderer *renderer);

/* --- cell_passes.c --- */

/* Draws the passes of a job, and appends their file. */
int passes_draw(struct renderer *renderer, struct cells *cells, struct buf *out, struct err *err);

/* --- cell_points.c --- */

/* True when each cell has the camera that it would have alone. */
bool cells_are_alone(const struct cells *cells);
/* Finds the points of a job in each cell, and appends them (struct render_shown) in place of pictures. */
int points_put(struct renderer *renderer, struct cells *cells, struct buf *out, struct err *err);
/* Draws the body of VIEW_OPENPOSE in the posed cell to renderer->samples. */
int points_draw_body(struct renderer *renderer, const struct cells *cells, uint32_t scale, struct err *err);

/* Writes the caption under a cell of the picture. */
int caption_put(struct renderer *renderer, const struct cells *cells, const struct render_cell *cell, struct err *err);
