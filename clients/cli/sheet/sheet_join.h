/* sheet_join.h - joins the parts of a sheet (protocol/http.md, "Parts of a sheet") to the file that one request would
 * give. It uses the renderer's encoders, so the bytes are the same. One thread. */
#pragma once

#include "base/picture/sheet_spec.h"
#include "clients/cli/output/text.h"

#include <stdbool.h>

/* The file so far. {0} with format, quality and is_small is the start. */
struct sheet_join {
    enum sheet_format format; /* of the file */
    uint32_t quality;         /* 1..100 for lossy formats; 0: the format's default */
    bool is_small;            /* compressed for size */
    uint32_t width, height;   /* of the picture so far, or of a frame */
    uint32_t frame_count;     /* frames of an animation */
    uint32_t loops;
    bool has_alpha;
    unsigned char *pixels; /* RGBA8, top row first; frame after frame for an animation */
    uint32_t *durations_ms;
    struct text video; /* the Y4M file so far */
};

/* Returns the lossless format in which to ask for the parts. NULL: files of this format cannot be joined. */
const char *sheet_join_part_format(enum sheet_format format);
/* Adds the next part, which has that format. Returns 0, or -1 with a message in *problem. */
int sheet_join_add(struct sheet_join *join, const void *bytes, size_t size_bytes, struct text *problem);
/* Appends the file. Returns 0, or -1 with a message in *problem. */
int sheet_join_put(struct sheet_join *join, struct text *out, struct text *problem);
void sheet_join_free(struct sheet_join *join);
