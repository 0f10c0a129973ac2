/* apng_file.h - reads PNG files, and the frames of animated ones (PNG 3, 2025: "acTL", "fcTL", "fdAT"). It reads what
 * posed writes: 8 bits a channel, RGB or RGBA, not interlaced, frames that replace the previous ones and stay. Any
 * thread. */
#pragma once

#include "clients/cli/output/text.h"

#include <stdbool.h>
#include <stdint.h>

/* Pixels are RGBA8, straight alpha, sRGB, top row first. The caller frees the arrays. {0} is empty. */
struct apng_file {
    uint32_t width, height; /* of the picture, and so of each frame */
    uint32_t frame_count;   /* 1 without animation */
    uint32_t loops;         /* 0: endless */
    bool has_alpha;
    uint8_t *pixels;        /* frame after frame */
    uint32_t *durations_ms; /* [frame_count]; 0 without animation */
};

/* Reads a file. pixels_max: the greatest accepted product of width, height and number of frames. Returns 0, or -1 with
 * a message in *problem. */
int apng_file_read(const void *bytes, size_t size_bytes, uint64_t pixels_max, struct apng_file *out,
                   struct text *problem);
void apng_file_free(struct apng_file *file);
