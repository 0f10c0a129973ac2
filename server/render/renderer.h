/* renderer.h - turns a job and a baked model into a picture file: all of posed-render except its process. One thread.
 */
#pragma once

#include "base/buf.h"
#include "base/err.h"
#include "worker/render_job.h"

#include <stdint.h>

struct renderer;

/* gl: "auto", "osmesa" or "egl". cache_bytes bounds the models kept between jobs. Draws a first frame, so that the
 * driver has compiled what it needs. Call it once per process; a renderer is never freed. Returns 0, or ERR_UNAVAILABLE
 * or ERR_RENDER_FAILED, after which the process must end. */
int renderer_new(const char *gl, uint64_t cache_bytes, struct renderer **out, struct err *err);

/* Names the driver and everything else that decides the pixels, for people and for ETags: "llvmpipe (LLVM 15.0.6, 256
 * bits), OSMesa, 4.5 (Core Profile) Mesa 22.3.6, avx2, FreeType 2.12.1, DejaVu Sans 2.37, libwebp 1.2.4, giflib 5.2.1,
 * libjpeg-turbo 2.1.5, isa-l 2.30.0, libdeflate 1.14, OpenEXR 3.1.5, zlib 1.2.13". */
const char *renderer_name(const struct renderer *renderer);

/* Draws the cells of the job with the model in `model_fd`, and appends the file to `png`. source_fds: [source_count of
 * the job], the other models with clips, followed by the environment's where the job has one. All are borrowed.
 * unmatched: receives the report of nodes of these clips without a partner; may be NULL when there are none. Returns 0,
 * ERR_NOTHING_TO_DRAW, ERR_NOT_FINITE, ERR_CLIP_NO_MATCH, ERR_BAD_PARAMETER, ERR_BAD_BAKE, ERR_MODEL_LIMIT,
 * ERR_NO_MEMORY, ERR_RENDER_FAILED or ERR_INTERNAL; after an error `png` is unchanged. */
int renderer_draw(struct renderer *renderer, const struct render_work *work, int model_fd, const int *source_fds,
                  struct buf *png, struct buf *unmatched, struct err *err);

/* Tells how the last picture shows its model; zero when drawing failed. */
const struct render_shown *renderer_shown(const struct renderer *renderer);
/* The same for the numbers of a pass in a PNG file. */
struct render_pass_range renderer_pass_range(const struct renderer *renderer);
