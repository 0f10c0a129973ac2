/* radiance_file.h - decodes Radiance pictures (.hdr, .pic) to pixels of rgbe.h. It reads new and old run-length
 * encoding and uncompressed pixels. No files, no globals; one thread.
 *
 * The bytes are untrusted, so the decoder checks the header's size against LIMIT_IMAGE_SIDE and LIMIT_IMAGE_PIXELS
 * before it allocates memory. It ignores header lines other than FORMAT, including EXPOSURE, as three.js and Blender
 * do. (Ward, Radiance 5: ray/doc/filefmts, ray/src/common/color.c.) */
#pragma once

#include "import/texture/texture_image.h"

/* image->rgba gets the mantissas and exponent of each pixel, from the top left in rows, whatever the file's order.
 * Returns 0, ERR_NOT_A_MODEL (not a Radiance picture, or another colour format), ERR_BAD_MODEL (the file ends early, or
 * a run length is wrong), ERR_MODEL_LIMIT or ERR_IMPORT_MEMORY; messages name the byte. */
int radiance_file_decode(const uint8_t *bytes, size_t size_bytes, const struct limits *limits, struct image *image,
                         struct err *err);
