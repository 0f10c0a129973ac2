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

/* What was asked for; the names are those of struct render_job. */
struct render_expected {
    uint32_t format; /* enum sheet_format */
    uint32_t width, height, cell_count;
};

/* Whether what accompanies a picture is finite numbers and printable text, as the contract requires. */
bool render_notes_are_valid(const struct render_notes *notes);
bool render_picture_is_valid(const struct render_expected *form, const void *bytes, size_t size_bytes);
