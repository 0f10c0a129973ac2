/* picture_sides.h - reads the width and height of a picture from the header of its file. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Reads the sides of a PNG, JPEG, GIF, WebP or Y4M file, in pixels. Returns false if the file has another format. */
bool picture_sides(const unsigned char *file, size_t size_bytes, uint32_t sides[2]);
