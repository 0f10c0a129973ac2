/* render_validate.h - whether what a posed-render process sent can be the picture that was asked for. No loop, no
 * globals; any thread.
 *
 * Only the file's frame is checked, which costs nothing compared with drawing: a subverted process can draw what it
 * likes, but what reaches clients as a picture of a size is one. */
#pragma once

#include "worker/render_job.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Whether what accompanies a picture is finite numbers and printable text, as the contract requires. */
bool render_notes_are_valid(const struct render_notes *notes);
/* Looks at the job's format, width, height, and at how many cells it has and draws. */
bool render_picture_is_valid(const struct render_job *job, const void *bytes, size_t size_bytes);
