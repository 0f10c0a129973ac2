/* apng_file.h - reads PNG files and the frames of animated ones (PNG 3, 2025: "acTL", "fcTL", "fdAT") as posed writes
 * them: 8 bits a channel, RGB or RGBA, not interlaced; frames replace what is there and stay. Any thread. */
#pragma once

#include "clients/cli/output/text.h"

#include <stdbool.h>
#include <stdint.h>

/* Pixels are RGBA8, straight alpha, sRGB, rows top first. The caller frees; {0} is empty. */
struct apng_file {
    uint32_t width, height; /* of the picture, or of a frame */
    uint32_t frame_count;   /* 1 of a PNG file without animation */
    uint32_t loops;         /* 0: for ever */
    bool has_alpha;
    uint8_t *pixels;        /* frame after frame */
    uint32_t *durations_ms; /* [frame_count]; 0 without animation */
};

/* pixels_max: width times height times frames that are believed. Returns 0, or -1 with what is wrong in *problem. */
int apng_file_read(const void *bytes, size_t size_bytes, uint64_t pixels_max, struct apng_file *out,
                   struct text *problem);
void apng_file_free(struct apng_file *file);
