/* sheet_spec.h - a request for a picture of several times or directions: plain numbers without padding. Fields that
 * were not given are 0. */
#pragma once

#include <stdint.h>

enum sheet_format {
    SHEET_PNG = 0,    /* all cells in one picture */
    SHEET_APNG,       /* an animation; every cell is a frame */
    SHEET_GIF,        /* an animation */
    SHEET_WEBP,       /* an animation */
    SHEET_JSON,       /* the places of the cells in the picture, as JSON */
    SHEET_JPEG,       /* all cells in one picture */
    SHEET_Y4M,        /* a video; every cell is a frame */
    SHEET_WEBP_STILL, /* a single picture; only for OP_RENDER, since a sheet in WebP is an animation */
    SHEET_NPZ,        /* passes as arrays; only for OP_RENDER */
    SHEET_POINTS,     /* where points are, as JSON; only for OP_KEYPOINTS */
    SHEET_EXR,        /* passes as channels; only for OP_RENDER */
    SHEET_FORMAT_COUNT
};

enum sheet_flags {
    SHEET_CAPTIONS = 1,  /* a line of text under every cell */
    SHEET_ALL_CLIPS = 2, /* all clips instead of one */
    SHEET_TIMES = 4,     /* the request lists the times */
};

struct sheet_spec {
    uint32_t format;     /* enum sheet_format */
    uint32_t flags;      /* SHEET_ */
    uint32_t columns;    /* cells in a row */
    uint32_t frames;     /* for each clip; of a turntable, directions in a full turn */
    uint32_t directions; /* around the model */
    uint32_t loops;      /* times that an animation plays; 0: for ever */
    uint32_t gap;        /* pixels between cells */
    uint32_t padding;    /* pixels around all cells */
    uint32_t quality;    /* of lossy formats: 1 to 100; 0: not given. OP_RENDER uses this and format too */
    uint32_t first_row;  /* first drawn row; in an animation each frame is a row */
    uint32_t row_count;  /* rows that are drawn; 0: all from first_row on */
    uint32_t reserved;
    double rate;      /* frames a second that each clip is sampled at */
    double play_rate; /* frames a second that the animation plays at */
};

static inline int sheet_is_animation(const struct sheet_spec *spec)
{
    return spec->format == SHEET_APNG || spec->format == SHEET_GIF || spec->format == SHEET_WEBP ||
           spec->format == SHEET_Y4M;
}

/* True for formats without transparency, whose background is opaque. */
static inline int sheet_is_opaque(const struct sheet_spec *spec)
{
    return spec->format == SHEET_JPEG || spec->format == SHEET_Y4M;
}
