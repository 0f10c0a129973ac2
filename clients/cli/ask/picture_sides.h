/* picture_sides.h - the width and height of a picture's file, from its header. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Of a PNG, JPEG, GIF, WebP or Y4M file; false: the file is none of these. */
bool picture_sides(const unsigned char *file, size_t size_bytes, uint32_t sides[2]);
