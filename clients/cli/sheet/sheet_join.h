/* sheet_join.h - the parts of a sheet (protocol/http.md, "Parts of a sheet") to the file that one request would have
 * given: by the renderer's own encoders, so that its bytes are the same. One thread. */
#pragma once

#include "base/sheet_spec.h"
#include "clients/cli/output/text.h"

#include <stdbool.h>

/* What is joined so far. {0} with format, quality and is_small is the start. */
struct sheet_join {
    enum sheet_format format; /* of the file */
    uint32_t quality;         /* 1..100 of formats that lose something; 0: the format's own */
    bool is_small;            /* compressed for size */
    uint32_t width, height;   /* of the picture so far, or of a frame */
    uint32_t frame_count;     /* of an animation */
    uint32_t loops;
    bool has_alpha;
    unsigned char *pixels; /* RGBA8, rows top first, of an animation frame after frame */
    uint32_t *durations_ms;
    struct text video; /* of Y4M: the file so far */
};

/* The format in which the parts are asked for: without loss. NULL: such a file is not joined. */
const char *sheet_join_part_format(enum sheet_format format);
/* The next part, in that format. Returns 0, or -1 with what is wrong in *problem. */
int sheet_join_add(struct sheet_join *join, const void *bytes, size_t size_bytes, struct text *problem);
/* Appends the file. Returns 0, or -1 with why not in *problem. */
int sheet_join_put(struct sheet_join *join, struct text *out, struct text *problem);
void sheet_join_free(struct sheet_join *join);
