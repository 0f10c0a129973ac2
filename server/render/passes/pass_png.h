/* pass_png.h - one pass as a PNG file of 16 bits a channel (enum pass_picture). Any thread. The same numbers give the
 * same bytes. */
#pragma once

#include "base/buf.h"
#include "base/err.h"
#include "base/picture/pass.h"
#include "worker/render_job.h"

/* Appends the file of a pass other than PASS_COLOR. numbers: as in struct pass_arrays. is_small: compressed for size
 * instead of speed. *range: of PASS_AS_RANGE; otherwise 0. Returns 0, ERR_NO_MEMORY, ERR_INTERNAL, or ERR_BAD_PARAMETER
 * for an index above PASS_ID_MAX. */
int pass_png_put(struct buf *out, enum pass pass, const void *numbers, uint32_t width, uint32_t height, bool is_small,
                 struct render_pass_range *range, struct err *err);
