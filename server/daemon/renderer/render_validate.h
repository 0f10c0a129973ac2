/* render_validate.h - checks whether the output of a posed-render process can be the requested picture. No loop, no
 * globals; any thread.
 *
 * It checks only the structure of the file, which costs nothing compared with drawing: a subverted process can draw
 * anything, but clients always get a valid picture of the requested size. */
#pragma once

#include "worker/render_job.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* True if the notes of a picture are finite numbers and printable text, as the contract requires. */
bool render_notes_are_valid(const struct render_notes *notes);
/* Checks the bytes against the job's format, width, height, and its number of cells. */
bool render_picture_is_valid(const struct render_job *job, const void *bytes, size_t size_bytes);
