/* radiance_file.h - Radiance pictures (.hdr, .pic) to pixels of rgbe.h: with the run lengths of today, those of old
 * files, or none. No files, no globals; one thread.
 *
 * The bytes are hostile: the size in the header is checked against LIMIT_IMAGE_SIDE and LIMIT_IMAGE_PIXELS before
 * anything is allocated. Lines of the header other than FORMAT are passed over, EXPOSURE too, as three.js and Blender
 * do. (Ward, Radiance 5: ray/doc/filefmts, ray/src/common/color.c.) */
#pragma once

#include "import/texture/texture_image.h"

/* image->rgba: mantissas and exponent of each pixel, the top row first and its left pixel first, however the file has
 * them. Returns 0, ERR_NOT_A_MODEL (no such file, or colours of another kind), ERR_BAD_MODEL (it ends early, or its
 * lengths are wrong), ERR_MODEL_LIMIT or ERR_IMPORT_MEMORY; messages name the byte. */
int radiance_file_decode(const uint8_t *bytes, size_t size_bytes, const struct limits *limits, struct image *image,
                         struct err *err);
