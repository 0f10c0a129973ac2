/* exr_validate.h - checks the structure of an OpenEXR file of passes. Pure; any thread. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* True for a file of one part of scan lines with ZIP compression that has this size and the channels of these passes
 * (bits of enum pass), and whose chunks follow each other from the table to the end ("OpenEXR File Layout"). */
bool exr_is_valid(const void *bytes, size_t size_bytes, uint32_t width, uint32_t height, uint32_t passes);
